"""Checks of `create_look_ahead_mask(size)`."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Integers,
    Probe,
    Student,
    expect,
    points,
    probe,
)

from . import wording


def of_length(create_look_ahead_mask: Any, places: Any) -> Any:
    mask = create_look_ahead_mask(len(places))
    # whether it is boolean is asked by a check of its own
    return mask != 0 if isinstance(mask, torch.Tensor) else mask


domain = Domain(
    answer="create_look_ahead_mask",
    sizes={"size": 3},
    inputs={"places": Integers("size", 0, 9)},
    returns={"mask": "1 1 size size"},
    call=Probe(of_length),
    more={"long": {"size": 130}, "very long": {"size": 600}},
    differentiable=False,
    doubles=False,
    extremes=False,
)
battery = Battery(domain, values=0.75, sizes=0.5, care=0.25)


@probe
def made(answers: Any, size: int) -> dict[str, Any]:
    return {"mask": answers.create_look_ahead_mask(size)}


@points(0.5, text="It returns a **boolean** tensor of the shape (1, 1, size, size)")
def check_is_boolean(student: Student, expected: Expected) -> None:
    """The mask holds truth values."""
    for size in (1, 4):
        mask = student.run(made, size=size).tensor("mask")
        expect(mask.dtype == torch.bool, wording.NOT_BOOLEAN)

"""Checks of `gradient_times_input(model, x, position)`, on models that the box makes."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Student,
    expect,
    numbers,
    points,
    probe,
)

from . import wording
from .explained import GRADIENT_TIMES_INPUT, with_dropout

domain = Domain(
    answer="gradient_times_input",
    sizes={
        **{"layers": 2, "B": 2, "L": 5, "heads": 3, "size": 4, "classes": 6},
        **{"rate": 0, "below": 0, "steep": 1},
    },
    smallest={"rate": 0, "below": 0, "classes": 2},
    largest={"rate": 0, "below": 1, "layers": 4},
    more={"where relevance is large": {"steep": 1000}},
    make=GRADIENT_TIMES_INPUT,
    inputs={"x": "B L size"},
    returns={"relevance for an inner position": "B L", "relevance for the last": "B L"},
    sets_mode="evaluation",
    clears_gradients=True,  # the question asks that none is left behind
    differentiable=False,
)
battery = Battery(domain, **{"values": 0.5, "sizes": 0.5, "extremes": 0.5, "care": 0.5})
dropped = Battery(with_dropout(domain), values=0.5)


@probe
def asked_with_gradients(answers: Any, x: Any) -> dict[str, Any]:
    torch.manual_seed(1)
    model = answers.TransformerPredictor(x.shape[-1], 8, 4, num_heads=2, num_layers=1)
    answers.gradient_times_input(model, x.requires_grad_(), 1)
    return {"kept": x.requires_grad}


@points(0.5, text="`x` stays as it came")
def check_x_stays_as_it_came(student: Student, expected: Expected) -> None:
    """`x` requires gradients afterwards, where it did so before."""
    reply = student.run(asked_with_gradients, x=numbers(51, 2, 3, 4))
    expect(reply["kept"] is True, wording.X_CHANGED)

"""Checks of `create_look_ahead_mask(size)`."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    CheckFailure,
    Domain,
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
    if isinstance(mask, torch.Tensor) and mask.dtype != torch.bool:
        return mask != 0
    return mask


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
battery = Battery(domain, values=0.75, sizes=0.25, care=0.25)


@probe
def made(answers: Any, size: int) -> dict[str, Any]:
    return {"mask": answers.create_look_ahead_mask(size)}


@probe
def counted(answers: Any, size: int, more: int) -> dict[str, Any]:
    # How many keys each row sees, and how many rows see each key, which only one table has. Where
    # an answer goes place by place, `more` positions would take it long: it is asked for `size`.
    from torch.overrides import TorchFunctionMode

    class Calls(TorchFunctionMode):
        count = 0

        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), named: Any = None
        ) -> Any:
            self.count += 1
            return func(*args, **(named or {}))

    with Calls() as calls:
        mask = answers.create_look_ahead_mask(size)
    if calls.count < 10 * size:
        mask = answers.create_look_ahead_mask(more)
    there = mask.flatten(0, 1)[0] != 0
    return {"rows": there.sum(dim=1), "columns": there.sum(dim=0)}


@points(0.5, text="It returns a **boolean** tensor of the shape (1, 1, size, size)")
def check_is_boolean(student: Student) -> None:
    """The mask holds truth values."""
    for size in (1, 4):
        mask = student.run(made, size=size).tensor("mask")
        expect(mask.dtype == torch.bool, wording.NOT_BOOLEAN)


@points(0.25, text="also longer than in an example")
def check_the_past_of_thousands(student: Student) -> None:
    """With thousands of positions each one sees itself and all before it."""
    reply = student.run(counted, size=400, more=2100)
    rows, columns = reply.tensor("rows"), reply.tensor("columns")
    wanted = torch.arange(1, len(rows) + 1) if rows.dim() == 1 else rows[:0]
    right = torch.equal(rows, wanted) and torch.equal(columns, wanted.flip(0))
    if not right or len(rows) not in (400, 2100):
        few = student.run(made, size=5).tensor("mask")
        past = torch.ones(1, 1, 5, 5).tril() != 0
        of_few = few.shape == past.shape and torch.equal(few != 0, past)
        raise CheckFailure(wording.LONG_PAST if of_few else wording.OTHER_PAST)

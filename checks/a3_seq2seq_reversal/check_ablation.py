"""Checks of `take_out(model, part)`, on models of the student's `Transformer`."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Probe,
    Student,
    expect,
    expect_floats,
    points,
    same,
    sizes_of,
)

from . import wording
from .ablating import ablated, left, put_back
from .check_prediction import PARTS
from .whole_models import IDS, TRANSFORMER

MODEL: dict[str, Any] = {
    "kind": "Transformer",
    "sizes": sizes_of(9, 8, 2, 5, 2),
    "src": torch.tensor([[5, 3, 4, 6], [8, 7, 0, 0]]),
    "tgt": torch.tensor([[1, 5, 6], [1, 7, 8]]),
}
LEFT = {
    "mode": wording.MODE_SET,
    "hooks": wording.OTHER_HOOKS,
    "inputs": wording.GIVEN_CHANGED,
    "kind": wording.OTHER_KIND,
    "weights": wording.WEIGHTS_LOST,
}
PUT_BACK = "When each has been removed, the model answers as before."


def asked(first: int, taken: int, **others: Any) -> Domain:
    """What stays without each of `taken` parts, the first of which stands at `first`."""
    own = {"first": first, "taken": taken}
    return Domain(
        answer="take_out",
        sizes={**TRANSFORMER["sizes"], **own},
        multiples=TRANSFORMER["multiples"],
        smallest={**TRANSFORMER["smallest"], **own},
        largest={"num_layers": 2, **own},
        traced=TRANSFORMER["traced"],
        inputs=IDS,
        returns={f"logits without {part}": "N L vocab_size" for part in PARTS[first:][:taken]},
        make=Probe(ablated),
        atol=1e-4,
        **others,
    )


def without(part: str) -> Battery:
    return Battery(
        asked(
            PARTS.index(part),
            1,
            part=part.replace(" ", "_"),
            about=f"for `{part}`",
            only=("example", "equal_lengths", "ones", "short"),
        ),
        **{"values": 0.5, "sizes": 0.25, "gradients": 0.5},
    )


positions = without("positions")
causal_mask = without("causal mask")
residuals = without("residuals")
battery = Battery(asked(0, len(PARTS), only=("example",)), care=0.25)


def expect_put_back(student: Student, part: str) -> None:
    reply = student.run(put_back, **MODEL, part=part)
    expect(reply["listed"] is True, wording.NO_HANDLES)
    dims = {"N": 2, "L": 3, "vocab_size": 9}
    before, during, after = (
        expect_floats(reply, name, **dims) for name in ("before", "during", "after")
    )
    expect(not same(before, during), wording.NOTHING_TAKEN_OUT)
    for name in ("in training", "later"):
        expect(same(during, expect_floats(reply, name, **dims)), wording.NOT_FOR_LONG)
    first, other = (expect_floats(reply, name, **dims) for name in ("first", "next"))
    expect(same(first, other), wording.REMEMBERS)
    expect(same(before, after), wording.NOT_PUT_BACK)
    expect(reply["stays out"] is True, wording.PUT_BACK_WITH_ANOTHER)
    expect(same(during, expect_floats(reply, "beside", **dims)), wording.OTHER_MODEL)
    expect(same(before, expect_floats(reply, "beside after", **dims)), wording.NOT_PUT_BACK)


@points(0.25, text=PUT_BACK)
def check_positions_can_be_put_back(student: Student) -> None:
    """The handles that it returns put the positions back."""
    expect_put_back(student, "positions")


@points(0.25, text=PUT_BACK)
def check_causal_mask_can_be_put_back(student: Student) -> None:
    """The handles that it returns put the causal mask back."""
    expect_put_back(student, "causal mask")


@points(0.25, text=PUT_BACK)
def check_residuals_can_be_put_back(student: Student) -> None:
    """The handles that it returns put the residuals back."""
    expect_put_back(student, "residuals")


@points(0.25, text="All else stays")
def check_all_else_stays(student: Student) -> None:
    """Mode, hooks of others, weights, dtype, and what the modules are given stay as they are."""
    for part in PARTS:
        reply = student.run(left, **MODEL, part=part)
        for fact, sentence in LEFT.items():
            expect(reply[fact] is True, sentence)

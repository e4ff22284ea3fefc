"""Checks of `take_out(model, part)`, on models of the student's `Transformer`."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Probe,
    Student,
    expect,
    expect_floats,
    points,
    probe,
    same,
    sizes_of,
)

from . import wording
from .ablating import ablated
from .check_prediction import PARTS
from .whole_models import IDS, TRANSFORMER

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
            only=("example", "equal_lengths", "ones"),
        ),
        **{"values": 0.5, "sizes": 0.25, "gradients": 0.5},
    )


positions = without("positions")
causal_mask = without("causal mask")
residuals = without("residuals")
battery = Battery(asked(0, len(PARTS), only=("example",)), care=0.5)


@probe
def put_back(answers: Any, sizes: Any, src: Any, tgt: Any, part: str) -> dict[str, Any]:
    model = answers.Transformer(*sizes.tolist())
    for one in model.parameters():  # the same in whichever order they were made
        torch.default_generator.manual_seed(one.numel())
        nn.init.normal_(one, std=0.5)
    before = model(src, tgt).detach()
    handles = answers.take_out(model, part)
    during = model(src, tgt).detach()
    listed = isinstance(handles, list) and len(handles) > 0
    for handle in handles if listed else []:
        handle.remove()
    return {"listed": listed, "before": before, "during": during, "after": model(src, tgt)}


def expect_put_back(student: Student, part: str) -> None:
    src = torch.tensor([[5, 3, 4, 6], [8, 7, 0, 0]])
    tgt = torch.tensor([[1, 5, 6], [1, 7, 8]])
    given = {"sizes": sizes_of(9, 8, 2, 5, 2), "src": src, "tgt": tgt}
    reply = student.run(put_back, **given, part=part)
    expect(reply["listed"] is True, wording.NO_HANDLES)
    dims = {"N": 2, "L": 3, "vocab_size": 9}
    before, during, after = (
        expect_floats(reply, name, **dims) for name in ("before", "during", "after")
    )
    expect(not same(before, during), wording.NOTHING_TAKEN_OUT)
    expect(same(before, after), wording.NOT_PUT_BACK)


@points(0.25, text=PUT_BACK)
def check_positions_can_be_put_back(student: Student, expected: Expected) -> None:
    """The handles that it returns put the positions back."""
    expect_put_back(student, "positions")


@points(0.25, text=PUT_BACK)
def check_causal_mask_can_be_put_back(student: Student, expected: Expected) -> None:
    """The handles that it returns put the causal mask back."""
    expect_put_back(student, "causal mask")


@points(0.25, text=PUT_BACK)
def check_residuals_can_be_put_back(student: Student, expected: Expected) -> None:
    """The handles that it returns put the residuals back."""
    expect_put_back(student, "residuals")

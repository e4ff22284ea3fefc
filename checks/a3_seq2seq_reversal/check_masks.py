"""Checks of `causal_mask` and `padding_mask`, and of how they combine."""

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
    Tokens,
    expect,
    points,
    probe,
)

from . import wording


def of_length(causal_mask: Any, places: Any) -> Any:
    return causal_mask(len(places))


causal = Battery(
    Domain(
        answer="causal_mask",
        sizes={"L": 4},
        inputs={"places": Integers("L", 0, 9)},
        returns={"causal mask": "L L"},
        call=Probe(of_length),
        differentiable=False,
        doubles=False,
        extremes=False,
        part="causal",
    ),
    **{"values": 0.75, "sizes": 0.75, "care": 0.5},
)
padding = Battery(
    Domain(
        answer="padding_mask",
        sizes={"N": 3, "L": 5},
        inputs={"ids": Tokens("N L", 12, inside=True)},
        returns={"padding mask": "N 1 1 L"},
        differentiable=False,
        doubles=False,
        part="padding",
    ),
    **{"values": 0.5, "sizes": 0.5, "extremes": 0.25, "kind": 0.25, "care": 0.5},
)


@probe
def combined(answers: Any, ids: Any) -> dict[str, Any]:
    one, other = answers.causal_mask(ids.shape[1]), answers.padding_mask(ids)
    try:
        return {"mask": one & other}
    except (RuntimeError, TypeError):
        return {"mask": None, "causal": one, "padding": other}


@probe
def with_another_id(answers: Any, ids: Any, one: int, other: int) -> dict[str, Any]:
    return {
        "mask": answers.padding_mask(ids, one),
        "named": answers.padding_mask(ids, pad_id=other),
    }


# Rows of unequal length, no padding at all, and a row of nothing else.
IDS = {
    "unequal": torch.tensor([[5, 9, 4, 7, 11], [8, 3, 0, 0, 0], [6, 6, 6, 0, 0]]),
    "batch_of_one": torch.tensor([[3, 4, 5]]),
    "nothing": torch.tensor([[7, 3], [0, 0]]),
}


@points(0.5, text="the masks combine by and")
def check_masks_combine(student: Student, expected: Expected) -> None:
    """Combined by `&` they hide what one of them hides, in the shape (N, 1, L, L)."""
    for case, ids in IDS.items():
        reply = student.run(combined, ids=ids)
        expect(isinstance(reply["mask"], torch.Tensor), wording.NO_COMBINING)
        expected.match(f"combined_{case}", reply)


@points(0.5, text="true where the token is **not** padding")
def check_any_padding_id(student: Student, expected: Expected) -> None:
    """Padding is what `pad_id` says; id 0 is a token then."""
    asked = {
        (6, 3): [[0, 9, 4, 6, 6], [8, 3, 5, 0, 6]],
        (1, 2): [[0, 9, 7, 1, 1], [8, 6, 5, 0, 1]],  # nowhere a 2, which EOS is
    }
    replies = {
        one: student.run(with_another_id, ids=torch.tensor(rows), one=one, other=other)
        for (one, other), rows in asked.items()
    }
    for one, reply in replies.items():
        expected.match(f"padding_with_{one}", reply)

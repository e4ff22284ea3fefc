"""Checks of `causal_mask` and `padding_mask`, and of how they combine."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    CheckFailure,
    Expected,
    Reply,
    Student,
    expect,
    expect_shape,
    expect_unchanged,
    points,
    probe,
)
from autograder.results import sentences

from . import wording

LENGTHS = (1, 4, 7)
# Rows of unequal length, no padding at all, and a row of nothing else.
IDS = {
    "unequal": torch.tensor([[5, 9, 4, 7, 11], [8, 3, 0, 0, 0], [6, 6, 6, 0, 0]]),
    "batch_of_one": torch.tensor([[3, 4, 5]]),
    "nothing": torch.tensor([[7, 3], [0, 0]]),
}
OTHER_PAD = torch.tensor([[0, 9, 4, 6, 6], [8, 3, 5, 0, 6]])


@probe
def causal(answers: Any, length: int) -> dict[str, Any]:
    return {"mask": answers.causal_mask(length)}


@probe
def padding(answers: Any, ids: Any, pad_id: int | None = None) -> dict[str, Any]:
    given = [] if pad_id is None else [pad_id]
    mask = answers.padding_mask(ids, *given)
    try:  # the meta device stands in for any device that is not the CPU
        device = answers.padding_mask(ids.to("meta"), *given).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        unable = isinstance(error, NotImplementedError) or "meta tensors" in str(error)
        device = "meta" if unable else "mixed"
    return {"mask": mask, "ids": ids, "device": device}


@probe
def combined(answers: Any, ids: Any) -> dict[str, Any]:
    one, other = answers.causal_mask(ids.shape[1]), answers.padding_mask(ids)
    try:
        return {"mask": one & other}
    except (RuntimeError, TypeError):
        return {"mask": None, "causal": one, "padding": other}


def _expect_boolean(mask: torch.Tensor) -> None:
    if mask.dtype != torch.bool:
        raise CheckFailure(sentences.dtype("mask", mask.dtype, torch.bool))


@points(1)
def check_causal_mask_is_a_boolean_table(student: Student, expected: Expected) -> None:
    """`causal_mask` gives a boolean table of the shape (length, length)."""
    for length in LENGTHS:
        reply = student.run(causal, length=length)
        _expect_boolean(expect_shape(reply, "mask", queries=length, keys=length))


@points(3)
def check_causal_mask_hides_the_future(student: Student, expected: Expected) -> None:
    """It is true exactly where the key is the query itself or comes before it."""
    for length in LENGTHS:
        expected.match(f"causal_{length}", student.run(causal, length=length))


@points(1)
def check_padding_mask_has_axes_for_heads_and_queries(student: Student, expected: Expected) -> None:
    """`padding_mask` gives a boolean tensor of the shape (N, 1, 1, L)."""
    for ids in IDS.values():
        reply = student.run(padding, ids=ids)
        _expect_boolean(expect_shape(reply, "mask", N=len(ids), heads=1, queries=1, L=ids.shape[1]))


@points(2)
def check_padding_mask_hides_padding(student: Student, expected: Expected) -> None:
    """It is true exactly where the token is not the padding id, whichever id that is."""
    for case, ids in IDS.items():
        expected.match(f"padding_{case}", _mask(student.run(padding, ids=ids)))
    expected.match("padding_with_6", _mask(student.run(padding, ids=OTHER_PAD, pad_id=6)))


def _mask(reply: Reply) -> Reply:
    return Reply.of({"mask": reply.tensor("mask")})


@points(2)
def check_masks_combine(student: Student, expected: Expected) -> None:
    """Combined by `&` they hide what one of them hides, in the shape (N, 1, L, L)."""
    for case, ids in IDS.items():
        reply = student.run(combined, ids=ids)
        expect(isinstance(reply["mask"], torch.Tensor), wording.NO_COMBINING)
        expected.match(f"combined_{case}", reply)


@points(1)
def check_padding_mask_lives_with_the_ids(student: Student, expected: Expected) -> None:
    """The padding mask is on the device of the ids, which stay as they are."""
    for ids in IDS.values():
        reply = student.run(padding, ids=ids)
        expect(reply["device"] == "meta", sentences.other_device())
        expect_unchanged(reply, {"ids": ids})

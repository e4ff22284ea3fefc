"""Checks of `pad_sequences`, `shift_right`, and the special ids."""

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

FIRST_ID = 3
# Lists as rows of a tensor, with their lengths: unequal ones, a single one, an empty one.
LISTS = {
    "unequal": (torch.tensor([[5, 9, 4, 8], [8, 0, 0, 0], [7, 7, 3, 0]]), torch.tensor([4, 1, 3])),
    "single": (torch.tensor([[6, 3, 5]]), torch.tensor([3])),
    "empty_one": (torch.tensor([[9, 4], [0, 0]]), torch.tensor([2, 0])),
}
TARGETS = {
    "two": torch.tensor([[4, 9, 5, 2], [8, 2, 0, 0]]),
    "batch_of_one": torch.tensor([[7, 3, 11, 6, 2]]),
    "one_column": torch.tensor([[2], [6], [9]]),
}


@probe
def compared(answers: Any, first_id: int) -> dict[str, Any]:
    # Which ids they are is the student's choice: facts about them tell more than the numbers.
    pad, bos, eos = answers.PAD_ID, answers.BOS_ID, answers.EOS_ID
    return {
        "pad is 0": type(pad) is int and pad == 0,
        "whole": type(bos) is int and type(eos) is int,
        "bos is pad": bool(bos == pad),
        "eos is pad": bool(eos == pad),
        "bos is eos": bool(bos == eos),
        "free": bool(0 <= bos < first_id and 0 <= eos < first_id),
    }


@probe
def padded(answers: Any, rows: Any, lengths: Any, pad_id: int | None = None) -> dict[str, Any]:
    def lists() -> Any:
        return [row[:n].tolist() for row, n in zip(rows, lengths.tolist(), strict=True)]

    given = lists()
    found = answers.pad_sequences(given) if pad_id is None else answers.pad_sequences(given, pad_id)
    return {"batch": found, "same": given == lists()}


@probe
def shifted(answers: Any, targets: Any, bos_id: int) -> dict[str, Any]:
    found = answers.shift_right(targets, bos_id)
    try:  # the meta device stands in for any device that is not the CPU
        device = answers.shift_right(targets.to("meta"), bos_id).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        unable = isinstance(error, NotImplementedError) or "meta tensors" in str(error)
        device = "meta" if unable else "mixed"
    return {"shifted": found, "targets": targets, "device": device}


@points(1)
def check_special_ids_are_separate(student: Student, expected: Expected) -> None:
    """`PAD_ID`, `BOS_ID` and `EOS_ID` differ from each other and from the ids of real tokens."""
    reply = student.run(compared, first_id=FIRST_ID)
    expect(reply["pad is 0"] is True, wording.PAD_MOVED)
    expect(reply["whole"] is True, wording.NOT_WHOLE)
    for pair in ("bos is pad", "eos is pad", "bos is eos"):
        expect(reply[pair] is False, wording.IDS_COLLIDE)
    expect(reply["free"] is True, wording.ID_OF_A_TOKEN)


@points(1)
def check_batch_is_as_long_as_the_longest(student: Student, expected: Expected) -> None:
    """`pad_sequences` gives ids of the shape (N, L) and dtype int64, with L the longest length."""
    for rows, lengths in LISTS.values():
        reply = student.run(padded, rows=rows, lengths=lengths)
        found = expect_shape(reply, "batch", N=len(rows), L=rows.shape[1])
        if found.dtype != torch.int64:
            raise CheckFailure(sentences.dtype("batch", found.dtype, torch.int64))
        expect(reply["same"] is True, wording.LISTS_CHANGED)


@points(1)
def check_short_rows_end_in_padding(student: Student, expected: Expected) -> None:
    """Short rows are filled up at their end with the padding id."""
    for case, (rows, lengths) in LISTS.items():
        for pad_id in (None, 6):
            reply = student.run(padded, rows=rows, lengths=lengths, pad_id=pad_id)
            batch = Reply.of({"batch": reply.tensor("batch")})
            expected.match(f"{case}_padded_with_{pad_id or 0}", batch)


@points(1)
def check_shifts_right(student: Student, expected: Expected) -> None:
    """`shift_right` puts bos_id in front of each row and drops its last id."""
    for case, targets in TARGETS.items():
        for bos_id in (1, 14):
            reply = student.run(shifted, targets=targets, bos_id=bos_id)
            found = Reply.of({"shifted": reply.tensor("shifted")})
            expected.match(f"{case}_after_{bos_id}", found)


@points(1)
def check_shift_keeps_shape_dtype_and_targets(student: Student, expected: Expected) -> None:
    """The shifted ids have the shape, dtype and device of the targets, which stay as they are."""
    for targets in TARGETS.values():
        reply = student.run(shifted, targets=targets, bos_id=1)
        found = expect_shape(reply, "shifted", N=targets.shape[0], L=targets.shape[1])
        if found.dtype != torch.int64:
            raise CheckFailure(sentences.dtype("shifted", found.dtype, torch.int64))
        expect(reply["device"] == "meta", sentences.other_device())
        expect_unchanged(reply, {"targets": targets})

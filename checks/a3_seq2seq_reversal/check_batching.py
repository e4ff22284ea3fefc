"""Checks of `pad_sequences`, `shift_right`, and the special ids."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    CheckFailure,
    Domain,
    Expected,
    Reply,
    Student,
    Tokens,
    expect,
    expect_shape,
    points,
    probe,
)
from autograder.results import sentences

from . import wording

FIRST_ID = 3
# Lists as rows of a tensor, with their lengths: unequal ones, a single one, an empty one, many.
LISTS = {
    "unequal": (torch.tensor([[5, 9, 4, 8], [8, 0, 0, 0], [7, 7, 3, 0]]), torch.tensor([4, 1, 3])),
    "single": (torch.tensor([[6, 3, 5]]), torch.tensor([3])),
    "empty_one": (torch.tensor([[9, 4], [0, 0]]), torch.tensor([2, 0])),
    "empty_first": (torch.tensor([[0, 0, 0], [4, 8, 5]]), torch.tensor([0, 3])),
    "zeros_inside": (torch.tensor([[4, 0, 0], [0, 5, 0]]), torch.tensor([2, 3])),
    "large_ids": (torch.tensor([[256, 70_000, 4], [33_000, 0, 0]]), torch.tensor([3, 1])),
    "alike": (torch.tensor([[4, 6, 9], [5, 0, 0], [4, 6, 9]]), torch.tensor([3, 1, 3])),
    "many": (torch.arange(3, 39).reshape(12, 3).tril_(), torch.tensor([1, 2] + 10 * [3])),
    "long": (torch.arange(3, 63)[None].repeat(2, 1), torch.tensor([17, 60])),
}


battery = Battery(
    Domain(
        answer="shift_right",
        sizes={"N": 3, "L": 4},
        inputs={"targets": Tokens("N L", 6, inside=True)},
        settings={"bos_id": (1, 14)},
        returns={"shifted": "N L"},
        differentiable=False,
        doubles=False,
        part="shift",
    ),
    **{"everywhere": 1.5, "kind": 0.5, "care": 0.5},
)


@probe
def compared(answers: Any, first_id: int) -> dict[str, Any]:
    # Which ids they are is the student's choice: facts about them tell more than the numbers.
    pad, bos, eos = answers.PAD_ID, answers.BOS_ID, answers.EOS_ID

    def whole(one: Any) -> bool:
        return isinstance(one, int) and not isinstance(one, bool)

    return {
        "pad is 0": whole(pad) and bool(pad == 0),
        "whole": whole(bos) and whole(eos),
        "different": bool(bos != pad and eos != pad and bos != eos),
        "free": bool(0 <= bos < first_id and 0 <= eos < first_id),
    }


@probe
def padded(answers: Any, rows: Any, lengths: Any, pad_id: int | None = None) -> dict[str, Any]:
    def lists() -> Any:
        return [row[:n].tolist() for row, n in zip(rows, lengths.tolist(), strict=True)]

    given = lists()
    kept = list(given)
    found = answers.pad_sequences(given) if pad_id is None else answers.pad_sequences(given, pad_id)
    same = given == lists() and all(one is other for one, other in zip(given, kept, strict=False))
    return {"batch": found, "same": same}


@points(0.5, text="`BOS_ID` and `EOS_ID`: whole numbers, from 0 on and below `FIRST_ID`")
def check_special_ids_are_separate(student: Student) -> None:
    """`PAD_ID`, `BOS_ID` and `EOS_ID` differ from each other and from the ids of real tokens."""
    reply = student.run(compared, first_id=FIRST_ID)
    expect(reply["pad is 0"] is True, wording.PAD_MOVED)
    expect(reply["whole"] is True, wording.NOT_WHOLE)
    expect(reply["different"] is True, wording.IDS_COLLIDE)
    expect(reply["free"] is True, wording.ID_OF_A_TOKEN)


@points(1, text="Short rows are filled up at their **end** with pad_id.")
def check_short_rows_end_in_padding(student: Student, expected: Expected) -> None:
    """`pad_sequences` fills short rows up at their end, to the length of the longest."""
    for case, (rows, lengths) in LISTS.items():
        reply = student.run(padded, rows=rows, lengths=lengths)
        found = reply.tensor("batch")
        _expect_as_long_as_the_longest(found, lengths)
        expected.match(f"{case}_padded_with_0", Reply.of({"batch": found}))


def _expect_as_long_as_the_longest(found: torch.Tensor, lengths: torch.Tensor) -> None:
    wanted = len(lengths), int(lengths.max())
    if found.dim() == 2 and len(found) == len(lengths) and found.shape != wanted:
        raise CheckFailure(wording.other_length(found.shape, wanted))


@points(0.5, text="returns one tensor of the shape (N, L), of dtype `int64`")
def check_any_padding_id(student: Student, expected: Expected) -> None:
    """The rows are filled up with the `pad_id` that is given, and the ids are int64."""
    for case, (rows, lengths) in LISTS.items():
        reply = student.run(padded, rows=rows, lengths=lengths, pad_id=6)
        _expect_as_long_as_the_longest(reply.tensor("batch"), lengths)
        found = expect_shape(reply, "batch", N=len(rows), L=int(lengths.max()))
        if found.dtype != torch.int64:
            raise CheckFailure(sentences.dtype("batch", found.dtype, torch.int64))
        expected.match(f"{case}_padded_with_6", Reply.of({"batch": found}))


@points(0.5, text="lists that are handed in")
def check_lists_stay_as_they_are(student: Student) -> None:
    """`pad_sequences` leaves the lists that it is given as they are."""
    for rows, lengths in LISTS.values():
        for pad_id in (None, 6):
            reply = student.run(padded, rows=rows, lengths=lengths, pad_id=pad_id)
            expect(reply["same"] is True, wording.LISTS_CHANGED)

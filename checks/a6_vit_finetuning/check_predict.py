"""Checks of `predict(logits)`: the most likely class of each row."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_shape,
    expect_unchanged,
    numbers,
    points,
    probe,
    values,
)
from autograder.results import sentences

from . import wording


@probe
def predicted(answers: Any, logits: Any) -> dict[str, Any]:
    return {"classes": answers.predict(logits), "logits": logits}


# As many rows as classes, so that a wrong axis still fits; a batch of one; all numbers negative.
CASES = {
    "square": numbers(1, 6, 6),
    "many_rows": numbers(2, 9, 4),
    "one_row": numbers(3, 1, 7),
    "negative": numbers(4, 5, 3).double() - 10,
}


@points(2)
def check_one_number_for_each_row(student: Student, expected: Expected) -> None:
    """The result has the shape (N,) and dtype int64."""
    for logits in CASES.values():
        found = expect_shape(student.run(predicted, logits=logits), "classes", N=len(logits))
        kind = sentences.dtype("classes", found.dtype, torch.int64)
        expect(found.dtype == torch.int64, kind)


@points(2)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """Each number is the class with the largest logit of its row."""
    for case, logits in CASES.items():
        reply = student.run(predicted, logits=logits)
        expected.match(case, Reply.of({"classes": reply.tensor("classes")}))


@values
@points(1)
def check_a_shift_changes_nothing(student: Student, expected: Expected) -> None:
    """A number added to all logits of a row changes no answer, and the logits stay as they are."""
    logits = CASES["many_rows"]
    shifted = logits + torch.arange(9.0).unsqueeze(1)
    reply, second = student.run(predicted, logits=logits), student.run(predicted, logits=shifted)
    expect_unchanged(reply, {"logits": logits})
    expect_shape(reply, "classes", N=9)
    same = torch.equal(reply.tensor("classes"), second.tensor("classes"))
    expect(same and len(set(second.tensor("classes").tolist())) > 1, wording.SAME_FOR_ALL_ROWS)

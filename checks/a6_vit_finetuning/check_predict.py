"""Checks of `predict(logits)`: the most likely class of each row."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Reply,
    Student,
    expect,
    expect_shape,
    numbers,
    points,
    probe,
)
from autograder.results import sentences

domain = Domain(
    answer="predict",
    sizes={"N": 2, "C": 3},
    inputs={"logits": "N C"},
    returns={"classes": "N"},
    more={
        "for two classes": {"C": 2},
        "for many images": {"N": 50, "C": 4},
        "for many classes": {"N": 2, "C": 5000},
    },
    extremes=False,  # of equal logits any may be taken for the largest
    differentiable=False,
)
battery = Battery(domain, values=0.5, sizes=0.75, kind=0.25, care=0.5)


@probe
def predicted(answers: Any, logits: Any) -> dict[str, Any]:
    return {"classes": answers.predict(logits)}


ANY = {
    "negative": numbers(4, 5, 3) - 10,
    "large": 1e6 * numbers(5, 6, 6),
    "small": 1e-4 * numbers(6, 3, 4),
    "shifted": numbers(7, 9, 4) + 3 * torch.arange(9.0).unsqueeze(1),
}


@points(0.75, text="Inputs may be zero, large, or all alike")
def check_any_number(student: Student, expected: Expected) -> None:
    """Logits may be negative, large, small or equal, and one row may have larger ones."""
    for case, logits in ANY.items():
        reply = student.run(predicted, logits=logits)
        expected.match(case, Reply.of({"classes": reply.tensor("classes")}))
    expect_shape(student.run(predicted, logits=torch.zeros(3, 4)), "classes", N=3)


@points(0.25, text="a tensor of shape (N,) and dtype int64")
def check_whole_numbers(student: Student) -> None:
    """The classes are of dtype int64."""
    found = student.run(predicted, logits=ANY["negative"]).tensor("classes").dtype
    expect(found == torch.int64, sentences.dtype("classes", found, torch.int64))

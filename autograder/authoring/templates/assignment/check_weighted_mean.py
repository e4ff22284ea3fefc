"""Checks of `weighted_mean(scores, values)`."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Student,
    expect_close,
    expect_shape,
    numbers,
    points,
    probe,
)


@probe
def run(answers: Any, scores: torch.Tensor, values: torch.Tensor) -> dict[str, Any]:
    return {"mean": answers.weighted_mean(scores, values)}


@points(2)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """Of values (N, n, d) the mean has the shape (N, d)."""
    reply = student.run(run, scores=numbers(1, 2, 5), values=numbers(2, 2, 5, 3))
    expect_shape(reply, "mean", N=2, d=3)


@points(5)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The mean has the right values."""
    for case, shape in {"one": (4,), "batch": (3, 5), "many": (2, 3, 4)}.items():
        scores, values = numbers(3, *shape), numbers(4, *shape, 4)
        expected.match(case, student.run(run, scores=scores, values=values))


@points(3)
def check_equal_scores_give_the_plain_mean(student: Student, expected: Expected) -> None:
    """When all scores are equal, every vector counts alike."""
    values = numbers(5, 2, 6, 3)
    reply = student.run(run, scores=torch.full((2, 6), 0.5), values=values)
    expect_close(reply, "mean", values.mean(dim=-2))

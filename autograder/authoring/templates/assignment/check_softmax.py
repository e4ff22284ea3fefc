"""Checks of `softmax(scores)`."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import Expected, Student, expect_shape, numbers, points, probe

LARGE = torch.tensor([[1000.0, 1001.0], [-1000.0, -999.0]])


@probe
def run(answers: Any, scores: torch.Tensor) -> dict[str, Any]:
    return {"weights": answers.softmax(scores)}


@points(2)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The weights have the shape of the scores."""
    expect_shape(student.run(run, scores=numbers(1, 2, 3, 5)), "weights", N=2, L=3, n=5)


@points(5)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The weights have the right values."""
    cases = {"one row": numbers(2, 4), "square": numbers(3, 3, 3), "batch": numbers(4, 2, 3, 5)}
    for case, scores in cases.items():
        expected.match(case, student.run(run, scores=scores))


@points(3)
def check_large_scores_have_weights(student: Student, expected: Expected) -> None:
    """Scores as large as 1000, of either sign, have weights, too."""
    expected.match("large", student.run(run, scores=LARGE))

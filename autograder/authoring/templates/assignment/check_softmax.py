"""Checks of `softmax(scores)`: its battery, and scores as large as the text says."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import Battery, Domain, Expected, Student, points, probe

LARGE = torch.tensor([[1000.0, 1001.0], [-1000.0, -999.0]])

domain = Domain(
    answer="softmax",
    sizes={"N": 2, "L": 3, "n": 5},
    inputs={"scores": "N L n"},
    returns={"weights": "N L n"},
    forbidden=("softmax", "log_softmax", "logsumexp"),
)
battery = Battery(domain, values=2, sizes=1, extremes=0.5, gradients=3, kind=1, way=0.5, care=1)


@probe
def run(answers: Any, scores: torch.Tensor) -> dict[str, Any]:
    return {"weights": answers.softmax(scores)}


@points(1, text="Scores may be as large as 1000")
def check_large_scores_have_weights(student: Student, expected: Expected) -> None:
    """Scores as large as 1000, of either sign, have weights, too."""
    expected.match("of_1000", student.run(run, scores=LARGE))

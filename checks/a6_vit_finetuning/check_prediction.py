"""The check of `PREDICTION`: committed before the figure, and never judged by it."""

from __future__ import annotations

from typing import Any

from autograder.checking import Student, expect, points, probe, values

from . import wording

CHOICES = {"about as many", "about half as many", "hardly any"}


@probe
def committed(answers: Any) -> dict[str, Any]:
    said, kind = answers.PREDICTION, type(answers.PREDICTION).__name__
    return {"prediction": said if isinstance(said, str) else "", "kind": kind}


@values
@points(1, text="**Any** of the three earns the point, whatever the figure shows afterwards.")
def check_is_one_of_the_three(student: Student) -> None:
    """The prediction is one of the three choices."""
    said = student.run(committed)["prediction"]
    expect(isinstance(said, str) and said in CHOICES, wording.NO_PREDICTION)

"""The check of `PREDICTION`: committed before the table, and never judged by it."""

from __future__ import annotations

from typing import Any

from autograder.checking import Student, expect, points, probe, values

from . import wording


@probe
def committed(answers: Any) -> dict[str, Any]:
    prediction, choices = answers.PREDICTION, [*answers.EXPLANATIONS]
    chosen = isinstance(prediction, str) and prediction in choices
    return {"chosen": chosen, "kind": type(prediction).__name__}


@values
@points(1, text="**Any** of the five names earns the point, whatever the table says afterwards.")
def check_is_one_of_the_five(student: Student) -> None:
    """The prediction is the name of one of the five explanations."""
    expect(student.run(committed)["chosen"] is True, wording.NO_PREDICTION)

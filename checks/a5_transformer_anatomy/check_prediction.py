"""The check of `PREDICTION`: that one was made, never whether it came true."""

from __future__ import annotations

from typing import Any

from autograder.checking import Student, expect, points, probe, values

from . import wording

CHOICES = {"none", "one", "two or three", "about half", "nearly all"}


@probe
def committed(answers: Any) -> dict[str, Any]:
    said = answers.PREDICTION
    return {"said": said if isinstance(said, str) else "", "kind": type(said).__name__}


@values
@points(1, text="**Any** of the five earns the point, whatever comes out.")
def check_is_one_of_the_five(student: Student) -> None:
    """The prediction is one of the five choices."""
    said = student.run(committed)["said"]
    expect(isinstance(said, str) and said in CHOICES, wording.NO_PREDICTION)

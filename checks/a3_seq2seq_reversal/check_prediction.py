"""Checks of `PREDICTION`: that one was made. Which one is the student's own affair."""

from __future__ import annotations

from typing import Any

from autograder.checking import Student, expect, points, probe, values

from . import wording

PARTS = ("positions", "causal mask", "residuals")
CHOICES = {"as before", "stuck", "cheats"}


@probe
def predicted(answers: Any) -> dict[str, Any]:
    said = answers.PREDICTION
    whole = isinstance(said, dict) and all(isinstance(one, str) for one in said.values())
    return {"said": whole, **({str(part): one for part, one in said.items()} if whole else {})}


@values
@points(1, text="its keys are the names of the three parts, its values are one of `CHOICES` each")
def check_is_committed(student: Student) -> None:
    """There is a prediction for each of the three parts, and it is one of the three choices."""
    reply = student.run(predicted)
    expect(reply["said"] is True, wording.NO_PREDICTION)
    expect(set(reply) == {"said", *PARTS}, wording.OTHER_PARTS)
    expect(all(reply[part] in CHOICES for part in PARTS), wording.OTHER_CHOICES)

"""Mutants that are no wrong answers, as the author of an assignment lists them.

One that does what the solution does stands with the reason in `checks/<id>/equivalents.toml`:

    [[equivalent]]
    question = "attention"
    was = "scores = q @ k.transpose(-2, -1)"
    becomes = "scores = q @ k.transpose(-1, -2)"
    reason = "transposing the last two axes is symmetric"

One that names a `kind` instead of a change stands for all mutants of that kind.
"""

from __future__ import annotations

import tomllib
from typing import Any

from autograder.course.assignments import Assignment
from autograder.errors import UsageError
from autograder.grading.mutations.kinds import KINDS

OF_A_CHANGE = {"question", "was", "becomes", "reason"}
OF_A_KIND = {"question", "kind", "reason"}


def equivalents(assignment: Assignment, slug: str) -> dict[tuple[str, str] | str, str]:
    """Reasons by change or by kind, of the mutants of a question that are no wrong answers.

    Raises:
        UsageError: the file cannot be read, or has an entry that stands for nothing.
    """
    return {
        one.get("kind") or (one["was"], one["becomes"]): one["reason"]
        for one in _listed(assignment)
        if one["question"] == slug
    }


def _listed(assignment: Assignment) -> list[dict[str, Any]]:
    path = assignment.checks / "equivalents.toml"
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError as error:
        raise UsageError(f"{path} is no TOML that can be read: {error}") from error
    listed: list[dict[str, Any]] = found.pop("equivalent", [])
    if found or not (isinstance(listed, list) and all(isinstance(one, dict) for one in listed)):
        raise UsageError(f"{path} holds something else than entries called [[equivalent]]")
    slugs = [question.slug for question in assignment.questions]
    for number, one in enumerate(listed, 1):
        if {*one} not in (OF_A_CHANGE, OF_A_KIND):
            raise UsageError(
                f"entry {number} of {path} has {', '.join(one)}: give `question`, `reason`, and "
                "either `kind` or `was` and `becomes`"
            )
        for name, known in (("question", slugs), ("kind", [*KINDS])):
            if name in one and one[name] not in known:
                raise UsageError(
                    f"entry {number} of {path} names the {name} {one[name]!r}: there are "
                    f"{', '.join(known)}"
                )
    return listed

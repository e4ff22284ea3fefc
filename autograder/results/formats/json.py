"""Results for programs."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.results.formats.commands import json_without_commands
from autograder.results.model import SubmissionResult


def as_json(results: Sequence[SubmissionResult]) -> str:
    """One object for one result, a list for several."""
    objects = [result.as_dict() for result in results]
    return json_without_commands(objects[0] if len(objects) == 1 else objects)

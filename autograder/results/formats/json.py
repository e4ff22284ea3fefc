"""Results for programs."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.results.formats.commands import json_without_commands
from autograder.results.model import SubmissionResult


def as_json(results: Sequence[SubmissionResult]) -> str:
    """One object for one result, a list for several."""
    return (
        json_without_commands(results[0].as_dict()) if len(results) == 1 else as_json_list(results)
    )


def as_json_list(results: Sequence[SubmissionResult]) -> str:
    """A list, also of one."""
    return json_without_commands([result.as_dict() for result in results])

"""Results for people at a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.formats.commands import without_commands
from autograder.report import submission_text
from autograder.results import SubmissionResult


def as_text(results: Sequence[SubmissionResult]) -> str:
    """The verdicts one below the other."""
    return without_commands("\n\n".join(submission_text(result) for result in results))

"""Results for people at a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.results.formats.commands import without_commands
from autograder.results.model import SubmissionResult
from autograder.results.text import submission_text


def as_text(results: Sequence[SubmissionResult]) -> str:
    """The verdicts one below the other."""
    return without_commands("\n\n".join(submission_text(result) for result in results))

"""What became of a class, counted while it is graded."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from tqdm import tqdm

from autograder.errors import AutograderError, UsageError


@dataclass
class Tally:
    """What became of the class.

    Attributes:
        recorded: students whose verdict was recorded by this run.
        unchanged: students whose recorded verdict still holds.
        refused: why a submission could not be read, by student.
        ungraded: the grader's faults, by student.
    """

    recorded: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    ungraded: dict[str, str] = field(default_factory=dict)

    def note(self, student: str, error: AutograderError) -> None:
        """Counts a failure as the student's or the grader's."""
        failures = self.refused if isinstance(error, UsageError) else self.ungraded
        failures[student] = str(error)

    @property
    def failures(self) -> dict[str, str]:
        """All that was not recorded, and why."""
        return {**self.refused, **self.ungraded}


class Progress:
    """A bar with rate, time left and failures so far, on standard error; it counts into a tally."""

    def __init__(self, tally: Tally, total: int) -> None:
        self._tally = tally
        self._bar = tqdm(total=total, desc="grading", unit="", file=sys.stderr, disable=None)

    def close(self) -> None:
        """Ends the bar."""
        self._bar.close()

    def recorded(self, student: str) -> None:
        """One more is in the gradebook."""
        self._tally.recorded.append(student)
        self._bar.update()

    def failed(self, student: str, error: AutograderError) -> None:
        """One more will not get there in this run."""
        self._tally.note(student, error)
        self._bar.set_postfix(failures=len(self._tally.failures), refresh=False)
        self._bar.update()

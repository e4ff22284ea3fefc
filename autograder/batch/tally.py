"""What became of a class, counted while it is graded."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tqdm import tqdm

from autograder.errors import AutograderError, UnreadableSubmission


@dataclass
class Tally:
    """What became of the class.

    Attributes:
        recorded: students whose verdict was recorded by this run.
        unchanged: students whose recorded verdict still holds.
        refused: why a submission could not be read, by student.
        ungraded: the grader's faults, by student.
        beside: what was not looked at of a submission that this run recorded, by student.
        misplaced: work in places where nothing is looked at, and where it belongs.
    """

    recorded: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    ungraded: dict[str, str] = field(default_factory=dict)
    beside: dict[str, str] = field(default_factory=dict)
    misplaced: dict[str, str] = field(default_factory=dict)

    def note(self, student: str, error: AutograderError) -> None:
        """Counts a failure as the student's or the grader's."""
        failures = self.refused if isinstance(error, UnreadableSubmission) else self.ungraded
        failures[student] = str(error)

    @property
    def graded(self) -> list[str]:
        """Students whose verdict is recorded, by this run or by an earlier one."""
        return [*self.recorded, *self.unchanged]

    @property
    def failures(self) -> dict[str, str]:
        """All that was not recorded, and why."""
        return {**self.refused, **self.ungraded}


LINE_SECONDS = 10.0  # between two lines of progress in a log


class Progress:
    """Rate, time left and failures so far, on standard error; counts into a tally.

    A terminal shows a bar; a file gets a line now and then.
    """

    def __init__(self, tally: Tally, total: int) -> None:
        self._tally, self._total, self._done = tally, total, 0
        self._bar = tqdm(total=total, desc="grading", unit="", file=sys.stderr, disable=None)
        self._said = time.monotonic()

    def close(self) -> None:
        """Ends the bar."""
        self._bar.close()

    def recorded(self, student: str, beside: Sequence[str] = ()) -> None:
        """One more is in the gradebook; `beside`: other notebooks that lie in its folder."""
        self._tally.recorded.append(student)
        if beside:
            self._tally.beside[student] = (
                f"only one notebook was graded, and these lie beside it: {', '.join(beside)}"
            )
        self._advance()

    def failed(self, student: str, error: AutograderError) -> None:
        """One more will not get there in this run."""
        self._tally.note(student, error)
        self._bar.set_postfix(failures=len(self._tally.failures), refresh=False)
        self._advance()

    def _advance(self) -> None:
        self._bar.update()
        self._done += 1
        now = time.monotonic()
        if self._bar.disable and now - self._said >= LINE_SECONDS:
            self._said = now
            failures = len(self._tally.failures)
            said = f"grading: {self._done} of {self._total}, {failures} failures"
            print(said, file=sys.stderr, flush=True)

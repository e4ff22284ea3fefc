"""Looking for the place of a mistake in the student's own code.

Theory of operation. One small change after another is made to the cell of a wrong answer, and the
changed cell runs in a box in which the cells before it have run. The failed checks judge it, the
fastest first, up to the first that fails. A change that passes them all is judged once more as a
submission would be, in a fresh box. If every change that passes stands in one line, feedback names
that line. The score is what it was before: nothing here can change it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from autograder.checking.assertions import Student
from autograder.grading.mutations import Mutant, Mutations
from autograder.grading.mutations.repairs import REPAIRS, SAID
from autograder.results import sentences
from autograder.results.model import CheckResult, Diagnosis, QuestionResult

SOURCE_CHARS = 6000
"""A longer cell is not searched: making the changes would take longer than trying them."""


def is_sought(verdict: QuestionResult) -> bool:
    """Whether a failed check of a question has no diagnosis, and its code ran to the end."""
    return (
        verdict.status in ("wrong", "error")
        and not verdict.follow_through
        and any(_is_unknown(check) for check in verdict.checks)
    )


def _is_unknown(check: CheckResult) -> bool:
    """Whether it failed by itself, for a reason that nothing tells."""
    withheld = check.message == sentences.not_counted()
    return not check.passed and check.diagnosis is None and not withheld


def placed(verdict: QuestionResult, diagnosis: Diagnosis | None) -> QuestionResult:
    """The verdict with a diagnosis for the failed checks that have none."""
    if diagnosis is None:
        return verdict
    checks = [
        replace(check, diagnosis=diagnosis) if _is_unknown(check) else check
        for check in verdict.checks
    ]
    return replace(verdict, checks=checks)


def place(
    source: str,
    holds: Callable[[str], bool],
    is_right: Callable[[str], bool],
    until: float,
) -> Diagnosis | None:
    """The line of `source` in which one change makes it right, if there is one such line.

    Args:
        holds: whether the failed checks pass for a changed source.
        is_right: whether a whole judgement of it finds nothing wrong.
        until: when the search ends, a reading of `time.monotonic()` in seconds.
    """
    kinds: set[str] = set()
    lines: set[int] = set()
    for mutant in _repairs(source):
        if time.monotonic() >= until:
            break
        if holds(mutant.source) and (mutant.line in lines or is_right(mutant.source)):
            lines.add(mutant.line)
            kinds.add(mutant.kind)
        if len(lines) > 1:
            return None
    if not lines:
        return None
    (line,) = lines
    kind = kinds.pop() if len(kinds) == 1 else ""
    return Diagnosis("place", kind or "line", sentences.place(line, SAID.get(kind, "")))


def _repairs(source: str) -> Iterator[Mutant]:
    """Every small change, kind after kind; none of what is too long or no code."""
    if len(source) > SOURCE_CHARS:
        return
    try:
        yield from Mutations(source, kinds=REPAIRS).by_kind()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return


class Trials:
    """Judges changed cells by the failed checks, in one box after another.

    Args:
        answer: runs another source in the place of the question's cell, and gives who is asked.
        passes: whether one check of the question passes.
        failed: the checks to ask.
    """

    def __init__(
        self,
        answer: Callable[[str], Student],
        passes: Callable[[str, Student], bool],
        failed: Sequence[CheckResult],
    ) -> None:
        self._answer = answer
        self._passes = passes
        self._seconds = {check.name: 0.0 for check in failed}

    def holds(self, source: str) -> bool:
        """Whether all pass; the fastest is asked first, and the first that fails ends it."""
        student = self._answer(source)
        fastest = sorted(self._seconds, key=self._seconds.__getitem__)
        return all(self._timed(name, student) for name in fastest)

    def _timed(self, name: str, student: Student) -> bool:
        began = time.monotonic()
        try:
            return self._passes(name, student)
        finally:
            self._seconds[name] = time.monotonic() - began

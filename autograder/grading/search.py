"""Looking for the place of a mistake in the student's own code.

Theory of operation. One small change after another is made to the cell of a wrong answer, and the
changed cell runs in a box in which the cells before it have run. The failed checks judge it, the
fastest first, up to the first that fails. A change that passes them all is judged once more as a
submission would be, in a fresh box. If every change that passes stands in one line, feedback names
that line. Two mistakes are met in the middle: what the first failed check heard of a changed cell
is looked up among the replies of known mistakes, so that a change tells also where it leaves one
of these. Such a change may be that mistake itself, and hide the student's own: it counts where it
mends a check, or where a second change, to the changed cell, makes everything right. The score is
what it was before: nothing here can change it.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from autograder.checking.asking import Student
from autograder.grading.evidence import failed_by_itself
from autograder.grading.mutations import Mutant, Mutations
from autograder.grading.mutations.repairs import DESTROYS, REPAIRS, SAID
from autograder.results import sentences
from autograder.results.model import CheckResult, Diagnosis, QuestionResult

LEADING_LINES = re.compile(r"\A(?:[ \t]*\n)+")
SOURCE_CHARS = 6000
"""A longer cell is not searched: making the changes would take longer than trying them."""
NODES = 2000
"""Nor is one whose syntax tree has more; the longest answer in this course has 413."""


def is_sought(verdict: QuestionResult) -> bool:
    """Whether a failed check of a question has no diagnosis, and its code ran to the end."""
    return (
        verdict.status in ("wrong", "error")
        and not verdict.follow_through
        and any(_is_unknown(check) for check in verdict.checks)
    )


def _is_unknown(check: CheckResult) -> bool:
    """Whether it failed by itself, for a reason that nothing tells, or that is told in part."""
    return bool(failed_by_itself([check])) and _whole(check) is None


def _whole(check: CheckResult) -> Diagnosis | None:
    """What is known of all that is wrong in a check, and not of its cases alone."""
    known = check.diagnosis
    return known if known and known.source not in ("part", "case") else None


def placed(verdict: QuestionResult, diagnosis: Diagnosis | None) -> QuestionResult:
    """The verdict with a diagnosis for the failed checks that have none, or one of a part."""
    if diagnosis is None:
        return verdict
    checks = [
        replace(check, diagnosis=diagnosis) if _is_unknown(check) else check
        for check in verdict.checks
    ]
    return replace(verdict, checks=checks)


@dataclass(frozen=True)
class Outcome:
    """What a change leads to.

    Attributes:
        right: whether every check passes.
        left: what is known of all that is wrong still.
        kinds: those of the small changes to a right answer that lead to the same.
        mends: whether a check passes then that failed before.
    """

    right: bool = False
    left: Diagnosis | None = None
    kinds: Collection[str] = field(default=(), compare=False)
    mends: bool = field(default=False, compare=False)

    def __bool__(self) -> bool:
        return self.right or self.left is not None


def outcome(checks: Sequence[CheckResult]) -> Outcome:
    """What the checks of a question say: all right, one thing wrong that is known, or nothing."""
    failed = failed_by_itself(checks)
    if not failed:
        return Outcome(right=all(check.passed for check in checks))
    known = {_whole(check) if check.status == "wrong" else None for check in failed}
    return Outcome(left=known.pop() if len(known) == 1 else None)


@dataclass(frozen=True)
class Step:
    """A change that leads somewhere: the line it is made in, its kind, and where it leads.

    Attributes:
        source: of the changed cell.
    """

    line: int
    kind: str
    outcome: Outcome
    source: str


def place(
    source: str,
    tried: Callable[[str], Outcome],
    judged: Callable[[str], Outcome],
    until: float,
) -> Diagnosis | None:
    """The line of `source` in which one change makes it right, if there is one such line.

    Lines are counted as tracebacks of Jupyter do, which leave out empty ones at the start.

    Where there is none, the line in which one change leaves a single mistake that is known, and
    that mistake; or the two lines of two such changes, each of which leaves the other's mistake.

    Args:
        tried: what a changed source leads to in the eyes of the failed checks.
        judged: what it leads to when it is judged as a whole.
        until: when the search ends, a reading of `time.monotonic()` in seconds.
    """
    steps: list[Step] = []
    for mutant in _repairs(LEADING_LINES.sub("", source), until):
        step = Step(mutant.line, mutant.kind, tried(mutant.source), mutant.source)
        if DESTROYS.get(step.kind) in step.outcome.kinds:
            continue
        if step.outcome and (_is_like(step, steps) or judged(mutant.source) == step.outcome):
            steps.append(step)
        if len({one.line for one in steps if one.outcome.right}) > 1:
            return None
    if diagnosis := _placed_by([one for one in steps if one.outcome.right]):
        return diagnosis

    def is_right(changed: str) -> bool:
        return tried(changed).right and judged(changed).right

    return _left_by([one for one in steps if _goes_on(one, is_right, until)])


def _goes_on(step: Step, is_right: Callable[[str], bool], until: float) -> bool:
    """Whether a step mends something, or another one from there mends all."""
    if step.outcome.mends:
        return True
    return any(is_right(mutant.source) for mutant in _repairs(step.source, until))


def _is_like(step: Step, others: Sequence[Step]) -> bool:
    """Whether a change in the same line has led to the same."""
    return any((one.line, one.outcome) == (step.line, step.outcome) for one in others)


def _placed_by(steps: Sequence[Step]) -> Diagnosis | None:
    """Changes in one line that make everything right."""
    if not steps:
        return None
    kind = _one_kind(steps)
    return Diagnosis("place", kind or "line", sentences.place(steps[0].line, SAID.get(kind, "")))


def _left_by(steps: Sequence[Step]) -> Diagnosis | None:
    """Changes in one line that leave one known mistake, or two that leave each other's."""
    left = dict.fromkeys((one.line, one.outcome.left) for one in steps if one.outcome.left)
    if len(left) == 1:
        ((line, other),) = left
        clause = SAID.get(_one_kind(steps), "")
        said = sentences.place_and_more(line, clause, other.sentence if other else "")
        return Diagnosis("place", "two", said)
    if len(left) == 2:
        (line, one), (second, other) = sorted(left, key=lambda found: found[0])
        if one and other and one != other:
            said = sentences.two_places(line, one.sentence, second, other.sentence)
            return Diagnosis("place", "two", said)
    return None


def _one_kind(steps: Sequence[Step]) -> str:
    """The kind of all changes; empty where they are of several."""
    kinds = {one.kind for one in steps}
    return kinds.pop() if len(kinds) == 1 else ""


def _repairs(source: str, until: float) -> Iterator[Mutant]:
    """Every small change, kind after kind, in time; none of what is too long or no code."""

    def is_over() -> bool:
        return time.monotonic() >= until

    if len(source) > SOURCE_CHARS or is_over():
        return
    try:
        if sum(1 for _ in ast.walk(ast.parse(source))) <= NODES:
            yield from Mutations(source, kinds=REPAIRS).by_kind(is_over)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return


class Trials:
    """Judges changed cells by the failed checks, in one box after another.

    Args:
        answer: runs another source in the place of the question's cell, and gives who is asked.
        ask: what one check of the question says.
        left: what a source leads to, given the checks that were asked: the last of them has
            failed, and the others have passed.
        failed: the checks to ask.
    """

    def __init__(
        self,
        answer: Callable[[str], Student],
        ask: Callable[[str, Student], CheckResult],
        left: Callable[[Sequence[str]], Outcome],
        failed: Sequence[CheckResult],
    ) -> None:
        self._answer = answer
        self._ask = ask
        self._left = left
        self._seconds = {check.name: 0.0 for check in failed}

    def tried(self, source: str) -> Outcome:
        """What a source leads to; the fastest check is asked first, and one that fails ends it."""
        student = self._answer(source)
        asked: list[str] = []
        for name in sorted(self._seconds, key=self._seconds.__getitem__):
            asked.append(name)
            said = self._timed(name, student)
            if not said.passed:
                return self._left(asked) if said.status == "wrong" else Outcome()
        return Outcome(right=True)

    def _timed(self, name: str, student: Student) -> CheckResult:
        began = time.monotonic()
        try:
            return self._ask(name, student)
        finally:
            self._seconds[name] = time.monotonic() - began

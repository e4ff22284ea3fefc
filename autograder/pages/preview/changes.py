"""What recording anew would change: pure functions on what is recorded and what would be.

The *automatic* score is the sum of what verdicts gave. The *total* is what counts: a person's score
in place of a verdict's where there is one, and less what being late costs.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from autograder.course.cells import CHECK_PREFIX
from autograder.course.gradebook import Entry, Grade, are_same_points, is_to_be_looked_at_again
from autograder.results.model import CheckResult, QuestionResult, SubmissionResult


@dataclass(frozen=True)
class Recorded:
    """What is, or would be, recorded of one student: an entry, and the verdict it rests on."""

    entry: Entry
    result: SubmissionResult | None

    @property
    def automatic(self) -> float:
        return sum(grade.auto_score or 0.0 for grade in self.entry.grades)

    @property
    def share(self) -> float:
        """The part of the points that the total is."""
        most = self.entry.max_score
        return self.entry.total / most if most else 1.0

    def question(self, grade: Grade) -> QuestionResult | None:
        """The verdict that a grade rests on, if it is known."""
        found = self.result.questions if self.result else []
        return next((one for one in found if self.entry.grade(one.slug) == grade), None)


@dataclass(frozen=True)
class CheckChange:
    """A check of one answer before and after; None where there was none, or is none any more."""

    title: str
    before: CheckResult | None
    after: CheckResult | None

    @property
    def said(self) -> str:
        """What became of it, in a few words."""
        if self.before is None:
            return "new, passed" if self.after and self.after.passed else "new, failed"
        if self.after is None:
            return "gone"
        if self.before.passed != self.after.passed:
            return "now passed" if self.after.passed else "now failed"
        return f"{self.before.points:g} to {self.after.points:g} points"


@dataclass(frozen=True)
class QuestionChange:
    """A graded cell of one submission whose automatic score would be another one.

    Attributes:
        by_hand: the score that a person has given, which stays.
        checks: those that make the difference, as far as it is known.
    """

    slug: str
    before: float | None
    after: float | None
    by_hand: float | None
    checks: list[CheckChange]

    @property
    def change(self) -> float:
        return (self.after or 0.0) - (self.before or 0.0)


@dataclass(frozen=True)
class Doubt:
    """A person's score that would be flagged, because of another automatic score or other work.

    Attributes:
        score: what the person has given, which stays.
        before, after: the automatic scores.
    """

    slug: str
    score: float
    before: float | None
    after: float | None

    @property
    def is_about_work(self) -> bool:
        return are_same_points(self.before, self.after)


@dataclass(frozen=True)
class Row:
    """One student before and after.

    Attributes:
        before: None for a submission that has not been recorded yet.
        doubtful: the scores by hand that would be flagged, to be looked at again.
        reason: why it would not be recorded; empty where it would, or where nothing has changed.
    """

    student: str
    before: Recorded | None
    after: Recorded | None
    questions: list[QuestionChange]
    doubtful: list[Doubt]
    reason: str = ""

    @property
    def is_new(self) -> bool:
        return self.before is None and self.after is not None and not self.reason

    @property
    def change(self) -> float:
        """Points of the total that would be gained, or lost where it is below 0."""
        if self.before is None or self.after is None:
            return 0.0
        change = self.after.entry.total - self.before.entry.total
        return 0.0 if are_same_points(change, 0.0) else change

    @property
    def has_changed(self) -> bool:
        return bool(self.is_new or self.change or self.questions or self.doubtful)


@dataclass(frozen=True)
class CheckEffect:
    """How many answers a check would judge otherwise, by what is said of the change."""

    title: str
    said: list[tuple[str, int]]


@dataclass(frozen=True)
class QuestionEffect:
    """What would become of a question in the whole class.

    Attributes:
        mean: how much the automatic scores of those who gain or lose differ, on average.
    """

    slug: str
    gain: int
    lose: int
    mean: float
    checks: list[CheckEffect]


@dataclass(frozen=True)
class Preview:
    """What recording anew would change.

    Attributes:
        rows: every student, those who lose most first and those who gain most last.
        refused: students whose submission could not be read.
        ungraded: students with whom grading failed, through no fault of theirs.
    """

    assignment: str
    rows: list[Row]
    refused: list[str]
    ungraded: list[str]

    @cached_property
    def changed(self) -> list[Row]:
        """Those of whom anything would change, the most points first."""
        found = [row for row in self.rows if row.has_changed]
        return sorted(found, key=lambda row: (-abs(row.change), row.student))

    @cached_property
    def unchanged(self) -> list[Row]:
        return [row for row in self.rows if not (row.has_changed or row.reason)]

    @cached_property
    def gain(self) -> list[Row]:
        return [row for row in self.rows if row.change > 0]

    @cached_property
    def lose(self) -> list[Row]:
        return [row for row in self.rows if row.change < 0]

    @cached_property
    def new(self) -> list[Row]:
        return [row for row in self.rows if row.is_new]

    @cached_property
    def doubtful(self) -> list[Row]:
        return [row for row in self.rows if row.doubtful]

    @cached_property
    def flagged(self) -> int:
        """How many scores by hand there are to look at again."""
        return sum(len(row.doubtful) for row in self.doubtful)

    @cached_property
    def compared(self) -> list[tuple[Recorded, Recorded]]:
        """Before and after, of all students of whom both are known."""
        return [(row.before, row.after) for row in self.rows if row.before and row.after]

    @cached_property
    def stay(self) -> list[Row]:
        """Those who would be recorded, or are already, with the total that they have."""
        both = [row for row in self.rows if row.before and row.after]
        return [row for row in both if not (row.change or row.reason)]

    @cached_property
    def questions(self) -> list[QuestionEffect]:
        """The questions that make the difference to recorded students, most students first."""
        found: dict[str, list[QuestionChange]] = {}
        for row in self.rows:
            for one in row.questions if row.before else []:
                found.setdefault(one.slug, []).append(one)
        made = [_effect(slug, changes) for slug, changes in found.items()]
        return sorted(made, key=lambda one: -(one.gain + one.lose))


def preview_of(
    assignment: str,
    before: Mapping[str, Recorded],
    after: Mapping[str, Recorded],
    refused: Mapping[str, str],
    ungraded: Mapping[str, str],
) -> Preview:
    """Compares what is recorded with what would be.

    Args:
        refused, ungraded: why a submission would not be recorded, by student.
    """
    reasons = {**refused, **ungraded}
    rows = [
        _row(student, before.get(student), after.get(student), reasons.get(student, ""))
        for student in sorted(before.keys() | after.keys() | reasons.keys())
    ]
    rows.sort(key=lambda row: row.change)
    return Preview(assignment, rows, sorted(refused), sorted(ungraded))


def _row(student: str, before: Recorded | None, after: Recorded | None, reason: str) -> Row:
    if after is None:
        return Row(student, before, after, [], [], reason)
    earlier = {(g.notebook, g.cell): g for g in before.entry.grades} if before else {}
    several = len({grade.notebook for grade in after.entry.grades}) > 1
    questions: list[QuestionChange] = []
    doubtful: list[Doubt] = []
    for grade in sorted(after.entry.grades, key=lambda grade: (grade.notebook, grade.cell)):
        name = grade.cell.removeprefix(CHECK_PREFIX)
        slug = f"{grade.notebook}/{name}" if several else name
        old = earlier.get((grade.notebook, grade.cell))
        score = old.auto_score if old else None
        if not are_same_points(score or 0.0, grade.auto_score or 0.0):
            told = before.question(old) if before and old else None
            checks = _check_changes(told, after.question(grade))
            by_hand = grade.manual_score
            questions.append(QuestionChange(slug, score, grade.auto_score, by_hand, checks))
        if is_to_be_looked_at_again(grade) and not (old and is_to_be_looked_at_again(old)):
            doubtful.append(Doubt(slug, grade.score, score, grade.auto_score))
    return Row(student, before, after, questions, doubtful, reason)


def _check_changes(
    before: QuestionResult | None, after: QuestionResult | None
) -> list[CheckChange]:
    """The checks that were passed, or paid, otherwise; none where either verdict is not known."""
    if before is None or after is None:
        return []
    old = {check.name: check for check in before.checks}
    new = {check.name: check for check in after.checks}
    changes = [
        CheckChange((new.get(name) or old[name]).title, old.get(name), new.get(name))
        for name in dict.fromkeys([*new, *old])
    ]
    return [one for one in changes if _paid(one.before) != _paid(one.after)]


def _paid(check: CheckResult | None) -> tuple[bool, float] | None:
    return None if check is None else (check.passed, check.points if check.passed else 0.0)


def _effect(slug: str, changes: Iterable[QuestionChange]) -> QuestionEffect:
    found = list(changes)
    checks: dict[str, dict[str, int]] = {}
    for change in found:
        for check in change.checks:
            counts = checks.setdefault(check.title, {})
            counts[check.said] = counts.get(check.said, 0) + 1
    effects = [
        CheckEffect(title, sorted(counts.items(), key=lambda one: -one[1]))
        for title, counts in checks.items()
    ]
    return QuestionEffect(
        slug,
        gain=sum(change.change > 0 for change in found),
        lose=sum(change.change < 0 for change in found),
        mean=statistics.fmean(change.change for change in found),
        checks=sorted(effects, key=lambda effect: -sum(count for _, count in effect.said)),
    )

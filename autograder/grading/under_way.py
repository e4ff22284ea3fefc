"""One submission under way through the grader, and what adds up to its verdict."""

from __future__ import annotations

import functools
import hashlib
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from nbformat import NotebookNode

from autograder.course.assignments import Assignment, Question
from autograder.course.cells import grade_id
from autograder.grading.dependencies import Dependencies
from autograder.grading.heads import other_head
from autograder.grading.jury import ExpectedOf
from autograder.grading.own_time import OwnCells, OwnTime
from autograder.grading.session import Session
from autograder.intake.submission import Repaired
from autograder.results import sentences
from autograder.results.model import (
    CheckResult,
    QuestionResult,
    added,
    severest,
)

LOOKS_SHARE = 1 / 3
"""Of a submission's time: what second looks have at least, whatever cells have taken of it."""


@dataclass(frozen=True)
class UnderWay:
    """One submission under way.

    Attributes:
        dependencies: what the questions rest on in the submission.
        deadline: a reading of `time.monotonic()` in seconds.
        own_time: that of the student's own cells, in all boxes together.
        hung: questions of which an answer has run out of time already.
        reserved: names of checks on which nothing may rest that the student is told.
    """

    assignment: Assignment
    repaired: Repaired
    dependencies: Dependencies
    expected_of: ExpectedOf
    deadline: float
    seed: int
    own_time: OwnTime
    hung: frozenset[str] = frozenset()
    reserved: frozenset[str] = frozenset()

    def questions_under(self, cell: NotebookNode) -> set[str]:
        """Those that one of its cells rests on."""
        return self.dependencies.questions_under(cell)

    def own_cells(self, slugs: Iterable[str]) -> OwnCells:
        """The student's own cells, where these questions are judged."""
        needed = functools.cache(lambda: self.dependencies.names_under(slugs))
        return OwnCells(self.own_time, needed)

    def other_head(self, slug: str) -> str:
        """What the student changed in the heads of functions that a question gives, if anything."""
        released = (cell for cell in self.assignment.release.cells if grade_id(cell) == slug)
        given = next((cell.source for cell in released), "")
        return other_head(self.dependencies.source(slug), given)

    def looked_at(self, session: Session, submission_seconds: float) -> UnderWay:
        """The same after a first look, which may have left no time for second ones."""
        latest = min(time.monotonic(), self.deadline) + LOOKS_SHARE * submission_seconds
        return replace(self, deadline=max(self.deadline, latest), hung=frozenset(session.hung))

    def is_suspect(self, question: Question, session: Session) -> bool:
        """Whether to ask the checks of a question would most likely cost the box: a call of its
        answer, or of one that it rests on, hung in the cells."""
        called = session.suspects - session.lost.keys()
        if not called:
            return False
        return not called.isdisjoint(
            [question.slug, *self.dependencies.earlier_questions(question.slug)]
        )

    def added_up(
        self, question: Question, checks: list[CheckResult], session: Session
    ) -> QuestionResult:
        """A question's checks, added up, and the worst that stood in the way."""
        slug, unanswered = question.slug, self.repaired.unanswered | session.emptied
        passed = [check for check in checks if check.passed]
        if not passed and slug in unanswered and slug not in session.lost:
            said = sentences.unanswered()
            checks = [
                CheckResult(c.name, c.title, c.points, False, said, "unanswered") for c in checks
            ]
        status = severest(check.status for check in checks)
        if status != "ok" and slug in session.errors:
            status = severest([status, "error"])
        if status != "ok" and slug in session.truncated:
            status = severest([status, "output"])
        score = added(check.points for check in passed)
        return QuestionResult(slug, status, score, question.points, checks)


def seed_of(notebook: NotebookNode) -> int:
    """A number that follows from the text of the cells."""
    text = json.dumps([cell.source for cell in notebook.cells])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])

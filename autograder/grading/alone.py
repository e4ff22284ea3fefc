"""Judging a question where no other question's answer has run.

Theory of operation. All questions are asked in the box in which the cells ran: that costs nothing,
and what holds there holds. But an answer runs in cells, and in probes of its own question, and may
leave anything behind: changed numbers, hooks, threads, a broken process. So a question that lost
points there, and every question that could not be asked because the box broke, is judged in a fresh
box in which only the cells run that it rests on. It keeps the better of both verdicts.

An answer that hangs is waited for: in a cell, or in its first probe, and once more alone. Then one
question that rests on it is waited for, since it may use the answer as it does not hang. When that
hangs, too, all others that rest on it are given up without a box, and left to the follow-through.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

from nbformat import NotebookNode

from autograder.course.assignments import Question
from autograder.grading.dependencies import Dependencies
from autograder.results.model import QuestionResult, Status

POINTS_TOLERANCE = 1e-9
FINAL: frozenset[Status] = frozenset({"ok", "unanswered"})
"""A second look would find the same."""

JudgedIn = Callable[[Question, Sequence[NotebookNode]], QuestionResult]
"""The verdict on a question after these cells have run in a fresh box."""


class Hung:
    """The questions of a submission that ran out of time; false while there is none."""

    def __init__(self, dependencies: Dependencies) -> None:
        self._dependencies = dependencies
        self._slugs: set[str] = set()
        self._again: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._slugs)

    def note(self, verdict: QuestionResult) -> None:
        """Takes in the next verdict, in the order of the questions."""
        if verdict.status == "timeout":
            self._again |= self._below(verdict.slug)
            self._slugs.add(verdict.slug)

    def waited_for(self, slug: str) -> set[str]:
        """Those that a question rests on, and another one that hung because of them."""
        return self._below(slug) & self._again

    def _below(self, slug: str) -> set[str]:
        return self._slugs.intersection(self._dependencies.earlier_questions(slug))


def judged_alone(
    question: Question,
    first: QuestionResult | None,
    dependencies: Dependencies,
    all_cells: Sequence[NotebookNode],
    judged_in: JudgedIn,
    *,
    hung: bool = False,
) -> QuestionResult:
    """The verdict on a question, given its first one, or None when it could not be asked.

    Args:
        dependencies: what the questions rest on in the submission.
        all_cells: every cell of it that ran, for names that `dependencies` does not see.
        hung: whether another question ran out of time alone, too: then time that ran out is not
            given a second time.
    """
    if first is not None and (first.status in FINAL or (hung and first.status == "timeout")):
        return first
    alone = judged_in(question, copied(dependencies.cells(question.slug)))
    if first is not None:
        return better(first, alone)
    if alone.status not in ("wrong", "error"):
        return alone
    return better(alone, judged_in(question, copied(all_cells)))


def better(first: QuestionResult, second: QuestionResult) -> QuestionResult:
    """The verdict with more points; of two with the same that which is "ok", or knows more.

    Else `first`. An answer that keeps something between its calls replies as nobody else once the
    notebook's own cells have called it, and may be known where they have not.
    """
    if abs(second.score - first.score) > POINTS_TOLERANCE:
        return second if second.score > first.score else first
    knows_more = second.status == first.status and _known(second) > _known(first)
    return second if second.status == "ok" or knows_more else first


def _known(verdict: QuestionResult) -> tuple[int, int]:
    """How many checks tell a known wrong answer, and how many tell anything."""
    told = [check for check in verdict.checks if check.diagnosis is not None]
    return sum(check.misconception is not None for check in told), len(told)


def copied(cells: Sequence[NotebookNode]) -> list[NotebookNode]:
    """Cells to run again, whose outputs nobody will see."""
    return [copy.deepcopy(cell) for cell in cells]

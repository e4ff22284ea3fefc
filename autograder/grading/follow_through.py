"""Credit for an answer that is right but for an earlier one that it rests on.

Theory of operation. A question that lost points and rests on earlier answers that are wrong is
judged a second time, in a fresh box where the instructor's solutions stand in for those. A check
that holds then counts. Only the cells run on which the question rests, told from the names in the
student's own sources, so that an early mistake does not have every model trained over and over.
The student's code can read the instructor's in that box, so nothing of it may get out: outputs,
messages, pictures, flags and statuses of the second run are thrown away. What stays of it is which
checks hold, and the name of a misconception out of a closed list.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace

import nbformat
from nbformat import NotebookNode

from autograder.course.assignments import Question
from autograder.course.cells import grade_id
from autograder.grading.dependencies import Dependencies
from autograder.grading.session import Session
from autograder.results.model import CheckResult, QuestionResult, severest

Judged = Callable[[Question, Session], list[CheckResult]]


def follow_through(
    notebook: NotebookNode,
    questions: Sequence[Question],
    verdicts: Sequence[QuestionResult],
    dependencies: Dependencies,
    open_session: Callable[[NotebookNode], Session],
    judged: Judged,
) -> list[QuestionResult]:
    """`verdicts` on the repaired `notebook`, with the credit that its later answers deserve."""
    final: dict[str, QuestionResult] = {}
    for question, verdict in zip(questions, verdicts, strict=True):
        earlier = dependencies.earlier_questions(question.slug)
        wrong = [slug for slug in earlier if final[slug].status != "ok"]
        if wrong and verdict.status not in ("ok", "unanswered"):
            cells = _corrected(notebook, question.slug, wrong, dependencies)
            with open_session(nbformat.v4.new_notebook(cells=cells)) as session:
                session.run_cells()
                verdict = _credited(verdict, judged(question, session), wrong)
        final[question.slug] = verdict
    return list(final.values())


def _corrected(
    notebook: NotebookNode, slug: str, wrong: Sequence[str], dependencies: Dependencies
) -> list[NotebookNode]:
    """The cells that `slug` rests on, with the instructor's answers to the questions in `wrong`."""
    corrected = copy.deepcopy(notebook)
    for cell in corrected.cells:
        if (name := grade_id(cell)) in wrong and name is not None:
            cell.source = dependencies.source(name)
    return dependencies.of(corrected).cells(slug)


def _credited(
    first: QuestionResult, second: Sequence[CheckResult], wrong: Sequence[str]
) -> QuestionResult:
    again = {check.name: check for check in second}
    checks = [_better(check, again[check.name]) for check in first.checks]
    return replace(
        first,
        status=severest(check.status for check in checks),
        score=sum(check.points for check in checks if check.passed),
        checks=checks,
        follow_through=list(wrong),
    )


def _better(first: CheckResult, second: CheckResult) -> CheckResult:
    if first.passed:
        return first
    if second.passed:
        return CheckResult(first.name, first.title, first.points, passed=True)
    return replace(first, misconception=second.misconception, explanation=second.explanation)

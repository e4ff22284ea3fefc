"""What the gradebook holds of a class: scores that a verdict or a person has given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nbgrader.api import Assignment, Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy.orm import selectinload

from autograder.course.cells import CHECK_PREFIX
from autograder.course.gradebook import is_waiting


@dataclass(frozen=True)
class Recorded:
    """One submission.

    Attributes:
        score: points of all questions; None while one of them is ungraded.
        late_penalty: points that being late costs.
        questions: points by question; None where ungraded or waiting for a person.
        handed_in: when it was, if that is known.
        comments: what was written beneath the questions.
    """

    score: float | None
    late_penalty: float
    questions: dict[str, float | None]
    comments: list[str]
    handed_in: datetime | None = None

    @property
    def total(self) -> float | None:
        """The score after the late penalty, never below 0."""
        return None if self.score is None else max(0.0, self.score - self.late_penalty)


def recorded(gradebook: Gradebook, assignment: Assignment) -> dict[str, Recorded]:
    """The submissions of `assignment`, by student."""
    notebooks = selectinload(SubmittedAssignment.notebooks)
    found = (
        gradebook.db.query(SubmittedAssignment)
        .filter(SubmittedAssignment.assignment_id == assignment.id)
        .options(
            notebooks.selectinload(SubmittedNotebook.grades),
            notebooks.selectinload(SubmittedNotebook.comments),
        )
    )
    return {one.student_id: _recorded(one, len(assignment.notebooks) > 1) for one in found}


def _recorded(submission: SubmittedAssignment, several: bool) -> Recorded:
    questions = {
        _name(notebook.name, grade.name, several): None if is_waiting(grade) else float(grade.score)
        for notebook in submission.notebooks
        for grade in notebook.grades
    }
    given = [score for score in questions.values() if score is not None]
    comments = (c.comment for notebook in submission.notebooks for c in notebook.comments)
    return Recorded(
        score=sum(given) if len(given) == len(questions) else None,
        late_penalty=float(submission.late_submission_penalty),
        questions=questions,
        comments=[comment for comment in comments if comment],
        handed_in=submission.timestamp,
    )


def question_points(assignment: Assignment) -> dict[str, float]:
    """The points of each question, in the order of the notebook."""
    several = len(assignment.notebooks) > 1
    return {
        _name(notebook.name, cell.name, several): float(cell.max_score)
        for notebook in assignment.notebooks
        for cell in _graded_cells(notebook)
    }


def _graded_cells(notebook: Any) -> Iterable[Any]:
    return [*notebook.grade_cells, *notebook.task_cells]


def _name(notebook: str, cell: str, several: bool) -> str:
    """A question's name; ids are unique in a notebook only."""
    slug = cell.removeprefix(CHECK_PREFIX)
    return f"{notebook}/{slug}" if several else slug

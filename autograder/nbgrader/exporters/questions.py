"""A row a student, a column a question: for spreadsheets and statistics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nbgrader.api import Assignment, Gradebook

from autograder.course.cells import CHECK_PREFIX
from autograder.course.gradebook import Entry, is_waiting
from autograder.nbgrader.exporters.table import Cell, TableExporter, total

STUDENT = ("student_id", "last_name", "first_name", "email")


class QuestionsExporter(TableExporter):
    """Columns are named `assignment/question`; late penalty and score follow those of each.

    The first row below the header holds the points possible. Questions that are ungraded or wait
    for a person are empty.
    """

    file_name = "questions.csv"

    def rows(self, gradebook: Gradebook) -> Iterable[Sequence[Cell]]:
        assignments = self.chosen_assignments(gradebook)
        points = [_points(assignment) for assignment in assignments]
        found = [self.recorded(gradebook, assignment) for assignment in assignments]
        header: list[Cell] = list(STUDENT)
        possible: list[Cell] = ["points possible", "", "", ""]
        for assignment, questions in zip(assignments, points, strict=True):
            several = len(assignment.notebooks) > 1
            names = [_name(*question, several=several) for question in questions]
            header += [f"{assignment.name}/{name}" for name in (*names, "late_penalty", "score")]
            possible += [*questions.values(), None, float(assignment.max_score)]
        yield header
        yield possible
        for student in self.chosen_students(gradebook):
            row: list[Cell] = [student.id, student.last_name, student.first_name, student.email]
            for questions, submissions in zip(points, found, strict=True):
                one = submissions.get(student.id)
                scores = _scores(one) if one else {}
                row += [scores.get(question) for question in questions]
                row += [one.late_penalty if one else None, total(one)]
            yield row


Question = tuple[str, str]  # notebook and graded cell


def _points(assignment: Assignment) -> dict[Question, float]:
    """The points of each question, in the order of the notebooks."""
    return {
        (notebook.name, cell.name): float(cell.max_score)
        for notebook in assignment.notebooks
        for cell in [*notebook.grade_cells, *notebook.task_cells]
    }


def _scores(entry: Entry) -> dict[Question, float | None]:
    """What each question earned; None where it is ungraded or waits for a person."""
    return {
        (grade.notebook, grade.cell): None if is_waiting(grade) else grade.score
        for grade in entry.grades
    }


def _name(notebook: str, cell: str, *, several: bool) -> str:
    """A question's name; ids are unique in a notebook only."""
    slug = cell.removeprefix(CHECK_PREFIX)
    return f"{notebook}/{slug}" if several else slug

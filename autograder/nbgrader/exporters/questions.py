"""A row a student, a column a question: for spreadsheets and statistics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nbgrader.api import Gradebook

from autograder.nbgrader.exporters.recorded import question_points
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
        points = [question_points(assignment) for assignment in assignments]
        found = [self.recorded(gradebook, assignment) for assignment in assignments]
        header: list[Cell] = list(STUDENT)
        possible: list[Cell] = ["points possible", "", "", ""]
        for assignment, questions in zip(assignments, points, strict=True):
            names = (*questions, "late_penalty", "score")
            header += [f"{assignment.name}/{name}" for name in names]
            possible += [*questions.values(), None, float(assignment.max_score)]
        yield header
        yield possible
        for student in self.chosen_students(gradebook):
            row: list[Cell] = [student.id, student.last_name, student.first_name, student.email]
            for questions, submissions in zip(points, found, strict=True):
                one = submissions.get(student.id)
                row += [one.questions.get(name) if one else None for name in questions]
                row += [one.late_penalty if one else None, total(one)]
            yield row

"""A row a submission, with nbgrader's own columns: what `nbgrader export` writes by default."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nbgrader.api import Gradebook

from autograder.nbgrader.exporters.table import Cell, TableExporter, total

COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)


class GradesExporter(TableExporter):
    """Scores that are not there yet are empty, where nbgrader's own exporter writes 0.

    So are those of students who have handed in nothing.
    """

    file_name = "grades.csv"

    def rows(self, gradebook: Gradebook) -> Iterable[Sequence[Cell]]:
        yield COLUMNS
        for assignment in self.chosen_assignments(gradebook):
            found = self.recorded(gradebook, assignment)
            for student in self.chosen_students(gradebook):
                one = found.get(student.id)
                yield [
                    assignment.name,
                    str(assignment.duedate or ""),
                    str(one.handed_in or "") if one else "",
                    *(student.id, student.last_name, student.first_name, student.email),
                    None if one is None or one.waiting else one.score,
                    one.late_penalty if one else None,
                    total(one),
                    float(assignment.max_score),
                ]

"""Canvas: the CSV that its gradebook imports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nbgrader.api import Gradebook, Student
from traitlets import Dict, Enum, Unicode

from autograder.nbgrader.exporters.table import Cell, TableExporter, total

IDENTITY = ("ID", "SIS User ID", "SIS Login ID")


class CanvasExporter(TableExporter):
    """A row a student, a column an assignment, and the points possible.

    A score that is not there yet is an empty cell, which Canvas leaves as it is.
    """

    file_name = "canvas.csv"

    columns = Dict(
        key_trait=Unicode(),
        value_trait=Unicode(),
        help="Canvas' column of each assignment, like {'a1': 'Attention blocks (12345)'}; "
        "default: the assignment's id.",
    ).tag(config=True)

    identity = Enum(
        IDENTITY, "SIS Login ID", help="Which column of Canvas holds nbgrader's student id."
    ).tag(config=True)

    def rows(self, gradebook: Gradebook) -> Iterable[Sequence[Cell]]:
        assignments = self.chosen_assignments(gradebook)
        scores = [self.recorded(gradebook, assignment) for assignment in assignments]
        titles = [self.columns.get(assignment.name, assignment.name) for assignment in assignments]
        yield ["Student", *IDENTITY, "Section", *titles]
        yield ["Points Possible", *[""] * 4, *[float(one.max_score) for one in assignments]]
        for student in self.chosen_students(gradebook):
            earned = [total(found.get(student.id)) for found in scores]
            yield [_name(student), *self._ids(student), "", *earned]

    def _ids(self, student: Student) -> list[str]:
        ids = {"ID": student.lms_user_id, self.identity: student.id}
        return [ids.get(column) or "" for column in IDENTITY]


def _name(student: Student) -> str:
    """As Canvas sorts names."""
    return ", ".join(filter(None, (student.last_name, student.first_name))) or student.id

"""Moodle: the CSV that its gradebook imports, or an assignment's grading worksheet filled in."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from nbgrader.api import Gradebook, Student
from traitlets import Unicode

from autograder.course.gradebook import Entry
from autograder.nbgrader.exporters.table import Cell, TableExporter, Verbatim, total

IDENTITY = ("Identifier", "Username", "ID number", "Email address")
PARTICIPANT = "Participant "


class MoodleExporter(TableExporter):
    """Grades and comments, for `Grades > Import > CSV file` or for the offline grading worksheet.

    A grade that is not there yet is an empty cell, which Moodle leaves as it is.
    """

    file_name = "moodle.csv"

    worksheet = Unicode(
        help="An assignment's grading worksheet, downloaded from Moodle, to fill in: its rows are "
        "matched by participant, username, ID number or e-mail address."
    ).tag(config=True)
    grade_column = Unicode("Grade", help="Title in the worksheet.").tag(config=True)
    feedback_column = Unicode("Feedback comments", help="Title in the worksheet.").tag(config=True)

    def rows(self, gradebook: Gradebook) -> Iterable[Sequence[Cell]]:
        if self.worksheet:
            return self._filled_worksheet(gradebook)
        return self._gradebook_rows(gradebook)

    def _gradebook_rows(self, gradebook: Gradebook) -> Iterable[Sequence[Cell]]:
        assignments = self.chosen_assignments(gradebook)
        scores = [self.recorded(gradebook, assignment) for assignment in assignments]
        titles = [title for one in assignments for title in (one.name, f"{one.name} feedback")]
        yield ["Username", "First name", "Last name", "Email address", *titles]
        for student in self.chosen_students(gradebook):
            row: list[Cell] = [student.id, student.first_name, student.last_name, student.email]
            for found in scores:
                one = found.get(student.id)
                row += [total(one), _comments(one)]
            yield row

    def _filled_worksheet(self, gradebook: Gradebook) -> Iterable[Sequence[Cell]]:
        assignments = self.chosen_assignments(gradebook)
        if len(assignments) != 1:
            self.refuse("a worksheet is for one assignment: name it with --assignment")
        found = self.recorded(gradebook, assignments[0])
        header, *rows = self._read_worksheet()
        grade, feedback = header.index(self.grade_column), _place(header, self.feedback_column)
        students = {
            name: student for student in self.chosen_students(gradebook) for name in _names(student)
        }
        left = {student.id for student in students.values()} & found.keys()
        yield [Verbatim(title) for title in header]
        for read in rows:
            row: list[Cell] = [Verbatim(cell) for cell in read]
            student = next((students[n] for n in _identities(header, read) if n in students), None)
            one = student and found.get(student.id)
            if student and one:
                left.discard(student.id)
                if not one.waiting:
                    row[grade] = one.total
                if feedback is not None and one.comments:
                    row[feedback] = _comments(one)
            yield row
        if left:
            self.log.warning("submissions without a row in %s: %d", self.worksheet, len(left))

    def _read_worksheet(self) -> list[list[str]]:
        """Its rows, header first, all of the same length."""
        try:
            text = Path(self.worksheet).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            self.refuse(f"cannot read {self.worksheet}: {error}")
        rows = [row for row in csv.reader(text.splitlines(keepends=True)) if row]
        if not rows or self.grade_column not in rows[0]:
            self.refuse(f"{self.worksheet} is no grading worksheet: no column {self.grade_column}")
        return [row + [""] * (len(rows[0]) - len(row)) for row in rows]


def _comments(found: Entry | None) -> str:
    return "\n".join(found.comments) if found else ""


def _place(header: list[str], column: str) -> int | None:
    return header.index(column) if column in header else None


def _names(student: Student) -> list[str]:
    """What a worksheet may call a student."""
    return [name.casefold() for name in (student.id, student.email, student.lms_user_id) if name]


def _identities(header: list[str], row: list[str]) -> Iterable[str]:
    for column, value in zip(header, row, strict=False):
        if column in IDENTITY and value:
            yield value.casefold()
            yield value.removeprefix(PARTICIPANT).casefold()

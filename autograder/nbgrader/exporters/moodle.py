"""Moodle: the CSV that its gradebook imports, or an assignment's grading worksheet filled in."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence

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
        "matched by participant, username, ID number and e-mail address."
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
        ids = _ids_by_name(gradebook.students)
        wanted = {student.id for student in self.chosen_students(gradebook)} & found.keys()
        left, unclear = set(wanted), 0
        yield [Verbatim(title) for title in header]
        for read in rows:
            row: list[Cell] = [Verbatim(cell) for cell in read]
            named = {ids[name] for name in _identities(header, read) if name in ids}
            unclear += len(named) > 1
            if len(named) == 1 and named <= wanted:
                left -= named
                one = found[named.pop()]
                if not one.waiting:
                    row[grade] = one.total
                if feedback is not None and one.comments:
                    row[feedback] = _comments(one)
            yield row
        if unclear:
            self.log.warning("rows of several students each in %s: %d", self.worksheet, unclear)
        if left:
            self.log.warning("submissions without a row in %s: %d", self.worksheet, len(left))

    def _read_worksheet(self) -> list[list[str]]:
        """Its rows, header first, all of the same length."""
        try:
            with open(self.worksheet, encoding="utf-8-sig", newline="") as file:
                rows = [row for row in csv.reader(file) if row]
        except UnicodeDecodeError as error:
            self.refuse(
                f"cannot read {self.worksheet}: {error}; save it in UTF-8, as Moodle gives it"
            )
        except (OSError, csv.Error) as error:
            self.refuse(f"cannot read {self.worksheet}: {error}")
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


def _ids_by_name(students: Iterable[Student]) -> dict[str, str]:
    """Who is meant by a name; what two students share is no name."""
    found: dict[str, set[str]] = {}
    for student in students:
        for name in _names(student):
            found.setdefault(name, set()).add(student.id)
    return {name: min(ids) for name, ids in found.items() if len(ids) == 1}


def _identities(header: list[str], row: list[str]) -> Iterable[str]:
    for column, value in zip(header, row, strict=False):
        if column in IDENTITY and value:
            yield value.casefold()
            yield value.removeprefix(PARTICIPANT).casefold()

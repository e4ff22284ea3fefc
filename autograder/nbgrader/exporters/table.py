"""What all exporters share: who and what is exported, and a CSV file that runs no formulas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from nbgrader.api import Assignment, Gradebook, Student
from nbgrader.plugins import ExportPlugin

from autograder.course.gradebook import Entry, opened_gradebook
from autograder.files import write_out
from autograder.results.plain import plain

Cell = str | float | None

# A spreadsheet may split a cell at any separator, whatever the quotes around it say.
_FORMULA = re.compile('(^|[;,\t\n"])(?=[=+\\-@\t\uff1d\uff0b\uff0d\uff20])')


class Verbatim(str):
    """A cell that is written as it was read."""


def harmless(text: str | None) -> str:
    """`text` without control characters, with an apostrophe before what might be a formula."""
    return _FORMULA.sub(r"\1'", plain(text or ""))


class TableExporter(ExportPlugin):  # type: ignore[misc]
    """Writes one CSV file; `--to`, `--assignment` and `--student` are nbgrader's."""

    file_name = "grades.csv"

    def export(self, gradebook: Gradebook) -> None:
        """nbgrader calls this."""
        path = self.to or self.file_name
        table = io.StringIO(newline="")
        csv.writer(table).writerows(
            [[_written(cell) for cell in row] for row in self.rows(gradebook)]
        )
        try:
            write_out(Path(path), table.getvalue())
        except OSError as error:
            self.refuse(f"cannot write {path}: {error.strerror}")
        self.log.info("Exported to %s", path)

    def rows(self, gradebook: Gradebook) -> Iterable[Sequence[Cell]]:
        """The table with its headers; None is an empty cell."""
        raise NotImplementedError

    def chosen_assignments(self, gradebook: Gradebook) -> list[Assignment]:
        """The assignments asked for, or all."""
        wanted = [str(name) for name in self.assignment]
        known = {assignment.name: assignment for assignment in gradebook.assignments}
        if unknown := [name for name in wanted if name not in known]:
            names = ", ".join(known) or "none"
            self.refuse(f"unknown assignment '{unknown[0]}': the gradebook has {names}")
        return [known[name] for name in wanted or known]

    def chosen_students(self, gradebook: Gradebook) -> list[Student]:
        """The students asked for, or all."""
        wanted = {str(name) for name in self.student}
        if unknown := wanted - {student.id for student in gradebook.students}:
            self.refuse(f"unknown student '{min(unknown)}': the gradebook has no such id")
        return [one for one in gradebook.students if not wanted or one.id in wanted]

    def recorded(self, gradebook: Gradebook, assignment: Assignment) -> dict[str, Entry]:
        """The submissions by student; says how many stay without a total."""
        found = opened_gradebook(gradebook.db, assignment.name)
        entries = found.entries if found else {}
        waiting = sum(one.waiting for one in entries.values())
        if waiting:
            self.log.warning(
                "%s: submissions that are ungraded or wait for a person to grade a part of them, "
                "whose total is left empty: %d",
                assignment.name,
                waiting,
            )
        return entries

    def refuse(self, sentence: str) -> NoReturn:
        """Ends the command with one sentence."""
        self.log.error(sentence)
        raise SystemExit(1)


def _written(cell: Cell) -> str:
    if isinstance(cell, Verbatim):
        return cell
    if isinstance(cell, str):
        return harmless(cell)
    return "" if cell is None else f"{round(cell, 4):.10g}"


def total(found: Entry | None) -> float | None:
    """What a submission earned; None for one that is missing or has no total yet."""
    return None if found is None or found.waiting else found.total

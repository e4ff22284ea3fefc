"""The scores of a class as the gradebook has them, for the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterable

from autograder.course.assignments import Course
from autograder.course.cells import CHECK_PREFIX
from autograder.course.folders import Folders
from autograder.course.gradebook import Entry, Grade, is_waiting, recorded
from autograder.course.settings import read_config
from autograder.results.plain import one_line
from autograder.results.text import exact, table


def score_table(course: Course, assignment_id: str) -> str:
    """Student, points of each question, late penalty, total and a note, one row a student."""
    folders = Folders(course, read_config(course.root), assignment_id)
    entries = recorded(folders.db_url, assignment_id).entries
    if not entries:
        return ""
    order = _order(course, assignment_id)
    header = ["student", *(_title(name, cell, order) for name, cell in order)]
    rows = [
        [one_line(student), *_cells(entry, order), exact(entry.late_penalty), *_end(entry)]
        for student, entry in sorted(entries.items())
    ]
    return table([[*header, "late", "total", "note"], *rows]) + "\n"


Cells = list[tuple[str, str]]


def _order(course: Course, assignment_id: str) -> Cells:
    """The graded cells as they stand in the release: notebook and id."""
    found = []
    for path in sorted((course.root / "release" / assignment_id).glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            settings = cell["metadata"].get("nbgrader", {})
            if settings.get("grade") or settings.get("task"):
                found.append((path.stem, settings["grade_id"]))
    return found


def _title(notebook: str, cell: str, order: Cells) -> str:
    own = cell.removeprefix(CHECK_PREFIX)
    return own if len({name for name, _ in order}) == 1 else f"{notebook}/{own}"


def _cells(entry: Entry, order: Cells) -> Iterable[str]:
    grades = {(grade.notebook, grade.cell): grade for grade in entry.grades}
    return [_points(grades.get(place)) for place in order]


def _points(grade: Grade | None) -> str:
    return "-" if grade is None or is_waiting(grade) else exact(grade.score)


def _end(entry: Entry) -> list[str]:
    notes = ["waits for a person"] * entry.waiting + ["look again"] * entry.look_again
    return ["-" if entry.waiting else exact(entry.total), ", ".join(notes)]

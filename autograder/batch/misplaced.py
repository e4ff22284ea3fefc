"""Work that lies beside the places where it is looked for, so that it is told and not passed over.

Only of courses whose folders are nbgrader's: `submitted/<student>/<assignment>/`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from autograder.course.assignments import Course
from autograder.course.folders import Folders
from autograder.intake.finding import NOTEBOOK, notebooks_in


def misplaced(course: Course, folders: Folders) -> dict[str, str]:
    """Where in `submitted/` work lies that may be the assignment's, and where it belongs."""
    top, wanted = folders.top("submitted"), folders.assignment
    if top is None or not top.is_dir():
        return {}
    others = {_bare(name) for name in course.named_assignments()} - {_bare(wanted)}
    found = dict(_in_no_folder_of_a_student(top, wanted, others))
    for student in sorted(_folders_in(top)):
        if student not in folders.left_out:
            found |= _of_student(top, student, wanted, others)
    return {f"{top.name}/{place}": said for place, said in found.items()}


def _in_no_folder_of_a_student(
    top: Path, wanted: str, others: set[str]
) -> Iterator[tuple[str, str]]:
    for name in _notebooks(top, others):
        yield name, _belongs(f"{top.name}/<student>/{wanted}/{wanted}{NOTEBOOK}")


def _of_student(top: Path, student: str, wanted: str, others: set[str]) -> dict[str, str]:
    inner = _folders_in(top / student)
    if _bare(student) == _bare(wanted) and wanted not in inner:
        return {f"{student}/": _belongs(f"{top.name}/<student>/{wanted}/")}
    place = f"{top.name}/{student}/{wanted}/"
    found = {
        f"{student}/{name}": _belongs(f"{place}{wanted}{NOTEBOOK}")
        for name in _notebooks(top / student, others)
    }
    for name in inner:
        if name != wanted and _bare(name) == _bare(wanted):
            found[f"{student}/{name}/"] = _belongs(place)
    return found


def _belongs(place: str) -> str:
    return f"lies where nothing is graded, its place is {place}"


def _notebooks(folder: Path, others: set[str]) -> list[str]:
    """The notebooks in a folder that are not called like another assignment."""
    return [
        name for name in notebooks_in(folder) if _bare(name.removesuffix(NOTEBOOK)) not in others
    ]


def _folders_in(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir() if path.is_dir())
    except OSError:
        return []


def _bare(name: str) -> str:
    """A name without what people change in it: upper case, spaces, `-` and `_`."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())

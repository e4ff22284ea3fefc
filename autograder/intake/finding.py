"""Which file of a submission is the notebook."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from autograder.course.folders import TIMESTAMP
from autograder.errors import UnreadableSubmission
from autograder.intake.belonging import Released, origin
from autograder.results.plain import plain

NOTEBOOK = ".ipynb"
NAMED = 5  # of the files that are no notebooks


def expect_plain_name(student: str, folder: Path) -> None:
    """Refuses a student's name by which nbgrader finds no folder, or somebody else's.

    Raises:
        UnreadableSubmission: it is one.
    """
    if glob.has_magic(student):
        raise UnreadableSubmission(
            f"nbgrader takes the name of the folder {folder.parent} for a pattern: "
            "rename it, without any of * ? ["
        )
    if student != student.strip() or student.startswith(".") or len(student.splitlines()) > 1:
        raise UnreadableSubmission(
            f"nbgrader does not find the folder {str(folder.parent)!r}: rename it, without a dot "
            "or a space at its beginning, a space at its end, or a new line"
        )


def notebook_in(folder: Path, name: str) -> Path:
    """The notebook handed in as `name`: the one called so, else the only one in `folder`.

    Browsers and LMSs write numbers behind names. Whether it is a notebook of the assignment at all
    is to be asked of `belonging`.

    Raises:
        UnreadableSubmission: there is none, or several of which none is called so.
    """
    wanted = folder / (name + NOTEBOOK)
    if os.path.lexists(wanted):
        return wanted
    found = notebooks_in(folder)
    if len(found) == 1:
        return folder / found[0]
    held = plain(", ".join(found) or _other_files(folder))
    raise UnreadableSubmission(
        f"{wanted} is missing, and the folder holds {held}: put the one to grade there, so named"
    )


def _other_files(folder: Path) -> str:
    """That no notebook is among the files in `folder`, and which these are."""
    others = [name for name in _names_in(folder) if name != TIMESTAMP]
    more = ", …" if len(others) > NAMED else ""
    return "no notebook" + (f", only {', '.join(others[:NAMED])}{more}" if others else "")


def notebooks_in(folder: Path) -> list[str]:
    """The names of the notebooks that lie in `folder` itself; hidden files are none."""
    return [name for name in _names_in(folder) if name.endswith(NOTEBOOK)]


def _names_in(folder: Path) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(name for name in names if not name.startswith("."))


def notebooks_for(
    assignment: str, folder: Path, released: Sequence[Released], max_bytes: int
) -> dict[str, Path]:
    """The notebooks handed in for an assignment, by their released names, each seen to be one.

    Of several, those that are missing are left out. Nothing is found of what was never released.

    Raises:
        UnreadableSubmission: the only one is missing, or one is unreadable or made from another.
    """
    from autograder.intake.submission import read_notebook  # loads nbformat

    names = [one.name for one in released if one.assignment == assignment]
    if len(names) == 1:
        paths = {names[0]: notebook_in(folder, names[0])}
    else:
        there = {name: folder / (name + NOTEBOOK) for name in names}
        paths = {name: path for name, path in there.items() if os.path.lexists(path)}
    for name, path in paths.items():
        notebook = read_notebook(path, max_bytes)
        origin(notebook, released, plain(str(path)), assignment, name)
    return paths

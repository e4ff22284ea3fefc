"""Which file of a submission is the notebook."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from autograder.errors import UnreadableSubmission
from autograder.intake.belonging import Released, origin
from autograder.results.plain import plain

NOTEBOOK = ".ipynb"


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
    held = plain(", ".join(found)) or "no notebook"
    raise UnreadableSubmission(
        f"{wanted} is missing, and the folder holds {held}: put the one to grade there, so named"
    )


def notebooks_in(folder: Path) -> list[str]:
    """The names of the notebooks that lie in `folder` itself; hidden files are none."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(n for n in names if n.endswith(NOTEBOOK) and not n.startswith("."))


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

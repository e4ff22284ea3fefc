"""Which file of a submission is the notebook."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from autograder.errors import UnreadableSubmission
from autograder.results.plain import plain

NOTEBOOK = ".ipynb"


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
    held = f"it holds {_listed(found)}" if found else "it holds no notebook"
    raise UnreadableSubmission(
        f"{folder} has no {wanted.name}, {held}: put the one to grade there under that name"
    )


def notebooks_in(folder: Path) -> list[str]:
    """The names of the notebooks that lie in `folder` itself; hidden files are none."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(n for n in names if n.endswith(NOTEBOOK) and not n.startswith("."))


def _listed(names: Iterable[str]) -> str:
    return plain(", ".join(names))

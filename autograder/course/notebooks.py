"""The instructor's notebooks, which people write and version control may spoil."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.errors import UsageError

if TYPE_CHECKING:  # loading nbformat takes longer than many a command
    from nbformat import NotebookNode


def given_notebook(path: Path) -> NotebookNode:
    """The notebook in `path`, as version 4 of the format.

    Raises:
        UsageError: it is none.
    """
    import nbformat

    try:
        return nbformat.read(path, as_version=4)
    except (ValueError, TypeError, LookupError, AttributeError, nbformat.ValidationError) as error:
        raise UsageError(
            f"{path} is no notebook that can be read{where_broken(error)}: mend it, or take an "
            "earlier version of it"
        ) from error


def where_broken(error: Exception | None) -> str:
    """In which line a notebook's file is none, and why, in brackets; empty if nothing tells."""
    if isinstance(error, json.JSONDecodeError):
        return f" (its JSON is broken in line {error.lineno})"
    if isinstance(error, UnicodeDecodeError):
        return f" (line {line_of(error)} holds a byte that is not UTF-8)"
    return ""


def line_of(error: UnicodeDecodeError) -> int:
    """The line of a whole file's bytes that could not be decoded."""
    return 1 + error.object[: error.start].count(b"\n")

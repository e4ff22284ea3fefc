"""The instructor's notebooks, which people write and version control may spoil."""

from __future__ import annotations

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
            f"{path} is no notebook that can be read: mend it, or take an earlier version of it"
        ) from error

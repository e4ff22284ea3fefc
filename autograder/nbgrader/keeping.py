"""A release stays until a new one is whole, its cells once submissions are graded by them.

Theory of operation. `nbgrader generate_assignment --force` removes the old release first, and,
where something fails, what it has made of the new one: students' work could not be graded any more.
A `pre_convert_hook` runs after the removal, and its exceptions are swallowed. An exporter is made
once a run, before anything is removed, and knows its converter: `ReleaseExporter` keeps a copy of
the old release while the converter works, and puts it back if that fails. nbgrader logs a traceback
of every `Exception`, so what is refused in one sentence passes by it as something else.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import SaveCells

from autograder.errors import UsageError

KINDS = ("grade", "solution", "task", "source")  # of cells that the gradebook tells apart
Cells = Mapping[str, frozenset[str]]  # the kinds of each cell, by its id


class _Refused(BaseException):
    """Ends nbgrader's run without a traceback."""


class ReleaseExporter(NotebookExporter):  # type: ignore[misc]
    """The exporter of `nbgrader generate_assignment`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        if isinstance(self.parent, GenerateAssignment):
            made = self.parent
            made.convert_notebooks = partial(_convert, made, made.convert_notebooks)
            made._clean_old_notebooks = partial(_clean, made, made._clean_old_notebooks)


class SaveCellsOnce(SaveCells):  # type: ignore[misc]
    """As its base; says in one sentence which cells stand in its way."""

    def _create_notebook(self, nb: NotebookNode) -> None:
        with suppress(MissingEntry):
            known = self.gradebook.find_notebook(self.notebook_id, self.assignment_id)
            if known.submissions:
                stored = {kind: _names(getattr(known, f"{kind}_cells")) for kind in KINDS}
                made = {kind: set(getattr(self, f"new_{kind}_cells")) for kind in KINDS}
                with _refusing():
                    expect_same_cells(self.notebook_id, _by_name(stored), _by_name(made))
        super()._create_notebook(nb)


def expect_same_cells(notebook: str, stored: Cells, made: Cells) -> None:
    """Refuses other cells than those that submissions were graded by.

    Raises:
        UsageError: some are new, gone, or of another kind.
    """
    changes = {
        "lacks": sorted(stored.keys() - made.keys()),
        "adds": sorted(made.keys() - stored.keys()),
        "changes the kind of": sorted(n for n in stored if made.get(n, stored[n]) != stored[n]),
    }
    if found := [f"{what} {', '.join(names)}" for what, names in changes.items() if names]:
        raise UsageError(
            f"the release stays as it was, for submissions are graded by its cells, and "
            f"{notebook}.ipynb in source/ {' and '.join(found)}: put the cells back, with 0 points "
            "where a question shall not count, or make another assignment of it"
        )


def expect_same_notebooks(assignment: str, stored: set[str], made: set[str]) -> None:
    """Refuses other notebooks than those that submissions were graded by.

    Raises:
        UsageError: some are new or gone.
    """
    if stored != made:
        raise UsageError(
            f"the release stays as it was, for submissions of {assignment} are graded, and source/ "
            f"adds or lacks {', '.join(sorted(stored ^ made))}: give it the same notebooks, or "
            "make another assignment of it"
        )


def _convert(converter: GenerateAssignment, convert: Callable[[], None]) -> None:
    """Makes the release, or leaves the old one."""
    course = converter.coursedir
    try:
        with _kept(Path(course.format_path(course.release_directory, ".", course.assignment_id))):
            convert()
    except _Refused as refused:
        converter.log.error("%s", refused)
        raise NbGraderException(str(refused)) from refused


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    """Puts a folder back as it was, if what is done meanwhile fails."""
    with TemporaryDirectory() as temporary:
        copy = Path(temporary) / "kept"
        if folder.is_dir():
            shutil.copytree(folder, copy, symlinks=True)
        try:
            yield
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            if copy.is_dir():
                shutil.copytree(copy, folder, symlinks=True)
            raise


def _clean(
    converter: GenerateAssignment, clean: Callable[[str, str], None], assignment: str, student: str
) -> None:
    """Looks at which notebooks there are, before nbgrader does."""
    course = converter.coursedir
    with Gradebook(course.db_url, course.course_id) as gradebook:
        known = gradebook.find_assignment(assignment)
        if known.submissions:
            made = {Path(path).stem for path in converter.notebooks}
            with _refusing():
                expect_same_notebooks(assignment, _names(known.notebooks), made)
    clean(assignment, student)


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except UsageError as error:
        raise _Refused(str(error)) from error


def _names(stored: Any) -> set[str]:
    return {one.name for one in stored}


def _by_name(cells: Mapping[str, set[str]]) -> Cells:
    names = set().union(*cells.values())
    return {name: frozenset(kind for kind in KINDS if name in cells[kind]) for name in names}

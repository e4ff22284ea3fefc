"""Of which assignment a notebook is, told by the ids of its cells: the same at every door.

A notebook is of an assignment when it holds the cell of an answer or of a test, by its id, or most
of the ids that were released. One id in common is no more than chance: many notebooks call a cell
`imports`.

Tools that clean notebooks may take the metadata of all cells away, and with it the ids that
nbgrader has given them. Then Jupyter's own ids of the cells count, or their texts, and most of the
released cells must be there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course.assignments import Course
from autograder.course.cells import grade_id, is_graded, is_solution, is_task, type_and_text
from autograder.course.notebooks import given_notebook
from autograder.errors import UnreadableSubmission

if TYPE_CHECKING:  # loading nbformat takes longer than many a command
    from nbformat import NotebookNode


@dataclass(frozen=True)
class Released:
    """A released notebook, by what others are told apart from it.

    Attributes:
        every: the ids of all its cells that have one.
        work: of those the ids of answers and of tests.
        others: all these ids by what else tells their cells: Jupyter's own id, or type and text.
    """

    assignment: str
    name: str
    every: frozenset[str]
    work: frozenset[str]
    others: Mapping[object, str] = field(default_factory=dict)

    def shared(self, notebook: NotebookNode) -> int:
        """How many of its ids the cells of `notebook` carry."""
        return len(self.every & (_ids(notebook) or self._told_otherwise(notebook)))

    def is_origin_of(self, notebook: NotebookNode) -> bool:
        """Whether `notebook` was made from it."""
        return bool(self.work & _ids(notebook)) or 2 * self.shared(notebook) > len(self.every)

    def _told_otherwise(self, notebook: NotebookNode) -> set[str]:
        found = (key for cell in notebook.cells for key in _else(cell))
        return {self.others[key] for key in found if key in self.others}


def _is_work(cell: NotebookNode) -> bool:
    return is_graded(cell) or is_solution(cell) or is_task(cell)


def _else(cell: NotebookNode) -> list[object]:
    """What tells a cell apart beside nbgrader's id: Jupyter's own, type and text."""
    return [key for key in (cell.get("id"), type_and_text(cell)) if key]


def _ids(notebook: NotebookNode) -> set[str]:
    return {name for cell in notebook.cells if (name := grade_id(cell))}


def released_in(course: Course) -> tuple[Released, ...]:
    """Every notebook that the course has released."""
    folders = sorted((course.root / "release").glob("*"))
    return tuple(one for folder in folders for one in released_in_folder(folder))


def released_in_folder(folder: Path) -> list[Released]:
    """Every notebook of the assignment whose release lies in `folder`."""
    return [_read(path, path.stat().st_mtime_ns) for path in sorted(folder.glob("*.ipynb"))]


@lru_cache(maxsize=256)
def _read(path: Path, changed: int) -> Released:
    """`changed`: when it was written, in nanoseconds; a release made anew is read anew."""
    cells = given_notebook(path).cells
    named = [(name, cell) for cell in cells if (name := grade_id(cell))]
    others = {key: name for name, cell in named for key in _else(cell)}
    return Released(
        assignment=path.parent.name,
        name=path.stem,
        every=frozenset(name for name, _ in named),
        others=others,
        work=frozenset(grade_id(cell) or "" for cell in cells if _is_work(cell)),
    )


def origin(
    notebook: NotebookNode,
    released: Iterable[Released],
    path: str,
    assignment: str | None = None,
    name: str | None = None,
) -> Released:
    """The released notebook that `notebook`, which messages call `path`, was made from.

    Args:
        assignment: what it was handed in for; None where that is to be told.
        name: which of the assignment's notebooks it was handed in as; None for any. Where nothing
            can be told, of an empty notebook or a release without ids, that is believed.

    Raises:
        UnreadableSubmission: it was made from none, or from another one.
    """
    origins = [
        one
        for one in released
        if one.is_origin_of(notebook)
        or (one.assignment == assignment and not (one.every and notebook.cells))
    ]
    stem = name or Path(path).stem

    def likeness(one: Released) -> tuple[int, bool, bool]:
        return one.shared(notebook), one.assignment == assignment, one.name == stem

    best = max(origins, key=likeness, default=None)
    if best is None:
        raise UnreadableSubmission(
            f"{path} is no notebook of {assignment or 'this course'}: by their ids its cells are "
            "not those of a released one; start from the notebook in release/"
        )
    if best.assignment != (assignment or best.assignment) or best.name != (name or best.name):
        wanted = _title(assignment or best.assignment, name or assignment or best.name)
        found = _title(best.assignment, best.name)
        raise UnreadableSubmission(f"{path} is a notebook of {found}, not of {wanted}")
    return best


def _title(assignment: str, name: str) -> str:
    return assignment if assignment == name else f"{assignment}/{name}"

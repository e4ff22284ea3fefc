"""Where in a submission a student's own cells stand, and which of them are answers.

Theory of operation. Students write where they please, and their tools lose what nbgrader notes of a
cell. A cell that has kept its id alone is taken for the released one. What somebody imports in a
locked cell, or defines there that no locked cell does, stands in a cell of its own behind it. And
where a released cell for an answer was left as it is, the student's own cells in its place hold the
answer; where it was taken away, those above its place do as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile

import nbformat
from nbformat import NotebookNode

from autograder.course.cells import grade_id, is_solution, parsed

MOST_CODE = 100_000  # characters of a locked cell in which something of the student's is looked for
_GIVEN = re.compile(r"^(?:(?:async )?def |class )?(\w+)(?= *[=:(])", re.MULTILINE)
_IMPORT = re.compile(r"(?:import|from) [\w., ]+$")  # on one line
_IMPORTS = (ast.Import, ast.ImportFrom)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def in_shape(submission: NotebookNode, release: NotebookNode) -> list[NotebookNode]:
    """The cells of a submission: each known by its `grade_id`, and the student's own code apart."""
    released = {grade_id(cell): cell for cell in release.cells if grade_id(cell)}
    locked = [cell for cell in released.values() if not is_solution(cell)]
    defined = {
        node.name
        for cell in locked
        if cell.cell_type == "code"
        for node in parsed(cell.source).body
        if isinstance(node, _DEFINITIONS)
    }
    cells = []
    for cell in _named(submission.cells, released):
        cells.append(cell)
        its = released.get(grade_id(cell))
        if its is not None and not is_solution(its) and (own := _written_in(cell, its, defined)):
            cells.append(nbformat.v4.new_code_cell(own))
    return cells


def _named(
    cells: Sequence[NotebookNode], released: Mapping[str | None, NotebookNode]
) -> Iterator[NotebookNode]:
    """The cells; one that has lost its `grade_id`, and has its id, with what was released of it."""
    by_id = {cell.id: cell for cell in released.values()}
    known = {grade_id(cell) for cell in cells}
    for cell in cells:
        its = by_id.get(cell.get("id", "")) if grade_id(cell) is None else None
        lost = its is not None and grade_id(its) not in known
        yield NotebookNode({**cell, "metadata": its.metadata}) if its and lost else cell


def is_changed(cell: NotebookNode, released: NotebookNode) -> bool:
    """Whether somebody wrote something into a released cell, or took something out of it."""
    return _lines(cell) != _lines(released)


def gives_names_of(released: NotebookNode, cells: Iterable[NotebookNode]) -> list[NotebookNode]:
    """Those of the cells that give a name a value which a released one gives a value."""
    names = set(_GIVEN.findall(released.source))
    return [cell for cell in cells if names & set(_GIVEN.findall(cell.source))]


def places(cells: Iterable[NotebookNode], release: NotebookNode) -> list[int | None]:
    """The place in its release of each cell; None of what the student added."""
    by_name = {grade_id(cell): place for place, cell in enumerate(release.cells) if grade_id(cell)}
    by_source = {
        (cell.cell_type, cell.source.strip()): place
        for place, cell in enumerate(release.cells)
        if not grade_id(cell)
    }
    return [
        by_name.get(grade_id(cell), by_source.get((cell.cell_type, cell.source.strip())))
        for cell in cells
    ]


def answered_elsewhere(
    cells: Sequence[NotebookNode],
    release: NotebookNode,
    copies: Mapping[str | None, Sequence[NotebookNode]],
) -> dict[str, list[NotebookNode]]:
    """The student's own cells that hold an answer, by the name of the cell that was for it."""
    stand = places(cells, release)
    found = {}
    for place, released in enumerate(release.cells):
        name = grade_id(released)
        if name is None or not is_solution(released):
            continue
        left = copies.get(name, ())
        if any(is_changed(cell, released) for cell in left):
            continue
        is_code = released.cell_type == "code"
        where = _own_up_to if is_code and not left else _own_at
        own = [c for c in where(place, cells, stand) if c.cell_type == released.cell_type]
        if is_code:
            own = gives_names_of(released, own)[-1:]
        if own := [cell for cell in own if cell.source.strip()]:
            found[name] = own
    return found


def _own_at(
    place: int, cells: Sequence[NotebookNode], stand: Sequence[int | None]
) -> list[NotebookNode]:
    """The student's own cells between those that stand around a place in the release."""
    before, own = -1, list[NotebookNode]()
    for cell, at in zip(cells, stand, strict=True):
        if at is None:
            own.append(cell)
        elif at != place:
            if before < place < at:
                return own
            before, own = at, []
    return own if before < place else []


def _own_up_to(
    place: int, cells: Sequence[NotebookNode], stand: Sequence[int | None]
) -> list[NotebookNode]:
    """The student's own cells before all that stands behind a place in the release.

    A released cell that is put back there would undo what they define.
    """
    pairs = zip(cells, stand, strict=True)
    up_to = takewhile(lambda pair: pair[1] is None or pair[1] < place, pairs)
    return [cell for cell, at in up_to if at is None]


def _written_in(cell: NotebookNode, released: NotebookNode, defined: set[str]) -> str:
    """What somebody imports in a locked cell, or defines there and no locked cell has `defined`."""
    if {cell.cell_type, released.cell_type} != {"code"} or not is_changed(cell, released):
        return ""
    given = set(_lines(released))
    if len(cell.source) > MOST_CODE or not (statements := parsed(cell.source).body):
        found = [line for line in _lines(cell) if line not in given and _IMPORT.match(line)]
        return "\n".join(found)
    there = set(map(ast.dump, parsed(released.source).body))
    with suppress(RecursionError):
        return "\n".join(
            ast.unparse(node)
            for node in statements
            if (_imports(node) or _defines(node, defined)) and ast.dump(node) not in there
        )
    return ""


def _imports(node: ast.stmt) -> bool:
    """Whether it imports, at least if it can."""
    if isinstance(node, ast.Try):
        return all(map(_imports, node.body))
    return isinstance(node, _IMPORTS)


def _defines(node: ast.stmt, defined: set[str]) -> bool:
    return isinstance(node, _DEFINITIONS) and node.name not in defined


def _lines(cell: NotebookNode) -> list[str]:
    """What it says, whatever its tool made of the ends of lines."""
    return [line.rstrip() for line in cell.source.strip().splitlines()]

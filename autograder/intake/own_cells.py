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
from difflib import SequenceMatcher
from itertools import takewhile

import nbformat
from nbformat import NotebookNode

from autograder import helper
from autograder.course.cells import grade_id, is_solution, parsed
from autograder.errors import NotDone

MOST_CODE = 100_000  # characters of a locked cell in which something of the student's is looked for
_GIVEN = re.compile(r"^(?:(?:async )?def |class )?(\w+)(?= *[=:(])", re.MULTILINE)
_IMPORT = re.compile(r"(?:import|from) [\w., ]+$")  # on one line
_IMPORTS = (ast.Import, ast.ImportFrom)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def in_shape(submission: NotebookNode, release: NotebookNode) -> list[NotebookNode]:
    """The cells of a submission: each known by its `grade_id`, and the student's own code apart.

    Raises:
        Ungraded: no helper can be started.
    """
    released = {grade_id(cell): cell for cell in release.cells if grade_id(cell)}
    code = {name: cell for name, cell in released.items() if cell.cell_type == "code"}
    locked = {name: cell for name, cell in code.items() if not is_solution(cell)}
    cells = list(_named(submission.cells, released))
    edited = [
        (place, cell.source, its.source)
        for place, cell in enumerate(cells)
        if (its := locked.get(grade_id(cell))) is not None
        and cell.cell_type == "code"
        and is_changed(cell, its)
    ]
    own = _own_code([pair for _, *pair in edited], [cell.source for cell in locked.values()])
    for (place, *_), source in reversed([*zip(edited, own, strict=True)]):
        cells[place + 1 : place + 1] = [nbformat.v4.new_code_cell(source)] if source else []
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
    return _lines(cell.source) != _lines(released.source)


def gives_names_of(released: NotebookNode, cells: Iterable[NotebookNode]) -> list[NotebookNode]:
    """Those of the cells that give a name a value which a released one gives a value."""
    names = set(_GIVEN.findall(released.source))
    return [cell for cell in cells if names & set(_GIVEN.findall(cell.source))]


def places(cells: Sequence[NotebookNode], release: NotebookNode) -> list[int | None]:
    """The place in its release of each cell; None of what the student added.

    A cell that nbgrader does not know is known by its id and text, or by its text where that stands
    in the order of the release: so of equal ones one is the released cell, and a copy is not.
    """
    wanted, found = [[*map(_key, those)] for those in (release.cells, cells)]
    by_name = {name: place for place, name in enumerate(wanted) if isinstance(name, str)}
    by_id = {(cell.id, wanted[place]): place for place, cell in enumerate(release.cells)}
    sure = [
        by_name.get(key) if isinstance(key, str) else by_id.get((cell.get("id"), key))
        for cell, key in zip(cells, found, strict=True)
    ]
    taken = {*sure}
    free = {n: place for n, place in in_order(found, wanted).items() if place not in taken}
    return [free.get(n) if place is None else place for n, place in enumerate(sure)]


def _key(cell: NotebookNode) -> str | tuple[str, str] | None:
    """What a cell is told apart by: its `grade_id`, or its type and text; None of an empty one."""
    text = cell.source.strip()
    return grade_id(cell) or ((cell.cell_type, text) if text else None)


def in_order(found: Sequence[object], wanted: Sequence[object]) -> dict[int, int]:
    """The places in `wanted` of what stands in `found` in the same order; a None has no place."""
    ours, theirs = ([n for n, one in enumerate(of) if one] for of in (wanted, found))
    match = SequenceMatcher(None, [wanted[n] for n in ours], [found[n] for n in theirs], False)
    blocks = match.get_matching_blocks()
    return {theirs[one.b + k]: ours[one.a + k] for one in blocks for k in range(one.size)}


def answered_elsewhere(
    cells: Sequence[NotebookNode],
    release: NotebookNode,
    copies: Mapping[str | None, Sequence[NotebookNode]],
    stand: Sequence[int | None],
) -> dict[str, list[NotebookNode]]:
    """The student's own cells that hold an answer, by the name of the cell that was for it.

    `stand`: their `places`.
    """
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


def _own_code(edited: Sequence[Sequence[str]], locked: Sequence[str]) -> list[str]:
    """What somebody imports in locked cells, or defines there and none of them does.

    What students wrote is parsed by the helper, which can be ended.

    Args:
        edited: cells as they are and as they were released.
        locked: all locked cells as they were released.
    """
    if not edited:
        return []
    try:
        return list(helper.run("autograder.intake.own_cells:_written_in", edited, locked))
    except NotDone:
        return [_imported_on_lines(*pair) for pair in edited]


def _written_in(edited: Sequence[Sequence[str]], locked: Sequence[str]) -> list[str]:
    """The helper's side."""
    statements = [node for source in locked for node in parsed(source).body]
    defined = {node.name for node in statements if isinstance(node, _DEFINITIONS)}
    return [_apart(source, released, defined) for source, released in edited]


def _apart(source: str, released: str, defined: set[str]) -> str:
    """What one cell imports, or defines and no locked cell has `defined`."""
    if len(source) > MOST_CODE or not (statements := parsed(source).body):
        return _imported_on_lines(source, released)
    there = set(map(ast.dump, parsed(released).body))
    with suppress(RecursionError):
        return "\n".join(
            ast.unparse(node)
            for node in statements
            if (_imports(node) or _defines(node, defined)) and ast.dump(node) not in there
        )
    return ""


def _imported_on_lines(source: str, released: str) -> str:
    """The lines that import, of what is no Python or too long to be read as such."""
    given = set(_lines(released))
    return "\n".join(line for line in _lines(source) if line not in given and _IMPORT.match(line))


def _imports(node: ast.stmt) -> bool:
    """Whether it imports, at least if it can."""
    if isinstance(node, ast.Try):
        return all(map(_imports, node.body))
    return isinstance(node, _IMPORTS)


def _defines(node: ast.stmt, defined: set[str]) -> bool:
    return isinstance(node, _DEFINITIONS) and node.name not in defined


def _lines(source: str) -> list[str]:
    """What a cell says, whatever its tool made of the ends of lines."""
    return [line.rstrip() for line in source.strip().splitlines()]

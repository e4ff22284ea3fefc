"""What students wrote into released cells and others of theirs, told apart from what stands there.

It is parsed by the helper, which can be ended.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from autograder import helper
from autograder.course.cells import lines, parsed
from autograder.errors import NotDone

MOST_CODE = 100_000  # characters of a cell in which something of the student's is looked for
_IMPORT = re.compile(r"(?:import|from) [\w., ]+$")  # on one line
_IMPORTS = (ast.Import, ast.ImportFrom)
_SETTING = (ast.Assign, ast.AnnAssign)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_OWN_NAMES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Place:
    """That of a released cell in a submission, and what may be joined to what stands there.

    Other released cells are told by their numbers.

    Attributes:
        number: of the released cell.
        given: the locked cells around it that the submission lacks.
        below_answer: whether it lacks the cell of an answer above it, with no other cell between.
        stubs: the cells of later answers that it lacks.
    """

    number: int
    is_answer: bool
    given: list[int]
    below_answer: bool
    stubs: list[int]


@dataclass(frozen=True)
class Edited:
    """A cell of a submission that is not as it was released."""

    source: str
    place: Place


Parts = tuple[str, list[str]]  # what stands before a cell, and what behind it, each by itself


def parts_of(
    cells: Sequence[Edited], released: Sequence[str], locked: Sequence[int]
) -> list[Parts]:
    """What of edited cells are the student's own cells around them.

    Of a locked one it is what somebody imports there, or defines and no locked cell does, and the
    statements of an answer that was joined to it; of an answer it is those joined to it.

    Args:
        released: all code cells as they were released.
        locked: the numbers of those that are locked.
    """
    if not cells:
        return []
    places = {cell.place.number: asdict(cell.place) for cell in cells}
    asked = [(cell.source, cell.place.number) for cell in cells]
    try:
        given = asked, [*places.values()], released, locked
        found = helper.run("autograder.intake.apart:_parts_of", *given)
        return [(before, behind) for before, behind in found]
    except NotDone:
        return [
            ("", [_imported_on_lines(cell.source, released[cell.place.number], cell.place)])
            for cell in cells
        ]


def _parts_of(
    cells: Sequence[tuple[str, int]],
    places: Sequence[dict[str, Any]],
    released: Sequence[str],
    locked: Sequence[int],
) -> list[Parts]:
    """The helper's side."""
    taken = set().union(*(_bound(parsed(released[number])) for number in locked))
    around = {its["number"]: _Around(Place(**its), released) for its in places}
    return [_apart(source, around[number], taken) for source, number in cells]


class _Around:
    """What is told once of all cells at one place.

    Attributes:
        there: the statements of the released cell, as text.
        given: those of the locked cells around it.
        own: the names to which the released cell gives a value.
        asked: those to which each cell of a later answer does.
    """

    def __init__(self, place: Place, released: Sequence[str]) -> None:
        self.place = place
        self.released = released[place.number]
        self.there = _dumped(self.released)
        self.given = _dumped(*(released[number] for number in place.given))
        self.own = _names(self.released)
        self.asked = [_names(released[number]) for number in place.stubs]


def _apart(source: str, around: _Around, taken: set[str]) -> Parts:
    """Those of one cell, where the locked ones give a value to the names that are `taken`."""
    statements = parsed(source).body if len(source) <= MOST_CODE else []
    if not statements:
        return "", [_imported_on_lines(source, around.released, around.place)]
    with suppress(RecursionError):
        return (
            _joined(around, statements)
            if around.place.is_answer
            else _in_locked(around, statements, taken)
        )
    return "", []


def _in_locked(around: _Around, statements: list[ast.stmt], taken: set[str]) -> Parts:
    there, given, cell = around.there, around.given, around.place
    own = [n for n, node in enumerate(statements) if ast.dump(node) in there]
    start = own[0] if own and cell.below_answer else 0
    end = own[-1] + 1 if own and cell.stubs else len(statements)
    kept = [
        node
        for node in statements[start:end]
        if (_imports(node) or _defines(node, taken)) and ast.dump(node) not in there
    ]
    before, behind = _without(given, statements[:start]), _without(given, statements[end:])
    return _text(before), [_text([*kept, *behind])]


def _joined(around: _Around, statements: list[ast.stmt]) -> Parts:
    """What defines each of later answers; for one that defines nothing, all that is behind."""
    own, asked = around.own, around.asked
    ends = [n for n, node in enumerate(statements) if own & _given(node)] or [len(statements)]
    others = own.union(*asked)
    last = _without(around.given, statements[ends[-1] + 1 :])
    rest = [node for node in last if not others & _given(node)]
    return "", [
        _text([node for node in statements if names & _given(node)] if names else rest)
        for names in asked
    ]


def _dumped(*sources: str) -> set[str]:
    return {ast.dump(node) for source in sources for node in parsed(source).body}


def _without(given: set[str], statements: Iterable[ast.stmt]) -> list[ast.stmt]:
    return [node for node in statements if ast.dump(node) not in given]


def _text(statements: Iterable[ast.stmt]) -> str:
    return "\n".join(map(ast.unparse, statements))


def _names(source: str) -> set[str]:
    return set().union(*map(_given, parsed(source).body))


def _given(node: ast.stmt) -> set[str]:
    """The names that a definition or an assignment gives a value."""
    return _bound(node) if isinstance(node, (*_DEFINITIONS, *_SETTING)) else set()


def _bound(node: ast.AST) -> set[str]:
    """The names of a cell that a part of it gives a value."""
    if isinstance(node, _DEFINITIONS):
        return {node.name}
    if isinstance(node, _IMPORTS):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, _OWN_NAMES):
        return set()
    own = {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else set()
    return own.union(*map(_bound, ast.iter_child_nodes(node)))


def _imported_on_lines(source: str, released: str, place: Place) -> str:
    """The lines of a locked one that import, if it is no Python or too long to be read as such."""
    own = [] if place.is_answer else lines(source)
    given = set(lines(released))
    return "\n".join(line for line in own if line not in given and _IMPORT.match(line))


def _imports(node: ast.stmt) -> bool:
    """Whether it imports, at least if it can."""
    if isinstance(node, ast.Try):
        return all(map(_imports, node.body))
    return isinstance(node, _IMPORTS)


def _defines(node: ast.stmt, taken: set[str]) -> bool:
    """Whether it only gives names a value, in any case or in some, and none that is `taken`."""
    if not _bound(node).isdisjoint(taken):
        return False
    if isinstance(node, ast.If | ast.Try):
        return all(_imports(one) or _defines(one, taken) for one in (*node.body, *node.orelse))
    if not isinstance(node, _SETTING):
        return isinstance(node, _DEFINITIONS)
    return not any(
        isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Store)
        for part in ast.walk(node)
    )

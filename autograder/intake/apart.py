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
class Edited:
    """A cell of a submission that is not as it was released, and what may be joined to it.

    Attributes:
        given: the locked cells around it that the submission lacks, as they were released.
        below_answer: whether it lacks the cell of an answer above it, with no other cell between.
        stubs: the cells of later answers that it lacks, as they were released.
    """

    source: str
    released: str
    is_answer: bool
    given: list[str]
    below_answer: bool
    stubs: list[str]


Parts = tuple[str, list[str]]  # what stands before a cell, and what behind it, each by itself


def parts_of(cells: Sequence[Edited], locked: Sequence[str]) -> list[Parts]:
    """What of edited cells are the student's own cells around them.

    Of a locked one it is what somebody imports there, or defines and no locked cell does, and the
    statements of an answer that was joined to it; of an answer it is those joined to it.

    Args:
        locked: all locked cells as they were released.
    """
    if not cells:
        return []
    try:
        asked = [asdict(cell) for cell in cells]
        found = helper.run("autograder.intake.apart:_parts_of", asked, locked)
        return [(before, behind) for before, behind in found]
    except NotDone:
        return [("", [_imported_on_lines(cell)]) for cell in cells]


def _parts_of(cells: Sequence[dict[str, Any]], locked: Sequence[str]) -> list[Parts]:
    """The helper's side."""
    taken = set().union(*(_bound(parsed(source)) for source in locked))
    return [_apart(Edited(**cell), taken) for cell in cells]


def _apart(cell: Edited, taken: set[str]) -> Parts:
    """Those of one cell, where the locked ones give a value to the names that are `taken`."""
    statements = parsed(cell.source).body if len(cell.source) <= MOST_CODE else []
    if not statements:
        return "", [_imported_on_lines(cell)]
    with suppress(RecursionError):
        return (_joined if cell.is_answer else _in_locked)(cell, statements, taken)
    return "", []


def _in_locked(cell: Edited, statements: list[ast.stmt], taken: set[str]) -> Parts:
    there, given = _dumped(cell.released), _dumped(*cell.given)
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


def _joined(cell: Edited, statements: list[ast.stmt], taken: set[str]) -> Parts:
    """What defines each of later answers; for one that defines nothing, all that is behind."""
    own, asked = _names(cell.released), [*map(_names, cell.stubs)]
    ends = [n for n, node in enumerate(statements) if own & _given(node)] or [len(statements)]
    others = own.union(*asked)
    last = _without(_dumped(*cell.given), statements[ends[-1] + 1 :])
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


def _imported_on_lines(cell: Edited) -> str:
    """The lines of a locked one that import, if it is no Python or too long to be read as such."""
    own = [] if cell.is_answer else lines(cell.source)
    given = set(lines(cell.released))
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

"""What students wrote into released cells and others of theirs, told apart from what stands there.

It is parsed by the helper, which can be ended.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from contextlib import suppress

from autograder import helper
from autograder.course.cells import parsed
from autograder.errors import NotDone

MOST_CODE = 100_000  # characters of a cell in which something of the student's is looked for
_IMPORT = re.compile(r"(?:import|from) [\w., ]+$")  # on one line
_IMPORTS = (ast.Import, ast.ImportFrom)
_SETTING = (ast.Assign, ast.AnnAssign)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def own_code(edited: Sequence[Sequence[str]], locked: Sequence[str]) -> list[str]:
    """What somebody imports in locked cells, or defines there and none of them does.

    What students wrote is parsed by the helper, which can be ended.

    Args:
        edited: cells as they are and as they were released.
        locked: all locked cells as they were released.
    """
    if not edited:
        return []
    try:
        return list(helper.run("autograder.intake.apart:_written_in", edited, locked))
    except NotDone:
        return [_imported_on_lines(*pair) for pair in edited]


def answers_in(cells: Sequence[tuple[str, Sequence[str]]]) -> list[list[str]]:
    """What somebody defines in the cells of earlier answers in place of each of these later ones.

    Args:
        cells: such a cell, and the later ones as they were released.
    """
    if not cells:
        return []
    try:
        return list(helper.run("autograder.intake.apart:_answers_in", cells))
    except NotDone:
        return [[] for _ in cells]


def _answers_in(cells: Sequence[tuple[str, Sequence[str]]]) -> list[list[str]]:
    """The helper's side."""
    return [[_defining(_names(stub), source) for stub in stubs] for source, stubs in cells]


def _defining(names: set[str], source: str) -> str:
    """The statements of a cell that give any of these names a value."""
    statements = parsed(source).body if len(source) <= MOST_CODE else []
    with suppress(RecursionError):
        return "\n".join(ast.unparse(node) for node in statements if names & _given(node))
    return ""


def _names(source: str) -> set[str]:
    return set().union(*map(_given, parsed(source).body))


def _given(node: ast.stmt) -> set[str]:
    """The names that a definition or an assignment gives a value."""
    if isinstance(node, _DEFINITIONS):
        return {node.name}
    if not isinstance(node, _SETTING):
        return set()
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    parts = [part for target in targets for part in ast.walk(target)]
    return {p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}


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
    given = set(lines(released))
    return "\n".join(line for line in lines(source) if line not in given and _IMPORT.match(line))


def _imports(node: ast.stmt) -> bool:
    """Whether it imports, at least if it can."""
    if isinstance(node, ast.Try):
        return all(map(_imports, node.body))
    return isinstance(node, _IMPORTS)


def _defines(node: ast.stmt, defined: set[str]) -> bool:
    return isinstance(node, _DEFINITIONS) and node.name not in defined


def lines(source: str) -> list[str]:
    """What a cell says, whatever its tool made of the ends of lines."""
    return [line.rstrip() for line in source.strip().splitlines()]

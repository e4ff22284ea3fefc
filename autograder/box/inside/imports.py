"""How a cell goes on behind an import of what is not installed here.

Theory of operation. Students write where more is installed (`google.colab`, plotting libraries that
an answer does not need), and a kernel leaves out all that follows in the cell: the imports of what
is there, too. In a box a statement of the top level that imports what is missing fails with its
traceback, as does each later one that asks for a name which it leaves without a value; all others
run.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

IMPORTS = (ast.Import, ast.ImportFrom)


def at_once(nodes: Sequence[ast.stmt], missing: Collection[str]) -> int:
    """How many of the statements run together: up to one behind which a cell may have to go on."""
    if missing:
        return 1
    places = (place for place, node in enumerate(nodes, start=1) if isinstance(node, IMPORTS))
    return next(places, len(nodes))


def left_without(
    node: ast.stmt, error: BaseException | None, missing: Collection[str]
) -> set[str] | None:
    """The names that `node` leaves without a value; None where its error is of another kind."""
    if isinstance(node, IMPORTS) and isinstance(error, ModuleNotFoundError):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    if isinstance(error, NameError) and error.name in missing:
        named = (one for one in ast.walk(node) if isinstance(one, ast.Name))
        return {one.id for one in named if isinstance(one.ctx, ast.Store)}
    return None

"""How a cell goes on behind what the machine where it was written has, and a box has not.

Theory of operation. Students write where more is installed (`google.colab`, plotting libraries that
an answer does not need, magics), and a kernel leaves out all that follows in the cell: the imports
of what is there, too. In a box a statement of the top level that asks for what is missing fails
with its traceback, as does each later one that asks for a name which it leaves without a value; all
others run.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from IPython.core.error import UsageError


def left_without(
    node: ast.stmt, error: BaseException | None, missing: Collection[str]
) -> set[str] | None:
    """The names that `node` leaves without a value; None where its error is of another kind."""
    if _is_not_there(error) or (isinstance(error, NameError) and error.name in missing):
        return {name for part in ast.walk(node) for name in _bound_by(part)}
    return None


def _is_not_there(error: BaseException | None) -> bool:
    """Whether a library or a magic is missing, and not a name in a library that is there."""
    if isinstance(error, ImportError):
        return isinstance(error, ModuleNotFoundError) or error.name is None
    return isinstance(error, UsageError)


def _bound_by(part: ast.AST) -> set[str]:
    match part:
        case ast.alias(name=name, asname=asname):
            return {asname or name.partition(".")[0]}
        case ast.Name(id=name, ctx=ast.Store()):
            return {name}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
    return set()

"""Mechanical mutants of a solution: one small change of its syntax tree each."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS: dict[type[ast.AST], list[type[ast.AST]]] = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div],
    ast.Div: [ast.Mult],
    ast.FloorDiv: [ast.Mult],
    ast.Mod: [ast.Mult],
    ast.Pow: [ast.Mult],
    ast.MatMult: [ast.Mult],
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
}


@dataclass(frozen=True)
class Mutant:
    """A changed solution.

    Attributes:
        was: the statement as the instructor wrote it, of a compound one its first line.
        becomes: the same statement changed; empty when it was dropped.
        source: the whole changed cell.
    """

    was: str
    becomes: str
    source: str


def mutants(source: str) -> list[Mutant]:
    """Every mutant of `source`, each once, in the order of the text."""
    tree = ast.parse(source)
    local = _local_names(tree)
    found: dict[str, Mutant] = {}
    for place, node in enumerate(ast.walk(tree)):
        for change in _changes(node, local):
            changed = copy.deepcopy(tree)
            twin = next(n for i, n in enumerate(ast.walk(changed)) if i == place)
            statement = _statement_of(changed, twin)
            was = _first_line(statement)
            if not _apply(changed, twin, change):
                continue
            text = ast.unparse(changed)
            after = change if isinstance(change, ast.stmt) else statement
            becomes = "" if change is None else _first_line(after)
            found.setdefault(text, Mutant(was, becomes, text))
    found.pop(ast.unparse(tree), None)
    return list(found.values())


def _changes(node: ast.AST, local: set[str]) -> Iterator[ast.AST | None]:
    """What may stand in the place of `node`; None drops it."""
    for other in OPERATORS.get(type(node), []):
        yield other()
    if isinstance(node, ast.Constant):
        yield from _other_constants(node.value)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Call):
        yield from _other_calls(node, local)
    elif isinstance(node, ast.IfExp | ast.If):
        yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)) or isinstance(
        node, ast.AugAssign
    ):
        yield None


def _other_constants(value: object) -> Iterator[ast.AST]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
        if value > 0:
            yield ast.Constant(value - 1)
    elif isinstance(value, float):
        yield ast.Constant(value * 2 if value else 1.0)


def _other_calls(call: ast.Call, local: set[str]) -> Iterator[ast.AST]:
    """Without the call, with two arguments swapped, and without each keyword."""
    if call.args and not isinstance(call.args[0], ast.Starred):
        yield call.args[0]
    if isinstance(call.func, ast.Attribute):
        owner = call.func.value
        if not isinstance(owner, ast.Name) or owner.id in local:
            yield owner
    if len(call.args) > 1:
        yield _with(call, args=[call.args[1], call.args[0], *call.args[2:]])
    for place in range(len(call.keywords)):
        kept = call.keywords[:place] + call.keywords[place + 1 :]
        yield _with(call, keywords=kept)


def _local_names(tree: ast.AST) -> set[str]:
    """Arguments and variables: names whose methods compute something."""
    found = {
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return (found | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}) - {"self"}


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _apply(tree: ast.AST, node: ast.AST, change: ast.AST | None) -> bool:
    """Puts `change` where `node` is; False where that would leave an empty body."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, name, change)
                return change is not None
            if isinstance(value, list):
                for place, child in enumerate(value):
                    if child is node:
                        value[place : place + 1] = [] if change is None else [change]
                        return bool(value)
    return False


def _statement_of(tree: ast.AST, node: ast.AST) -> ast.stmt:
    """The innermost statement that holds `node`."""
    holding = [s for s in ast.walk(tree) if isinstance(s, ast.stmt) and node in ast.walk(s)]
    return holding[-1]


def _first_line(statement: ast.stmt) -> str:
    return ast.unparse(statement).partition("\n")[0]

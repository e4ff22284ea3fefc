"""Changes that need to know nothing but the syntax: operators, constants, calls, conditions."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from itertools import pairwise

from autograder.grading.mutations.places import Place

Other = Iterator[ast.AST | None]
OPERATORS: dict[type[ast.operator], list[type[ast.operator]]] = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div],
    ast.Div: [ast.Mult],
    ast.FloorDiv: [ast.Mult],
    ast.Mod: [ast.Mult],
    ast.Pow: [ast.Mult],
    ast.MatMult: [ast.Mult],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
}
COMPARISONS: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
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
}


def with_fields(node: ast.AST, **fields: object) -> ast.AST:
    """A copy of `node` with other fields."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def operator(place: Place) -> Other:
    """Another operator or comparison, and no sign."""
    node = place.node
    if isinstance(node, ast.BinOp | ast.AugAssign):
        for other in OPERATORS.get(type(node.op), []):
            yield with_fields(node, op=other())
    elif isinstance(node, ast.Compare):
        for number, comparison in enumerate(node.ops):
            for kind in COMPARISONS.get(type(comparison), []):
                ops = [*node.ops[:number], kind(), *node.ops[number + 1 :]]
                yield with_fields(node, ops=ops)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand


def operands(place: Place) -> Other:
    """One side of a sum or a product alone."""
    node = place.node
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult | ast.Div):
        yield node.left
        if not isinstance(node.op, ast.Div):
            yield node.right


def constant(place: Place) -> Other:
    """Another number or truth value."""
    value = getattr(place.node, "value", None) if isinstance(place.node, ast.Constant) else None
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
        if value > 0:
            yield ast.Constant(value - 1)
    elif isinstance(value, float):
        yield ast.Constant(value * 2 if value else 1.0)


def condition(place: Place) -> Other:
    """The opposite of a condition, and its other connective."""
    node = place.node
    if isinstance(node, ast.IfExp | ast.If):
        yield with_fields(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.BoolOp):
        yield with_fields(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())


def missing_call(place: Place) -> Other:
    """The argument of a call, or what its method belongs to, in its place."""
    node = place.node
    if not isinstance(node, ast.Call):
        return
    if node.args and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]
    if isinstance(node.func, ast.Attribute):
        owner = node.func.value
        if not isinstance(owner, ast.Name) or owner.id in place.places.local_names:
            yield owner


def neighbours_exchanged(place: Place) -> Other:
    """Two arguments of a call, side by side, exchanged; two results likewise."""
    node = place.node
    field = "args" if isinstance(node, ast.Call) else "elts" if isinstance(node, ast.Tuple) else ""
    parts = getattr(node, field, [])
    texts = [ast.dump(part) for part in parts]
    for n, (one, other) in enumerate(pairwise(parts)):
        if texts[n] != texts[n + 1]:
            exchanged = [*parts[:n], other, one, *parts[n + 2 :]]
            yield with_fields(node, **{field: exchanged})


def swapped_arguments(place: Place) -> Other:
    """Two arguments of a call, or two results, side by side, exchanged."""
    if isinstance(place.node, ast.Call) or isinstance(place.parent, ast.Return):
        yield from neighbours_exchanged(place)


def missing_keyword(place: Place) -> Other:
    """A call without one of its keywords."""
    node = place.node
    if isinstance(node, ast.Call):
        for number in range(len(node.keywords)):
            yield with_fields(node, keywords=node.keywords[:number] + node.keywords[number + 1 :])


def missing_statement(place: Place) -> Other:
    """Without a call that stands for itself, or a change in place."""
    node = place.node
    alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    if alone or isinstance(node, ast.AugAssign):
        yield None


def slice_ends(place: Place) -> Other:
    """A slice that begins or ends one further."""
    node = place.node
    if not isinstance(node, ast.Slice):
        return
    if node.lower is None:
        yield with_fields(node, lower=ast.Constant(1))
    elif not isinstance(node.lower, ast.Constant):
        yield with_fields(node, lower=ast.BinOp(node.lower, ast.Add(), ast.Constant(1)))
    if node.upper is None:
        yield with_fields(node, upper=ast.Constant(-1))
    elif not isinstance(node.upper, ast.Constant):
        yield with_fields(node, upper=ast.BinOp(node.upper, ast.Sub(), ast.Constant(1)))

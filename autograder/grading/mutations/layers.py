"""Changes of the layers of a module: their dropout, their bias, and whose they are."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from autograder.grading.mutations.places import Place
from autograder.grading.mutations.syntax import Other, with_fields
from autograder.grading.mutations.tensors import called, expression, is_function

WITH_BIAS = ("Linear", "LayerNorm", "Conv1d", "Conv2d")


def dropout_elsewhere(place: Place) -> Other:
    """A function without one of its dropouts, which comes last instead."""
    node = place.node
    if not is_function(place):
        return
    assert isinstance(node, ast.FunctionDef)
    for call in place.places.within(node):
        if isinstance(call.node, ast.Call) and _is_dropout(call):
            yield _MovedToTheEnd(call.node).visit(copy.deepcopy(node))


class _MovedToTheEnd(ast.NodeTransformer):
    def __init__(self, call: ast.Call) -> None:
        self._call, self._text = call, ast.unparse(call)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        return node.args[0] if ast.unparse(node) == self._text else node

    def visit_Return(self, node: ast.Return) -> ast.Return:
        self.generic_visit(node)
        return ast.Return(ast.Call(self._call.func, [node.value or ast.Constant(None)], []))


def _is_dropout(place: Place) -> bool:
    func = place.node.func if isinstance(place.node, ast.Call) else None
    owner = place.places.of(func) if func is not None else None
    return owner is not None and owner.seen is not None and owner.seen.name.startswith("Dropout")


def no_bias(place: Place) -> Other:
    """A layer without its bias."""
    node = place.node
    if isinstance(node, ast.Call) and called(node) in WITH_BIAS:
        others = [one for one in node.keywords if one.arg != "bias"]
        yield with_fields(node, keywords=[*others, ast.keyword("bias", ast.Constant(False))])


def shared(place: Place) -> Other:
    """One layer in the place of several."""
    node = place.node
    if isinstance(node, ast.ListComp) and isinstance(node.elt, ast.Call):
        (first, *_) = node.generators
        yield expression("[one] * len(list(others))", one=node.elt, others=first.iter)
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
        for other in _layers_before(place, node):
            yield with_fields(node, value=other)


def _layers_before(place: Place, node: ast.Assign) -> Iterator[ast.expr]:
    """Attributes that were set by the same call before."""
    if place.function is None or not isinstance(node.value, ast.Call):
        return
    made = ast.unparse(node.value)
    for other in place.function.body:
        if other is node:
            return
        if isinstance(other, ast.Assign) and ast.unparse(other.value) == made:
            yield with_fields(other.targets[0], ctx=ast.Load())  # type: ignore[misc]

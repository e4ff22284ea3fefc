"""Steps that students take where none belongs."""

from __future__ import annotations

import ast

from autograder.grading.mutations.places import Place
from autograder.grading.mutations.syntax import Other, with_fields
from autograder.grading.mutations.tensors import (
    called,
    expression,
    is_answer,
    is_read,
    method,
    same_shape,
)

BOUND = 9
NEAR_ZERO = 0.3
"""Where tanh changes a number by less than a hundredth."""


def _is_step(place: Place) -> bool:
    """Whether it is the value of a statement, or what a layer gives."""
    func = getattr(place.node, "func", None)
    by_layer = func is not None and place.places.of(func).is_a("module")
    given = by_layer and place.runs and is_read(place) and place.is_a("tensor")
    return given or is_answer(place, "tensor")


def extra_softmax(place: Place) -> Other:
    """A result that is turned into probabilities, or into their logarithms."""
    shape = place.seen.shape if place.seen is not None else ()
    if not (is_answer(place, "tensor") and isinstance(place.parent, ast.Return)):
        return
    if shape[-1:] > (1,):
        yield expression("torch.softmax(a, dim=-1)", a=place.node)
        if called(place.node) != "log_softmax":
            yield expression("torch.log_softmax(a, dim=-1)", a=place.node)


def doubled_call(place: Place) -> Other:
    """A call of the result of the same call."""
    node = place.node
    if not isinstance(node, ast.Call) or len(node.args) != 1 or not place.runs:
        return
    inner = place.places.of(node.args[0])
    if place.is_a("tensor") and same_shape(place, inner):
        yield with_fields(node, args=[node])


def clamped(place: Place) -> Other:
    """A value that is kept within bounds, where it is not normed anyhow."""
    if "norm" in called(place.node).lower():
        return
    if is_answer(place, "tensor") and place.seen is not None and place.seen.largest > 1:
        bound = ast.Constant(BOUND)
        yield method(place.node, "clamp", expression("-b", b=bound), bound)


def activated(place: Place) -> Other:
    """An activation where the numbers should stay as they are."""
    if not _is_step(place) or place.seen is None:
        return
    if place.seen.smallest < 0:
        yield expression("torch.relu(a)", a=place.node)
    if place.seen.largest > NEAR_ZERO:
        yield expression("torch.tanh(a)", a=place.node)


def normed(place: Place) -> Other:
    """Vectors of length 1, or of mean 0 and variance 1, where they should stay as they are."""
    shape = place.seen.shape if place.seen is not None else ()
    if _is_step(place) and shape[-1:] > (1,) and "norm" not in called(place.node).lower():
        yield expression("torch.nn.functional.normalize(a, dim=-1)", a=place.node)
        yield expression("torch.nn.functional.layer_norm(a, [a.shape[-1]])", a=place.node)


def reversed_order(place: Place) -> Other:
    """What lies along an axis, from its end; not along that of features."""
    shape = place.seen.shape if place.seen is not None else ()
    if is_answer(place, "tensor", "integers", "mask"):
        for axis in range(1, len(shape) - place.is_a("tensor")):
            if shape[axis] > 1:
                yield method(place.node, "flip", ast.Constant(axis))


def extra_residual(place: Place) -> Other:
    """An input is added to what is made of it."""
    if not is_answer(place, "tensor") or place.function is None:
        return
    for other in place.places.within(place.function):
        node = other.node
        if not isinstance(node, ast.Name) or node.id not in place.arguments:
            continue
        if other.is_a("tensor") and same_shape(place, other):
            yield expression("a + b", a=place.node, b=ast.Name(node.id, ast.Load()))
            return

"""Small changes to a wrong answer that may make it right, the likeliest kinds first."""

from __future__ import annotations

import ast

from autograder.grading.mutations import syntax
from autograder.grading.mutations.kinds import Kind
from autograder.grading.mutations.places import Place
from autograder.grading.mutations.syntax import Other, with_fields

NUMBERS = (0, 1, 2, -1, -2)
LOAD = ast.Load()


def opened(place: Place) -> Other:
    """What stands in a block without the block's head; a function without decorators."""
    node = place.node
    if isinstance(node, ast.With | ast.If):
        yield ast.If(ast.Constant(True), node.body, [])
    elif isinstance(node, ast.FunctionDef) and node.decorator_list:
        yield with_fields(node, decorator_list=[])


def other_number(place: Place) -> Other:
    """Another number, or a size of an argument."""
    yield from syntax.constant(place)
    value = getattr(place.node, "value", None)
    if not isinstance(place.node, ast.Constant) or isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield from (ast.Constant(number) for number in NUMBERS if number != value)
        yield ast.Constant(1 / value if value else 0.5)
    if isinstance(value, int) and value > max(NUMBERS):
        for name in place.arguments:
            yield from (_size(name, axis) for axis in (-1, 1, 0))


def _size(name: str, axis: int) -> ast.expr:
    return ast.parse(f"{name}.shape[{axis}]", mode="eval").body


def neighbours_exchanged(place: Place) -> Other:
    """Two arguments of a call, side by side, exchanged; two results likewise."""
    node = place.node
    field = "args" if isinstance(node, ast.Call) else "elts" if isinstance(node, ast.Tuple) else ""
    parts = getattr(node, field, [])
    for n in range(len(parts) - 1):
        exchanged = [*parts[:n], parts[n + 1], parts[n], *parts[n + 2 :]]
        yield with_fields(node, **{field: exchanged})


def other_name(place: Place) -> Other:
    """Another argument or variable of the function, another attribute of the object."""
    node = place.node
    if place.function is None or not isinstance(getattr(node, "ctx", None), ast.Load):
        return
    if isinstance(node, ast.Name):
        inside = list(ast.walk(place.function))
        set_ = [n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        names = dict.fromkeys([*place.arguments, *set_])
        if node.id in names:
            yield from (ast.Name(name, LOAD) for name in names if name != node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield from (with_fields(node, attr=name) for name in _attributes(place, node))


def _attributes(place: Place, node: ast.Attribute) -> list[str]:
    """Other attributes that the class sets on itself."""
    around = list(ast.walk(place.around)) if place.around else []
    owner = ast.unparse(node.value)
    of_owner = [n for n in around if isinstance(n, ast.Attribute) and ast.unparse(n.value) == owner]
    names = dict.fromkeys(n.attr for n in of_owner if isinstance(n.ctx, ast.Store))
    return [name for name in names if name != node.attr] if node.attr in names else []


def whole_stretch(place: Place) -> Other:
    """A slice that begins or ends elsewhere, or nowhere."""
    yield from syntax.slice_ends(place)
    node = place.node
    if isinstance(node, ast.Slice):
        for end in ("lower", "upper"):
            if getattr(node, end) is not None:
                yield with_fields(node, **{end: None})


REPAIRS = {
    "missing_call": Kind(syntax.missing_call),
    "operands": Kind(syntax.operands),
    "missing_statement": Kind(syntax.missing_statement),
    "missing_keyword": Kind(syntax.missing_keyword),
    "opened": Kind(opened),
    "other_number": Kind(other_number),
    "exchanged": Kind(neighbours_exchanged),
    "operator": Kind(syntax.operator),
    "other_name": Kind(other_name),
    "condition": Kind(syntax.condition),
    "stretch": Kind(whole_stretch),
}
SAID = {
    "missing_call": "a step there is one too many",
    "operands": "a term or factor there is one too many",
    "missing_statement": "what it does is one step too many",
    "missing_keyword": "a setting there is one too many",
    "opened": "it holds what stands in it back from something",
    "other_number": "a number there should be another one",
    "exchanged": "two things there stand in each other's place",
    "operator": "an operator or comparison there should be another one",
    "other_name": "a variable or layer there should be another one",
    "condition": "a condition there holds where it should not",
    "stretch": "a stretch of a sequence there begins or ends elsewhere",
}
"""What is said of the place of a repair."""

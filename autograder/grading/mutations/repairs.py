"""Small changes to a wrong answer that may make it right, the likeliest kinds first."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.grading.mutations import syntax
from autograder.grading.mutations.kinds import Kind
from autograder.grading.mutations.places import Place
from autograder.grading.mutations.syntax import Other, with_fields

NUMBERS = (0, 1, 2, -1, -2)
LARGE = 1e9
LOAD = ast.Load()
AXES = ("dim", "axis", "start_dim", "end_dim")
BOOLEANS = (ast.Name, ast.Subscript, ast.Call)
COUNTING = ("abs", "float", "int", "len", "max", "min", "range", "round", "sum")
"""Functions that take or give no mask."""
COMPARED = (ast.NotEq, ast.Eq, ast.LtE, ast.GtE, ast.Lt, ast.Gt)
ALIKE = [
    ("sum", "mean", "amax"),
    ("sin", "cos"),
    ("log", "log2", "log10", "log1p"),
    ("argmax", "argmin"),
    ("tril", "triu"),
    ("any", "all"),
    ("softmax", "log_softmax"),
    ("ReLU", "GELU"),
    ("relu", "gelu"),
    ("xavier_uniform_", "xavier_normal_"),
]
"""Functions that are taken for each other."""
SETTINGS = {
    **{name: {"keepdim": "True"} for name in ("sum", "mean", "amax")},
    "dropout": {"training": "self.training"},
    "Linear": {"bias": "False"},
}
"""Arguments that are easily left out."""


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
        if not _is_axis(place):
            yield from (ast.Name(name, LOAD) for name in place.arguments)
        if value > max(NUMBERS):
            yield ast.Constant(LARGE)
    if isinstance(value, int) and value > max(NUMBERS):
        for name in place.arguments:
            yield from (_size(name, axis) for axis in (-1, 1, 0))


def _is_axis(place: Place) -> bool:
    """Whether a number names an axis, or counts in a subscript."""
    named = isinstance(place.parent, ast.keyword) and place.parent.arg in AXES
    return named or not isinstance(place.parent, ast.keyword | ast.Call | ast.BinOp)


def _size(name: str, axis: int) -> ast.expr:
    return ast.parse(f"{name}.shape[{axis}]", mode="eval").body


def other_name(place: Place) -> Other:
    """Another argument or variable of the function, another attribute of the object."""
    node = place.node
    if place.function is None or not isinstance(getattr(node, "ctx", None), ast.Load):
        return
    if isinstance(node, ast.Name):
        stored = place.places.stored(place.function)
        set_ = [one.id for one in stored if isinstance(one, ast.Name)]
        names = dict.fromkeys([*place.arguments, *set_])
        if node.id in names:
            yield from (ast.Name(name, LOAD) for name in names if name != node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        names = dict.fromkeys(_attributes_set(place, node.value.id))
        if node.attr in names:
            yield from (with_fields(node, attr=name) for name in names if name != node.attr)


def _attributes_set(place: Place, owner: str) -> Iterator[str]:
    """The attributes that the class around sets on a variable, as on `self`."""
    for one in place.places.stored(place.around) if place.around else []:
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name):
            yield from [one.attr] if one.value.id == owner else []


def whole_stretch(place: Place) -> Other:
    """A slice that begins or ends elsewhere, or nowhere."""
    yield from syntax.slice_ends(place)
    node = place.node
    if isinstance(node, ast.Slice):
        for end in ("lower", "upper"):
            if getattr(node, end) is not None:
                yield with_fields(node, **{end: None})
        if node.lower is not None and node.upper is not None:
            yield node.lower


def out_of_place(place: Place) -> Other:
    """A new tensor instead of one that is overwritten."""
    node = place.node
    if isinstance(node, ast.AugAssign):
        old = with_fields(node.target, ctx=LOAD)
        yield ast.Assign([node.target], ast.BinOp(old, node.op, node.value))  # type: ignore[arg-type]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name.endswith("_") and not name.startswith("_"):
            yield with_fields(node, func=with_fields(node.func, attr=name[:-1]))


def turned_round(place: Place) -> Other:
    """The opposite of a mask: of an argument of a call, or of what such an argument is made of."""
    node, parent = place.node, place.parent
    if not isinstance(parent, ast.Call) or node not in parent.args or _counts(parent):
        return
    if isinstance(node, BOOLEANS) and not _counts(node):
        yield ast.UnaryOp(ast.Invert(), node)


def _counts(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Name) and called.id in COUNTING


def missing_argument(place: Place) -> Other:
    """A call without one of several arguments, the last first."""
    node = place.node
    if isinstance(node, ast.Call) and len(node.args) > 1:
        for number in reversed(range(len(node.args))):
            yield with_fields(node, args=node.args[:number] + node.args[number + 1 :])


def other_reach(place: Place) -> Other:
    """A call of one term or factor that takes in all of them, or of all that takes in one."""
    node = place.node
    if isinstance(node, ast.BinOp):
        for side in ("left", "right"):
            call = getattr(node, side)
            if _is_call_of_one(call):
                yield with_fields(call, args=[with_fields(node, **{side: call.args[0]})])
    elif _is_call_of_one(node) and isinstance(node.args[0], ast.BinOp):  # type: ignore[attr-defined]
        inner = node.args[0]  # type: ignore[attr-defined]
        for side in ("left", "right"):
            call = with_fields(node, args=[getattr(inner, side)])
            yield with_fields(inner, **{side: call})


def other_sequence(place: Place) -> Other:
    """Two calls, one of what the other gives, in the other order."""
    node = place.node
    if _is_call_of_one(node) and _is_call_of_one(node.args[0]):  # type: ignore[attr-defined]
        inner = node.args[0]  # type: ignore[attr-defined]
        yield with_fields(inner, args=[with_fields(node, args=inner.args)])


def _is_call_of_one(node: ast.AST) -> bool:
    """Whether a function is called with a single argument that stands at its place."""
    return isinstance(node, ast.Call) and len(node.args) == 1


def other_function(place: Place) -> Other:
    """A function that is taken for another one."""
    node = place.node
    if isinstance(node, ast.Attribute):
        alike = next((names for names in ALIKE if node.attr in names), ())
        yield from (with_fields(node, attr=name) for name in alike if name != node.attr)


def left_out(place: Place) -> Other:
    """A call with a setting that it lacks."""
    node = place.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        for name, value in SETTINGS.get(node.func.attr, {}).items():
            if name not in [keyword.arg for keyword in node.keywords]:
                setting = ast.keyword(name, ast.parse(value, mode="eval").body)
                yield with_fields(node, keywords=[*node.keywords, setting])


def other_operator(place: Place) -> Other:
    """Another operator, comparison or sign."""
    yield from syntax.operator(place)
    node = place.node
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], COMPARED):
        told = (type(node.ops[0]), *syntax.COMPARISONS[type(node.ops[0])])
        yield from (with_fields(node, ops=[kind()]) for kind in COMPARED if kind not in told)


REPAIRS = {
    "missing_call": Kind(syntax.missing_call),
    "operands": Kind(syntax.operands),
    "missing_statement": Kind(syntax.missing_statement),
    "missing_keyword": Kind(syntax.missing_keyword),
    "opened": Kind(opened),
    "overwritten": Kind(out_of_place),
    "operator": Kind(other_operator),
    "turned_round": Kind(turned_round),
    "left_out": Kind(left_out),
    "other_function": Kind(other_function),
    "reach": Kind(other_reach),
    "sequence": Kind(other_sequence),
    "exchanged": Kind(syntax.neighbours_exchanged),
    "missing_argument": Kind(missing_argument),
    "other_number": Kind(other_number),
    "other_name": Kind(other_name),
    "condition": Kind(syntax.condition),
    "stretch": Kind(whole_stretch),
}
SAID = {
    "missing_call": "a step there is one too many",
    "operands": "a term or factor there is one too many",
    "missing_statement": "what it does is one step too many",
    "missing_keyword": "a setting there is one too many",
    "opened": "its `with`, `if` or decorator is one too many",
    "overwritten": "it overwrites something, where a new tensor should be made",
    "operator": "an operator or comparison there should be another one",
    "turned_round": "what is true in a mask there should be false, and the other way round",
    "left_out": "a setting there is missing",
    "other_function": "a function there should be another one",
    "reach": "a step there takes in too little or too much",
    "sequence": "two steps there stand in the wrong order",
    "exchanged": "two things there stand in each other's place",
    "missing_argument": "an argument there is one too many",
    "other_number": "a number there should be another one",
    "other_name": "a variable or layer there should be another one",
    "condition": "a condition there holds where it should not",
    "stretch": "a stretch of a sequence there begins or ends elsewhere",
}
"""What is said of the place of a repair."""
DESTROYS = {
    "missing_call": "missing_call",
    "operands": "operands",
    "missing_statement": "missing_statement",
    "missing_argument": "missing_keyword",
    "other_name": "other_variable",
}
"""Changes after which a mistake may no longer show, with the kind of what they make of a right
answer: what is left then is the change itself."""

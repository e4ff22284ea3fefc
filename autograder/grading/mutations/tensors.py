"""Changes that students make with tensors, where the visible example shows what is one."""

from __future__ import annotations

import ast

from autograder.grading.mutations.places import Place
from autograder.grading.mutations.syntax import Other, with_fields

AXIS_KEYWORDS = ("dim", "axis", "axes")
AXIS_METHODS = (
    *("softmax", "log_softmax", "sum", "mean", "max", "amax", "argmax", "cumsum", "size"),
    *("transpose", "permute", "unsqueeze", "squeeze", "flatten", "cat", "stack"),
)
EXCHANGES = ("transpose", "permute", "swapaxes", "movedim", "t")
EXCHANGED = ("T", "mT")
IN_PLACE = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_"}
LOAD = ast.Load()


def method(owner: ast.AST, name: str, *arguments: ast.expr) -> ast.Call:
    """A call of a method of `owner`."""
    assert isinstance(owner, ast.expr)
    return ast.Call(ast.Attribute(owner, name, ast.Load()), list(arguments), [])


def called(node: ast.AST) -> str:
    """The last name of the function or method that `node` calls; empty when it calls none."""
    func = node.func if isinstance(node, ast.Call) else None
    return func.attr if isinstance(func, ast.Attribute) else ""


def is_function(place: Place) -> bool:
    """Whether it is a function or method that computes an answer."""
    return isinstance(place.node, ast.FunctionDef) and place.node.name != "__init__"


def expression(text: str, **parts: ast.AST) -> ast.expr:
    """An expression with others in the places of names."""

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return parts.get(node.id, node)

    filled: ast.Expression = Fill().visit(ast.parse(text, mode="eval"))
    return filled.body


def is_read(place: Place) -> bool:
    """Whether a value is read as a whole, and no attribute or method of it taken."""
    loaded = isinstance(getattr(place.node, "ctx", LOAD), ast.Load)
    return loaded and not isinstance(place.parent, ast.Attribute | ast.Expr)


def is_answer(place: Place, *kinds: str) -> bool:
    """Whether it is the value of a statement, of which there are few."""
    holds = place.parent
    return (
        place.runs
        and isinstance(holds, ast.Return | ast.Assign)
        and holds.value is place.node
        and place.is_a(*kinds)
    )


def cut_gradient(place: Place) -> Other:
    """A tensor that no gradient passes, and a function without any."""
    node = place.node
    named = isinstance(node, ast.Name | ast.Call)
    if place.runs and named and place.is_a("tensor") and is_read(place):
        yield method(node, "detach")
    if is_function(place):
        assert isinstance(node, ast.FunctionDef)
        start = 1 if ast.get_docstring(node) else 0
        context = ast.withitem(expression("torch.no_grad()"))
        body = ast.With([context], node.body[start:])
        yield with_fields(node, body=[*node.body[:start], body])


def by_mode(place: Place) -> Other:
    """A step that is made in one mode only."""
    node = place.node
    if not (place.around and place.runs and is_read(place)):
        return
    if isinstance(node, ast.Call) and len(node.args) == 1 and place.is_a("tensor"):
        inner = place.places.of(node.args[0])
        if same_shape(place, inner):
            yield expression("a if self.training else b", a=node, b=node.args[0])
            yield expression("b if self.training else a", a=node, b=node.args[0])
    elif isinstance(node, ast.BinOp) and place.is_a("tensor"):
        yield expression("a if self.training else b", a=node, b=node.left)


def other_variable(place: Place) -> Other:
    """Another argument, variable or layer of the same shape."""
    node = place.node
    if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return
    if place.function is None or place.seen is None:
        return
    mine, told = ast.unparse(node), set()
    for other in place.places.within(place.function):
        text = ast.unparse(other.node) if isinstance(other.node, type(node)) else mine
        if text != mine and text not in told and _alike(place, other):
            told.add(text)
            yield with_fields(other.node, ctx=ast.Load())


def same_shape(one: Place, other: Place) -> bool:
    return one.seen is not None and other.seen is not None and one.seen.shape == other.seen.shape


def _alike(one: Place, other: Place) -> bool:
    a, b = one.seen, other.seen
    if a is None or b is None or a.kind == "int":
        return False
    return (a.kind, a.shape, a.name) == (b.kind, b.shape, b.name)


def fixed_size(place: Place) -> Other:
    """The number that a size has in the visible example, where an answer is computed."""
    if place.runs:
        yield from _as_in_the_example(place)


def fixed_layer(place: Place) -> Other:
    """The same where a module is set up."""
    if not place.runs and place.function is not None:
        yield from _as_in_the_example(place)


def _as_in_the_example(place: Place) -> Other:
    whole = is_read(place) and not isinstance(place.parent, ast.UnaryOp)
    if whole and place.seen is not None and place.seen.kind == "int":
        yield ast.Constant(place.seen.value)


def other_end(place: Place) -> Other:
    """An axis counted from the other end."""
    node = place.node
    if isinstance(node, ast.keyword):
        if node.arg in AXIS_KEYWORDS and _axis(node.value) is not None:
            yield with_fields(node, value=_mirrored(node.value))
    elif called(node) in AXIS_METHODS:
        assert isinstance(node, ast.Call)
        for number, argument in enumerate(node.args):
            if _axis(argument) is not None:
                arguments = [*node.args[:number], _mirrored(argument), *node.args[number + 1 :]]
                yield with_fields(node, args=arguments)


def _axis(node: ast.expr) -> int | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if type(value) is int and -4 < value < 4 else None


def _mirrored(node: ast.expr) -> ast.expr:
    return ast.Constant(-1 - (_axis(node) or 0))


def squeezed(place: Place) -> Other:
    """A result without its axes of size 1."""
    if is_answer(place, "tensor", "integers", "mask"):
        yield method(place.node, "squeeze")


def reshaped(place: Place) -> Other:
    """The shape that exchanged axes have, with the numbers in their old order."""
    node = place.node
    exchanges = called(node) in EXCHANGES or getattr(node, "attr", "") in EXCHANGED
    if exchanges and place.seen is not None and place.seen.shape:
        owner = node.func.value if isinstance(node, ast.Call) else node.value  # type: ignore[attr-defined]
        if place.places.of(owner).is_a("tensor", "integers", "mask"):
            yield expression("a.reshape(b.shape)", a=owner, b=node)


def first_for_all(place: Place) -> Other:
    """What belongs to the first along the first axis, for all."""
    shape = place.seen.shape if place.seen is not None else ()
    if is_answer(place, "tensor", "integers", "mask") and len(shape) > 1 < shape[0]:
        yield expression("(lambda found: found[:1].expand_as(found))(a)", a=place.node)


def in_place(place: Place) -> Other:
    """What was handed in is overwritten."""
    node = place.node
    if not isinstance(node, ast.BinOp) or not place.runs or type(node.op) not in IN_PLACE:
        return
    left = node.left
    if not isinstance(left, ast.Name) or left.id not in place.arguments:
        return
    if place.places.of(left).is_a("tensor") and not _is_rebound(place, left.id):
        yield method(left, IN_PLACE[type(node.op)], node.right)


def _is_rebound(place: Place, name: str) -> bool:
    assert place.function is not None
    stored = place.places.stored(place.function)
    return any(isinstance(one, ast.Name) and one.id == name for one in stored)


def inverted_mask(place: Place) -> Other:
    """A mask that hides what it should show."""
    node = place.node
    named = isinstance(node, ast.Name | ast.Call | ast.Compare)
    if named and place.is_a("mask") and is_read(place):
        yield expression("~mask", mask=node)


def no_maximum(place: Place) -> Other:
    """A softmax by powers as they are, which overflow."""
    node = place.node
    if called(node) != "softmax" or not place.is_a("tensor"):
        return
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    given = [*node.args, *(k.value for k in node.keywords if k.arg == "dim")]
    if place.places.of(node.func.value).is_a("tensor"):
        given.insert(0, node.func.value)
    if len(given) == 2:
        scores, axis = given
        text = "torch.exp(s) / torch.exp(s).sum(dim=d, keepdim=True)"
        yield expression(text, s=scores, d=axis)


def kept(place: Place) -> Other:
    """The value of the first call, kept for all later ones."""
    if is_answer(place, "tensor", "integers", "mask") and place.function is not None:
        owner = "self" if place.around else place.function.name
        yield expression(f"{owner}.__dict__.setdefault('kept', v)", v=place.node)


def other_kind(place: Place) -> Other:
    """A result in single precision, whatever came in."""
    if is_answer(place, "tensor") and isinstance(place.parent, ast.Return):
        yield method(place.node, "float")

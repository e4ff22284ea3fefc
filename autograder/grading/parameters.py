"""Which functions of a student's take other arguments than the instructor's of the same name.

Theory of operation. Later answers of the student call what stands in an earlier one with all that
it takes. Where the instructor's stands there instead, it takes the same: what both know is handed
on, by name, else by place, and the rest is dropped, but for tensors.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.course.cells import parsed

_UNBOUND = {"staticmethod", "classmethod", "property"}
_TAKEN_AS = "__import__('autograder.box.inside.arguments', fromlist=['']).taken_as"


def taking_as(students: str, instructors: str) -> str:
    """Statements that make what the instructor's cell defines take what the student's takes.

    Empty where that takes no other arguments.
    """
    mine = dict(functions(parsed(students)))
    both = [(name, args) for name, args in functions(parsed(instructors)) if name in mine]
    found = ((name, mine[name], _handed(mine[name], args)) for name, args in both)
    return "\n".join(
        f"{name} = {_TAKEN_AS}({name}, {_bare(args)}, {handed})"
        for name, args, handed in found
        if handed
    )


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.arguments]]:
    """Each function that a cell defines, a method as `Class.method`, and what it takes."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node.args
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                yield ast.unparse(target), node.value.args
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and not _is_unbound(method):
                    yield f"{node.name}.{method.name}", method.args


def _is_unbound(method: ast.FunctionDef) -> bool:
    return not _UNBOUND.isdisjoint(map(ast.unparse, method.decorator_list))


def _handed(mine: ast.arguments, others: ast.arguments) -> dict[str, str]:
    """To which parameter of another function each goes; empty where both take the same.

    So it is, too, where one that the other function asks for would get nothing.
    """
    if others.posonlyargs or others.vararg or others.kwarg:
        return {}
    by_place = places(mine)
    own = {*by_place, *(one.arg for one in mine.kwonlyargs)}
    known = {one.arg for one in (*others.args, *others.kwonlyargs)}
    handed = {name: name for name in sorted(own & known)}
    for name, other in zip(by_place, (one.arg for one in others.args), strict=False):
        if name not in known and other not in own:
            handed[name] = other
    if mine.kwarg:
        handed |= {name: name for name in sorted(known - {*handed.values()})}
    same = own <= known and by_place == [one.arg for one in others.args[: len(by_place)]]
    if not (_required(others) <= {*handed.values()}) or (same and not (mine.vararg or mine.kwarg)):
        return {}
    return handed


def places(args: ast.arguments) -> list[str]:
    """The names of what may be handed in by place, in order."""
    return [one.arg for one in (*args.posonlyargs, *args.args)]


def _required(args: ast.arguments) -> set[str]:
    """The names of what has no default."""
    first = args.args[: len(args.args) - len(args.defaults)]
    named = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    return {one.arg for one in (*first, *(one for one, default in named if default is None))}


def _bare(args: ast.arguments) -> str:
    """A function that takes the same, whatever the defaults are, and does nothing."""
    none = ast.Constant(None)
    args.defaults = [none for _ in args.defaults]
    args.kw_defaults = [default and none for default in args.kw_defaults]
    for one in ast.walk(args):
        if isinstance(one, ast.arg):
            one.annotation = None
    return ast.unparse(ast.Lambda(args, none))

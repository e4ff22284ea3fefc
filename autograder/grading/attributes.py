"""By which other names a student's module knows its parts than the instructor's of the same name.

Theory of operation. Later answers of the student reach into a module by the names that the student
gave its layers. Where the instructor's stands there instead, its layers answer to these names, too:
the layers that are made by the same classes are taken for one another in the order in which they
are made, where both modules have as many.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from autograder.course.cells import parsed

_KEEPERS = {"ModuleList", "ModuleDict", "Sequential"}
"""Classes that only keep what another one made."""

Made = dict[str, frozenset[str]]
"""By the name of what is assigned: the classes of which something is made for it."""


def known_as(students: str, instructors: str) -> str:
    """Statements that give layers of the instructor's modules the names that the student's have.

    Empty where the names are the same, or nothing tells which is which.
    """
    mine, others = _classes(students), _classes(instructors)
    return "\n".join(
        f"{name}.{own} = property(lambda module: module.{other})"
        for name in others
        if name in mine
        for own, other in _pairs(mine[name], others[name])
    )


def _classes(source: str) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in parsed(source).body if isinstance(node, ast.ClassDef)}


def _pairs(mine: ast.ClassDef, other: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """The names that are free in the other class, each with that of the layer that it means."""
    own_names, names = _by_classes(_layers(mine)), _by_classes(_layers(other))
    taken = {node.name for node in other.body if isinstance(node, ast.FunctionDef)}
    taken |= {node.attr for node in ast.walk(other) if isinstance(node, ast.Attribute)}
    for classes, own in own_names.items():
        if len(own) == len(names.get(classes, ())):
            for pair in zip(own, names[classes], strict=True):
                if pair[0] not in taken:
                    yield pair


def _by_classes(made: Made) -> dict[frozenset[str], list[str]]:
    found: dict[frozenset[str], list[str]] = {}
    for name, classes in made.items():
        if classes:
            found.setdefault(classes, []).append(name)
    return found


def _layers(module: ast.ClassDef) -> Made:
    """Of what each attribute is made that `__init__` sets, in the order of the first time."""
    methods = (node for node in module.body if isinstance(node, ast.FunctionDef))
    init = next((method for method in methods if method.name == "__init__"), None)
    if init is None or not init.args.args:
        return {}
    own, made, variables = init.args.args[0].arg, Made(), Made()
    for node in _in_order(init):
        for target, value in _kept(node):
            if isinstance(target, ast.Name):
                variables[target.id] = _classes_called(value, variables)
            elif isinstance(target, ast.Attribute) and ast.unparse(target.value) == own:
                before = made.get(target.attr, frozenset())
                made[target.attr] = before | _classes_called(value, variables)
    return made


def _in_order(tree: ast.AST) -> list[ast.stmt]:
    found = (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def _kept(node: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a statement puts where: by `=`, or into a list that is there."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        if isinstance(called, ast.Attribute) and called.attr in ("append", "extend"):
            yield from ((called.value, argument) for argument in node.value.args)


def _classes_called(value: ast.expr, variables: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The classes, which begin with a large letter, that are called in an expression.

    With them those from which the `variables` in it were made.
    """
    found: set[str] = set()
    for node in ast.walk(value):
        if isinstance(node, ast.Name):
            found |= variables.get(node.id, frozenset())
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            found |= {name} if name[:1].isupper() else set()
    return frozenset(found - _KEEPERS)

"""Where in a solution something may be changed, and what is known about it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from autograder.grading.mutations.observing import Observation

Function = ast.FunctionDef


@dataclass(frozen=True)
class Place:
    """A node of the tree.

    Attributes:
        node: it.
        number: its number in the order of `ast.walk`.
        seen: what it was when the visible example ran; None for what is no expression.
        parent: the node that holds it.
        function: the innermost function that it stands in.
        around: the innermost class that it stands in.
        places: all places.
    """

    node: ast.AST
    number: int
    seen: Observation | None
    parent: ast.AST | None
    function: Function | None
    around: ast.ClassDef | None
    places: Places

    @property
    def runs(self) -> bool:
        """Whether it computes an answer, which what sets a module up does not."""
        return self.function is not None and self.function.name != "__init__"

    def is_a(self, *kinds: str) -> bool:
        """Whether it is an expression that was seen to be of one of `kinds`."""
        return self.seen is not None and self.seen.kind in kinds

    @property
    def arguments(self) -> list[str]:
        """The names of the function's arguments but `self`."""
        found = self.function.args if self.function else None
        names = [one.arg for one in (*found.posonlyargs, *found.args)] if found else []
        return [name for name in names if name != "self"]


class Places:
    """All nodes of a tree, in the order of `ast.walk`."""

    def __init__(self, tree: ast.AST, seen: Mapping[int, Observation]) -> None:
        self.tree = tree
        self._nodes = list(ast.walk(tree))
        self._number = {id(node): number for number, node in enumerate(self._nodes)}
        self._parent = {
            id(child): node for node in self._nodes for child in ast.iter_child_nodes(node)
        }
        self._seen = seen
        self._stored: dict[int, list[ast.Name | ast.Attribute]] = {}

    def __iter__(self) -> Iterator[Place]:
        for node in self._nodes:
            yield self.of(node)

    def of(self, node: ast.AST) -> Place:
        """The place of a node of the tree."""
        holders = list(self._holders(node))
        functions = [one for one in holders if isinstance(one, ast.FunctionDef)]
        classes = [one for one in holders if isinstance(one, ast.ClassDef)]
        number = self._number[id(node)]
        return Place(
            node,
            number,
            self._seen.get(number),
            self._parent.get(id(node)),
            functions[0] if functions else None,
            classes[0] if classes else None,
            self,
        )

    def within(self, node: ast.AST) -> list[Place]:
        """The places inside of a node of the tree."""
        return [self.of(one) for one in ast.walk(node)]

    def stored(self, inside: ast.AST) -> list[ast.Name | ast.Attribute]:
        """The variables and attributes that are set inside of a node."""
        if id(inside) not in self._stored:
            self._stored[id(inside)] = [
                one
                for one in ast.walk(inside)
                if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Store)
            ]
        return self._stored[id(inside)]

    @cached_property
    def local_names(self) -> set[str]:
        """Arguments and variables: names whose methods compute something."""
        stored = {one.id for one in self.stored(self.tree) if isinstance(one, ast.Name)}
        return (stored | {one.arg for one in self._nodes if isinstance(one, ast.arg)}) - {"self"}

    def nested(self, one: int, other: int) -> bool:
        """Whether one of two nodes holds the other, or both are the same."""
        first, second = self._nodes[one], self._nodes[other]
        return (
            first is second
            or any(holder is first for holder in self._holders(second))
            or any(holder is second for holder in self._holders(first))
        )

    def statement(self, number: int) -> int:
        """The number of the innermost statement that holds a place, or is it."""
        node = self._nodes[number]
        holding = (one for one in (node, *self._holders(node)) if isinstance(one, ast.stmt))
        return self._number[id(next(holding))]

    def line(self, number: int) -> int:
        """The line in which a place begins, from 1."""
        node = self._nodes[number]
        lines = [getattr(one, "lineno", 0) for one in (node, *self._holders(node))]
        return next(line for line in [*lines, 1] if line)

    def words(self, number: int) -> tuple[str, ...]:
        """Names at a place: of the calls around it, inside out, in it, and of what is set."""
        node = self._nodes[number]
        around = [node, *takewhile(lambda one: not isinstance(one, ast.stmt), self._holders(node))]
        set_ = [one for one in (node, *self._holders(node)) if isinstance(one, ast.stmt)][:1]
        calls = [one.func for one in around if isinstance(one, ast.Call)]
        targets = [part for one in set_ for part in getattr(one, "targets", [])]
        inside = [] if isinstance(node, ast.stmt) else list(ast.walk(node))
        names = [_name(one) for one in (*calls, *inside, *targets)]
        return tuple(dict.fromkeys(name for name in names if name))

    def _holders(self, node: ast.AST) -> Iterator[ast.AST]:
        """What holds `node`, the innermost first."""
        parent = self._parent.get(id(node))
        while parent is not None:
            yield parent
            parent = self._parent.get(id(parent))


def _name(node: ast.AST) -> str:
    """Of a variable or an attribute; empty for anything else."""
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")

"""Mutants of a solution: small changes of its syntax tree, each of a named kind.

Theory of operation. Every kind (`kinds`) proposes what may stand in the place of a node. Most kinds
need to know what an expression is, a tensor, a size, an axis: that is seen when the solution runs
on the notebook's own visible example (`observing`). A change is a node's number in the order of
`ast.walk`, with what takes its place; one change makes a mutant of the first order, two that do
not touch each other one of the second.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from autograder.grading.mutations.kinds import KINDS, Kind
from autograder.grading.mutations.observing import Observation
from autograder.grading.mutations.places import Places

TRIES = 50
"""Draws of a pair of changes, for each that is wanted."""


@dataclass(frozen=True)
class Mutant:
    """A changed solution.

    Attributes:
        kind: the name of the kind of change; two of them joined by a plus sign.
        was: the statement as the instructor wrote it, of a compound one its first line.
        becomes: the same statement changed; empty when it was dropped.
        source: the whole changed cell.
        words: names at the place of the change, the nearest first.
        line: of the place, from 1.
    """

    kind: str
    was: str
    becomes: str
    source: str
    words: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True)
class Change:
    """What takes the place of a node; None drops it."""

    place: int
    kind: str
    other: ast.AST | None


class Mutations:
    """All that may be changed in one solution.

    Args:
        source: the solution cell.
        seen: what its expressions were, by their numbers in the order of `ast.walk`; kinds that
            need to know make no changes where nothing was seen.
        kinds: of changes.
    """

    def __init__(
        self,
        source: str,
        seen: Mapping[int, Observation] | None = None,
        kinds: Mapping[str, Kind] = KINDS,
    ) -> None:
        self._kinds = kinds
        self._tree = ast.parse(source)
        self._plain = ast.unparse(self._tree)
        self._places = Places(self._tree, seen or {})

    @cached_property
    def changes(self) -> list[Change]:
        """In the order of the places."""
        return [
            Change(place.number, name, other)
            for place in self._places
            for name, kind in self._kinds.items()
            for other in kind.changes(place)
        ]

    @cached_property
    def first_order(self) -> list[Mutant]:
        """Every mutant with one change, each once."""
        return self._distinct([[change] for change in self.changes])

    def by_kind(self, is_over: Callable[[], bool] = lambda: False) -> Iterator[Mutant]:
        """The same, made one by one, kind after kind.

        `is_over`: whether to make no more; asked at every place and before every change, since any
        number of changes may make what others have made before.
        """
        told = {self._plain}
        for name, kind in self._kinds.items():
            for place in self._places:
                if is_over():
                    return
                for other in kind.changes(place):
                    if is_over():
                        return
                    mutant = self._mutant([Change(place.number, name, other)])
                    if mutant is not None and mutant.source not in told:
                        told.add(mutant.source)
                        yield mutant

    def second_order(self, count: int, seed: int) -> list[Mutant]:
        """Up to `count` mutants with two changes, neither of which holds the other."""
        draw = random.Random(seed)
        pairs = (sorted(draw.sample(self.changes, 2), key=lambda c: c.place) for _ in iter(int, 1))
        if len(self.changes) < 2:
            return []
        apart = (pair for pair in islice(pairs, TRIES * count) if self._apart(*pair))
        single = {mutant.source for mutant in self.first_order}
        found = self._distinct(list(islice(apart, 2 * count)))
        return [mutant for mutant in found if mutant.source not in single][:count]

    def _apart(self, one: Change, other: Change) -> bool:
        return not self._places.nested(one.place, other.place)

    def _distinct(self, all_changes: Sequence[Sequence[Change]]) -> list[Mutant]:
        found: dict[str, Mutant] = {}
        for changes in all_changes:
            mutant = self._mutant(changes)
            if mutant is not None and mutant.source != self._plain:
                found.setdefault(mutant.source, mutant)
        return list(found.values())

    def _mutant(self, changes: Sequence[Change]) -> Mutant | None:
        tree = copy.deepcopy(self._tree)
        nodes = list(ast.walk(tree))
        was, becomes = [], []
        for change in changes:
            node = nodes[change.place]
            statement = nodes[self._places.statement(change.place)]
            was.append(_first_line(statement))
            if not _put(tree, node, copy.deepcopy(change.other)):
                return None
            after = change.other if isinstance(change.other, ast.stmt) else statement
            becomes.append("" if change.other is None else _first_line(after))
        kind = "+".join(change.kind for change in changes)
        text = ast.unparse(ast.fix_missing_locations(tree))
        place = changes[0].place
        words, line = self._places.words(place), self._places.line(place)
        return Mutant(kind, " & ".join(was), " & ".join(becomes), text, words, line)


def _put(tree: ast.AST, node: ast.AST, other: ast.AST | None) -> bool:
    """Puts `other` where `node` is; False where that would leave an empty body."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, name, other)
                return other is not None
            if isinstance(value, list):
                for place, child in enumerate(value):
                    if child is node:
                        value[place : place + 1] = [] if other is None else [other]
                        return bool(value)
    return False


def _first_line(statement: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(statement)).partition("\n")[0]


__all__ = ["Mutant", "Mutations"]

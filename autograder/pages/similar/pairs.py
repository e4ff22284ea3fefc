"""Which two submissions have in common what few others have: pure functions on pieces of code.

The fewer submissions hold a piece, the more it says: one that `holders` of `size` submissions hold
weighs log2(size / holders) bits, and nothing where more than a quarter of them hold it, or the
release or the solution does (K. Sparck Jones, "A statistical interpretation of term specificity",
Journal of Documentation 28, 1972). The same holds of wrong replies, each of which counts as several
pieces. How alike two submissions are is the weight of what both hold, divided by that of what
either holds. It orders pairs, and is no probability.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autograder.pages.similar.winnowing import Hashes, Numbers, Pieces

SMALLEST_CLASS = 10  # of fewer, what two have in common is not rare
FEW_SHARE = 0.25  # of a class: what more hold is not rare
FEW_AT_LEAST = 4
LEAST_BITS = 60.0  # of the code that a pair shares
LEAST_SHARE = 0.4
REPLY_PIECES = 10  # that a wrong reply counts as

Floats = NDArray[np.float64]
Things = NDArray[np.uint64]


@dataclass(frozen=True)
class Work:
    """What one submission holds: the pieces of its code, and its wrong replies by question.

    Attributes:
        replies: a number for each, the same for equal replies to a question.
    """

    pieces: Pieces
    replies: Mapping[str, int]


@dataclass(frozen=True)
class Pair:
    """Two students whose answers share rare code.

    Attributes:
        share: see the module.
        pieces: the hashes of the rare code that both hold.
        alone: how many of these nobody else holds.
        questions: those to which both gave the same wrong reply, which few gave.
    """

    students: tuple[str, str]
    share: float
    pieces: Hashes
    alone: int
    questions: list[str]


@dataclass(frozen=True)
class Ranking:
    """The pairs that share rare code, the most alike first.

    Attributes:
        pairs: the first of them.
        count: how many there are.
    """

    pairs: list[Pair]
    count: int


def few(size: int) -> int:
    """How many of `size` submissions may hold what is rare."""
    return max(FEW_AT_LEAST, int(FEW_SHARE * size))


def ranked(works: Mapping[str, Work], common: Hashes, most: int) -> Ranking:
    """The pairs that share rare code, of which the first `most` are told.

    Args:
        common: pieces that do not count, as those of the release.
    """
    if len(works) < SMALLEST_CLASS:
        return Ranking([], 0)
    students = sorted(works)
    code = _Held([np.setdiff1d(works[student].pieces.hashes, common) for student in students])
    replies = _Held([np.array(sorted(works[s].replies.values()), np.uint64) for s in students])
    total = code.bits_of_holder + REPLY_PIECES * replies.bits_of_holder
    found = []
    for one in range(len(students)):
        bits = code.shared_with(one)
        both = bits + REPLY_PIECES * replies.shared_with(one)
        alike = both / np.maximum(total + total[one] - both, 1.0)
        others = np.flatnonzero((bits >= LEAST_BITS) & (alike >= LEAST_SHARE))
        found += [(-float(alike[other]), one, int(other)) for other in others if other > one]
    first = []
    for less, one, other in heapq.nsmallest(most, found):
        held, said = code.both(one, other), replies.both(one, other)
        pair = (students[one], students[other])
        slugs = {reply: slug for slug, reply in works[students[one]].replies.items()}
        alone = int((code.holders[held] == 2).sum())
        questions = [slugs[reply] for reply in replies.things[said].tolist()]
        first.append(Pair(pair, -less, code.things[held], alone, questions))
    return Ranking(first, len(found))


class _Held:
    """Who holds which rare things, of all that some hold.

    Attributes:
        things: all of them, in order.
        holders: how many hold each.
        bits_of_holder: what the rare things of each holder weigh together.
    """

    def __init__(self, held: Sequence[Things]) -> None:
        """Takes what each holder holds, nothing twice."""
        size = len(held)
        holder = np.repeat(np.arange(size), [len(things) for things in held])
        self.things, thing, self.holders = np.unique(
            np.concatenate(held), return_inverse=True, return_counts=True
        )
        self._size = size
        self._bits: Floats = np.log2(size / self.holders)
        rare = self.holders[thing] <= few(size)
        holder, thing = holder[rare], thing[rare]
        self.bits_of_holder = _sums(holder, self._bits[thing], size)
        self._of = np.split(thing, np.searchsorted(holder, np.arange(1, size)))
        self._holder_by_thing = holder[np.argsort(thing, kind="stable")]
        self._ends = np.cumsum(np.bincount(thing, minlength=len(self.things)))

    def shared_with(self, one: int) -> Floats:
        """What the rare things that `one` shares with each holder weigh together."""
        mine = self._of[one]
        lengths = self.holders[mine]
        before = np.cumsum(lengths) - lengths
        starts = np.repeat(self._ends[mine] - lengths - before, lengths)
        others = self._holder_by_thing[starts + np.arange(len(starts))]
        return _sums(others, np.repeat(self._bits[mine], lengths), self._size)

    def both(self, one: int, other: int) -> Numbers:
        """Places of the rare things that both hold."""
        return np.intersect1d(self._of[one], self._of[other])


def _sums(places: Numbers, values: Floats, size: int) -> Floats:
    """For each place below `size` the sum of its values."""
    return np.bincount(places, weights=values, minlength=size).astype(np.float64)

"""By what equal replies of wrong answers are told, and which of many are equal.

Numbers come out a little different in answers that are written in another way. So sums of them are
kept, and compared with a tolerance: no border that they were rounded at can part equal ones.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

TOLERANCE = 3e-4  # of a sum; a relative error of 1e-4 in every number stays below it
DECIMALS = 6
LABEL_CHARS = 6

Key = TypeVar("Key")


@dataclass(frozen=True)
class Fingerprint:
    """Of what an answer replied to the checks of its question that it failed.

    Attributes:
        digest: of these checks and of all that is exact in the replies.
        sums: of the numbers in them.
    """

    digest: str
    sums: Sequence[float]

    @property
    def label(self) -> str:
        """A few characters that hardly another one has."""
        told = json.dumps([self.digest, [round(one, DECIMALS) for one in self.sums]])
        return hashlib.sha256(told.encode()).hexdigest()[:LABEL_CHARS]

    def equals(self, other: Fingerprint) -> bool:
        """Whether both are of replies that are equal."""
        return len(alike({"mine": self, "other": other})) == 1


def alike(found: Mapping[Key, Fingerprint]) -> list[list[Key]]:
    """The keys in groups of equal fingerprints, each in the order of `found`."""
    exact: dict[str, list[Key]] = {}
    for key, one in found.items():
        exact.setdefault(f"{one.digest} {len(one.sums)}", []).append(key)
    groups = [group for keys in exact.values() for group in _parted(keys, found)]
    places = {key: place for place, key in enumerate(found)}
    return [sorted(group, key=places.__getitem__) for group in groups]


def _parted(keys: list[Key], found: Mapping[Key, Fingerprint]) -> list[list[Key]]:
    """Parted wherever one of the sums leaves a gap wider than the tolerance."""
    for place in range(len(found[keys[0]].sums)):
        value = {key: found[key].sums[place] for key in keys}
        ordered = sorted(keys, key=value.__getitem__)
        borders = [
            n
            for n, (one, other) in enumerate(pairwise(ordered), start=1)
            if value[other] - value[one] > TOLERANCE
        ]
        if borders:
            ends = zip([0, *borders], [*borders, len(ordered)], strict=True)
            return [group for start, end in ends for group in _parted(ordered[start:end], found)]
    return [keys]

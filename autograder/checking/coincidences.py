"""What the cases have in common in which alone an answer is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from autograder.checking.cases import Case

EXCHANGED = "other", "bare_other", "long", "single", "short", "bare_single"
"""Cases whose sizes agree by chance alone."""


def in_common(wrong: Sequence[Case], example: Case) -> str:
    """What every one of the `wrong` cases has and `example` has not, as a name in `OBSERVED`.

    Empty where they have nothing in common.
    """
    for name, holds in PROPERTIES.items():
        if wrong and all(holds(case, example) for case in wrong):
            return name
    return ""


def _is_long(case: Case, example: Case) -> bool:
    return case.id.endswith("long")


def _is_small(case: Case, example: Case) -> bool:
    """Whether a size is 1 that is larger in the example."""
    return any(size == 1 < example.sizes[name] for name, size in case.sizes.items())


def _agrees(case: Case, example: Case) -> bool:
    """Whether inputs are one tensor, or sizes agree, by choice, that differ in the example."""
    pairs = combinations(case.sizes, 2)
    chosen = case.id not in EXCHANGED and any(
        case.sizes[one] == case.sizes[other] and example.sizes[one] != example.sizes[other]
        for one, other in pairs
    )
    return chosen or case.shared > 0


PROPERTIES: dict[str, Callable[[Case, Case], bool]] = {
    "long_alone": _is_long,
    "small_alone": _is_small,
    "alike_alone": _agrees,
}

"""What the cases have in common in which alone an answer is wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from autograder.checking.cases import Case
from autograder.checking.choosing import LARGEST, LENGTHS
from autograder.checking.inputs import PEAKS

ALIKE = ("equal", "equal_lengths", "equal_widths", "ones")
"""Cases in which sizes agree by choice."""
ZEROS = {"zeros", "gaps"}
"""What floats are called of which all, or some rows, are zero; some of large ones may be, too."""


def size_in_common(wrong: Sequence[Case], example: Case) -> str:
    """What the sizes of every `wrong` case have and those of `example` have not.

    A name in `OBSERVED`; empty where they have nothing in common.
    """
    if not wrong:
        return ""
    shared = {
        name: set.intersection(*(such(one, example) for one in wrong))
        for name, such in OF_SIZES.items()
    }
    return next((name for name, sizes in shared.items() if sizes), "")


def in_common(wrong: Sequence[Case], example: Case, *, floats: bool) -> str:
    """The same of all else that a case may have, in which every other one is right.

    `floats`: whether the inputs are floats, and masks if others at all.
    """
    if name := size_in_common(wrong, example):
        return name
    if wrong and all(case.omitted for case in wrong):
        return "without_alone"
    if wrong and all(case.aspect == "modes" for case in wrong):
        return "mode_alone"
    data = {case.data for case in wrong}
    return "zeros_alone" if floats and data & ZEROS and data <= {*ZEROS, *PEAKS} else ""


def large_in_common(wrong: Sequence[Case], example: Case, names: Collection[str]) -> str:
    """The same where one size of those with these `names` is large in every `wrong` case."""
    large = [{name for name in names if _is_large(name, one, example)} for one in wrong]
    return "large_alone" if large and set.intersection(*large) else ""


def _long(case: Case, example: Case) -> set[str]:
    """The lengths that are long."""
    lengths = (name for name in case.sizes if name.startswith(LENGTHS))
    return {one for one in lengths if _is_large(one, case, example)}


def _is_large(name: str, case: Case, example: Case) -> bool:
    return case.sizes[name] > max(LARGEST + 1, 4 * example.sizes[name])


def _small(case: Case, example: Case) -> set[str]:
    """The sizes that are 1, and larger in the example."""
    return {name for name, size in case.sizes.items() if size == 1 < example.sizes[name]}


def _agreeing(case: Case, example: Case) -> set[str]:
    """A word where sizes agree that differ in the example, or inputs are one tensor."""
    return {"agree"} if case.id in ALIKE or case.shared > 0 else set()


OF_SIZES: dict[str, Callable[[Case, Case], set[str]]] = {
    "long_alone": _long,
    "small_alone": _small,
    "alike_alone": _agreeing,
}
NAMES = {
    *OF_SIZES,
    *("large_alone", "without_alone", "mode_alone", "zeros_alone", "strided_alone"),
}

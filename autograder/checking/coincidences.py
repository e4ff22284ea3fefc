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


def size_in_common(wrong: Sequence[Case], right: Sequence[Case]) -> str:
    """What the sizes of every `wrong` case have and those of no `right` one.

    The example comes first among the latter. A name in `OBSERVED`; empty where there is nothing.
    """
    if not wrong:
        return ""
    example = right[0]
    right = [one for one in right if one.id != "ones"]  # where little can be seen
    for name, such in OF_SIZES.items():
        shared = set.intersection(*(such(one, example) for one in wrong))
        if shared.difference(*(such(one, example) for one in right)):
            return name
    if all(_small(one, example) for one in wrong) and not any(
        _small(one, example) for one in right
    ):
        return "small_alone"
    return "alike_alone" if all(map(_agrees, wrong)) else ""


def in_common(wrong: Sequence[Case], right: Sequence[Case], *, floats: bool) -> str:
    """The same of all else that a case may have, in which every other one is right.

    `floats`: whether the inputs are floats, and masks if others at all.
    """
    if not wrong:
        return ""
    if name := size_in_common(wrong, right):
        return name
    if all(case.omitted for case in wrong):
        return "without_alone"
    if all(case.aspect == "modes" for case in wrong):
        return "mode_alone"
    data = {case.data for case in wrong}
    return "zeros_alone" if floats and data & ZEROS and data <= {*ZEROS, *PEAKS} else ""


def large_in_common(wrong: Sequence[Case], right: Sequence[Case], names: Collection[str]) -> str:
    """The same where one size of those with these `names` is large in every `wrong` case."""

    def large(case: Case) -> set[str]:
        return {name for name in names if _is_large(name, case, right[0])}

    if not wrong:
        return ""
    shared = set.intersection(*map(large, wrong)).difference(*map(large, right))
    return "large_alone" if shared else ""


def _long(case: Case, example: Case) -> set[str]:
    """The lengths that are long."""
    lengths = (name for name in case.sizes if name.startswith(LENGTHS))
    return {one for one in lengths if _is_large(one, case, example)}


def _is_large(name: str, case: Case, example: Case) -> bool:
    return case.sizes[name] > max(LARGEST + 1, 4 * example.sizes[name])


def _small(case: Case, example: Case) -> set[str]:
    """The sizes that are 1, and larger in the example."""
    return {name for name, size in case.sizes.items() if size == 1 < example.sizes[name]}


def _agrees(case: Case) -> bool:
    """Whether sizes agree that differ in the example, or inputs are one tensor."""
    return case.id in ALIKE or case.shared > 0


OF_SIZES: dict[str, Callable[[Case, Case], set[str]]] = {
    "long_alone": _long,
    "small_alone": _small,
}
NAMES = {
    *OF_SIZES,
    *("alike_alone", "large_alone", "without_alone", "mode_alone"),
    *("zeros_alone", "strided_alone"),
}

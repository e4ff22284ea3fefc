"""What the cases have in common in which alone an answer is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    held = (name for name, holds in OF_SIZES.items() if all(holds(one, example) for one in wrong))
    return next(held, "") if wrong else ""


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


def _is_long(case: Case, example: Case) -> bool:
    lengths = (name for name in case.sizes if name.startswith(LENGTHS))
    return any(case.sizes[one] > max(LARGEST + 1, 4 * example.sizes[one]) for one in lengths)


def _is_small(case: Case, example: Case) -> bool:
    """Whether a size is 1 that is larger in the example."""
    return any(size == 1 < example.sizes[name] for name, size in case.sizes.items())


def _agrees(case: Case, example: Case) -> bool:
    """Whether sizes agree that differ in the example, or inputs are one tensor."""
    return case.id in ALIKE or case.shared > 0


OF_SIZES: dict[str, Callable[[Case, Case], bool]] = {
    "long_alone": _is_long,
    "small_alone": _is_small,
    "alike_alone": _agrees,
}
NAMES = {*OF_SIZES, "without_alone", "mode_alone", "zeros_alone"}

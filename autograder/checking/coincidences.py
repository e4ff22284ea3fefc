"""What the cases have in common in which alone an answer is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from autograder.checking.cases import Case
from autograder.checking.choosing import LARGEST, LENGTHS
from autograder.checking.inputs import PEAKS

ALIKE = ("equal", "equal_lengths", "equal_widths", "ones")
"""Cases in which sizes agree by choice."""
ZEROS = ("zeros", "gaps")


def in_common(wrong: Sequence[Case], example: Case) -> str:
    """What every one of the `wrong` cases has and `example` has not, as a name in `OBSERVED`.

    Empty where they have nothing in common.
    """
    for name, holds in PROPERTIES.items():
        if wrong and all(holds(case, example) for case in wrong):
            return name if name not in TOLD_BY or TOLD_BY[name] & {c.data for c in wrong} else ""
    return ""


def _is_long(case: Case, example: Case) -> bool:
    lengths = (name for name in case.sizes if name.startswith(LENGTHS))
    return any(case.sizes[one] > max(LARGEST + 1, 4 * example.sizes[one]) for one in lengths)


def _is_small(case: Case, example: Case) -> bool:
    """Whether a size is 1 that is larger in the example."""
    return any(size == 1 < example.sizes[name] for name, size in case.sizes.items())


def _holds_zeros(case: Case, example: Case) -> bool:
    """Whether rows of inputs are zero: those of large ones, too."""
    return case.data in (*ZEROS, *PEAKS)


def _lacks(case: Case, example: Case) -> bool:
    """Whether optional inputs are left out."""
    return bool(case.omitted)


def _is_in_other_mode(case: Case, example: Case) -> bool:
    return case.aspect == "modes"


def _agrees(case: Case, example: Case) -> bool:
    """Whether sizes agree that differ in the example, or inputs are one tensor."""
    return case.id in ALIKE or case.shared > 0


PROPERTIES: dict[str, Callable[[Case, Case], bool]] = {
    "long_alone": _is_long,
    "small_alone": _is_small,
    "alike_alone": _agrees,
    "without_alone": _lacks,
    "mode_alone": _is_in_other_mode,
    "zeros_alone": _holds_zeros,
}
TOLD_BY = {"zeros_alone": {*ZEROS}}
"""The inputs of which one at least must be among those that are wrong."""

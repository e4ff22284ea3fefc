"""Who falls behind: pure functions on what students earned in one assignment after the other.

Definitions, as the course report shows them:

- An assignment is *over* when its due date has passed or, where it has none, when at least half of
  the students have handed it in. Only those that are over and graded count here.
- The *distance* of a student in an assignment is their share of the points less the median share of
  those who handed it in. Who handed in nothing has a share of 0. What waits for a person or could
  not be graded is left out.
- A student *falls behind* who handed in neither of the last two; or whose distance in each of the
  last two is at least 20 % of the points below the class, and at least 20 % of the points below
  their own mean distance before. One weak or missing work alone makes nobody fall behind, nor does
  an assignment that was hard for all.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LAST = 2
FALL = 0.2
_SAME = 1e-9

Shares = Mapping[str, float | None]
"""What each student who handed in an assignment earned of it; None where that is not known yet."""


@dataclass(frozen=True)
class Behind:
    """A student who falls behind.

    Attributes:
        recent: the shares in the last assignments; None for nothing handed in or nothing known.
        missing: of which of these nothing was handed in.
        earlier: the mean share in those before, missing ones as 0; None where there are none.
        earlier_class: the mean of the medians of the class in the same.
        fall: how much the mean distance fell, in shares.
    """

    student: str
    recent: list[float | None]
    missing: list[bool]
    earlier: float | None
    earlier_class: float | None
    fall: float


def falling_behind(students: Sequence[str], over: Sequence[Shares]) -> list[Behind]:
    """Who falls behind, those who fall most first; nobody before two assignments are over."""
    if len(over) < LAST:
        return []
    medians = [median(shares) for shares in over]
    found = [_behind(student, over, medians) for student in students]
    return sorted((one for one in found if one), key=lambda one: (-one.fall, one.student))


def median(shares: Shares) -> float:
    """Of those whose share is known."""
    return statistics.median([share for share in shares.values() if share is not None] or [0.0])


def _behind(student: str, over: Sequence[Shares], medians: Sequence[float]) -> Behind | None:
    earned = [shares.get(student, 0.0) for shares in over]
    missing = [student not in shares for shares in over]
    distances = [
        None if share is None else share - middle
        for share, middle in zip(earned, medians, strict=True)
    ]
    earlier, recent = _mean(distances[:-LAST]), distances[-LAST:]
    low = earlier is not None and all(_is_low(one, earlier) for one in recent)
    if not (low or all(missing[-LAST:])):
        return None
    before = [n for n, share in enumerate(earned[:-LAST]) if share is not None]
    return Behind(
        student,
        recent=[None if gone else share for gone, share in zip(missing, earned, strict=True)][
            -LAST:
        ],
        missing=missing[-LAST:],
        earlier=_mean([earned[n] for n in before]),
        earlier_class=_mean([medians[n] for n in before]),
        fall=(earlier or 0.0) - (_mean(recent) or 0.0),
    )


def _is_low(distance: float | None, earlier: float) -> bool:
    """Whether a distance is far below the class and the student's own earlier ones."""
    return distance is not None and distance <= min(0.0, earlier) - FALL + _SAME


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None

"""The preview as a page: who would gain or lose what, with a picture of the class.

As in the class report everything is escaped, and the page has no script and a policy that forbids
any.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from autograder.course.assignments import Course
from autograder.pages.class_report.rendering import environment, own_page, write_page
from autograder.pages.inert import POLICY
from autograder.pages.preview.changes import Preview
from autograder.results.text import exact, gained

TEMPLATES = Path(__file__).parent / "templates"
LARGEST_RADIUS = 14.0
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Dot:
    """Students with the same totals before and after, in whole percent."""

    before: int
    after: int
    students: int

    @property
    def way(self) -> Literal["gain", "lose", "stay"]:
        if self.before == self.after:
            return "stay"
        return "gain" if self.after > self.before else "lose"

    @property
    def radius(self) -> float:
        """Grows with the square root, so that areas compare."""
        return min(2.5 * math.sqrt(self.students), LARGEST_RADIUS)


def dots(found: Preview) -> list[Dot]:
    """The class as dots, large ones first, so that none hides another."""
    counted = Counter((_percent(b.share), _percent(a.share)) for b, a in found.compared)
    made = [Dot(before, after, count) for (before, after), count in counted.items()]
    return sorted(made, key=lambda dot: -dot.students)


def _percent(share: float) -> int:
    """Extra credit lies at the edge."""
    return min(max(round(100 * share), 0), 100)


def write_preview(course: Course, found: Preview) -> Path:
    """Writes the page to `reports/` of the course.

    Raises:
        UsageError: the file cannot be written.
    """
    path = own_page(course, f"{found.assignment}-preview")
    return write_page(path, page(found, datetime.now().astimezone()))


def page(found: Preview, made: datetime) -> str:
    """The preview as HTML."""
    made_by = environment(TEMPLATES)
    made_by.filters.update(exact=exact, gained=lambda points: gained(points).replace("-", MINUS))
    shares = [(before.share, after.share) for before, after in found.compared]
    return made_by.get_template("preview.html.j2").render(
        policy=POLICY,
        made=made,
        found=found,
        dots=dots(found),
        means=[statistics.fmean(part) for part in zip(*shares, strict=True)],
        most=max((one.gain + one.lose for one in found.questions), default=1),
    )

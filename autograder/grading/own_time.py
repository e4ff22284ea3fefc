"""How much time the cells may take that a student added.

Theory of operation. Students leave experiments and trainings in their notebooks, each of which may
take as long as a cell may, and again in every box in which it is replayed. Together they have a
`SHARE` of a submission's time, in whatever boxes they run. When that is over, the cell that runs is
ended, and those that follow are left out, unless an answer that is judged in that box rests on
them, or they are known to be brief. Such a cell that has cost a box is left out of all later ones.
So the answers have the rest of the time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection

from nbformat import NotebookNode

from autograder.course.cells import ADDED, name_of

SHARE = 1 / 3
BRIEF = 1 / 300  # of the same time: what takes less is replayed all the same


class OwnTime:
    """That of one submission.

    Attributes:
        seconds: of the clock, for all such cells in all boxes.
        spent: how many of them have passed; more than all where cells ran that had to.
        brief: seconds that a cell takes which is replayed all the same.
        took: seconds that each cell took last, by its name.
        lost: names of the cells that cost a box.
    """

    def __init__(self, submission_seconds: float = math.inf) -> None:
        """That in a submission that may take so long."""
        self.seconds = SHARE * submission_seconds
        self.spent = 0.0
        self.brief = BRIEF * self.seconds
        self.took: dict[str, float] = {}
        self.lost: set[str] = set()

    @property
    def left(self) -> float:
        return self.seconds - self.spent

    @property
    def is_over(self) -> bool:
        return self.left <= self.brief


class OwnCells:
    """The cells that a student added, in one box or those in its place."""

    def __init__(self, own_time: OwnTime, needed: Callable[[], Collection[str]]) -> None:
        """`needed` names the cells on which an answer rests that is judged there."""
        self.time = own_time
        self._needed = needed

    def leaves_out(self, cell: NotebookNode) -> bool:
        """Whether not to run a cell."""
        name = name_of(cell)
        over = self.time.is_over and self.time.took.get(name, math.inf) > self.time.brief
        return (over or name in self.time.lost) and self._is_needless(cell)

    def deadline(self, cell: NotebookNode, latest: float, cell_seconds: float) -> float:
        """When a cell is ended that begins now: `latest`, or sooner if its time is over then."""
        if self.time.left > cell_seconds or not self._is_needless(cell):
            return latest
        return min(latest, time.monotonic() + max(self.time.left, 2 * self.time.brief))

    def note(self, cell: NotebookNode, seconds: float, *, lost: bool) -> None:
        """Takes in how long a cell took, and whether it cost the box."""
        name = name_of(cell)
        if name.startswith(ADDED):
            self.time.spent += seconds
            self.time.took[name] = seconds
            self.time.lost |= {name} if lost else set()

    def _is_needless(self, cell: NotebookNode) -> bool:
        return name_of(cell).startswith(ADDED) and name_of(cell) not in self._needed()

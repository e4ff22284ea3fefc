"""The time for one look after the other, each of which leaves some to those that follow."""

from __future__ import annotations

import time

KEPT = 0.5  # of the time at the beginning, for all turns alike; the rest is for whoever needs it


class Turns:
    """Deadlines of so many turns, by `time.monotonic()`."""

    def __init__(self, deadline: float, turns: int) -> None:
        """`deadline` is that of the last one."""
        self._deadline, self._to_come = deadline, turns
        self._share = KEPT * max(0.0, deadline - time.monotonic()) / turns

    @property
    def end(self) -> float:
        """When the shares of those begin that are to come."""
        return self._deadline - self._share * self._to_come

    def next(self) -> float:
        """The deadline of the next one."""
        self._to_come -= 1
        return self.end

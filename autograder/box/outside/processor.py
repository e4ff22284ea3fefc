"""Waiting for a box by the seconds that it spends on the processor, as the kernel counts them.

Theory of operation. A box that computes is given seconds of the processor, so that it gets no less
done on a machine where others compute, too. One that sleeps spends none, and its seconds are those
of the clock. Which of both it does is looked at when the seconds of the clock are over. Only the
box's own process and its threads count. Where the kernel tells nothing, there is only the clock.
"""

from __future__ import annotations

import os
import select
import socket
import time

from autograder.errors import DeadlinePassed

RUNNABLE = "RD"  # on the processor or waiting for it, or for a disk
BUSY = 0.1  # of the time on the processor, by other threads than the first
SOON_SECONDS = 0.1
_USER, _SYSTEM = 11, 12  # fields behind the name in /proc/<pid>/stat


def spent(pid: int) -> tuple[float, str] | None:
    """Seconds of the processor that a process has spent, and its state; None if none is told."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks = int(fields[_USER]) + int(fields[_SYSTEM])
    except (OSError, ValueError, IndexError):
        return None
    return ticks / os.sysconf("SC_CLK_TCK"), fields[0]


def children(pid: int) -> set[int]:
    """The processes that the first thread of a process has forked; none where none is told."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return {int(child) for child in file.read().split()}
    except (OSError, ValueError):
        return set()


class Allowed:
    """The time that a box has for one request.

    Attributes:
        deadline: when it ends at the latest, a reading of `time.monotonic()`.
        seconds: of the processor, or of the clock when those are no more.
    """

    def __init__(self, deadline: float, clock_seconds: float, seconds: float | None) -> None:
        """`deadline` is that of the submission; None for `seconds` leaves only the clock's."""
        self._whole = deadline
        self.deadline = min(deadline, time.monotonic() + clock_seconds)
        self.seconds = clock_seconds if seconds is None else min(seconds, clock_seconds)

    def told(self) -> float | None:
        """What was allowed, once it is over; None when the whole submission's time is, too."""
        return None if time.monotonic() >= self._whole else self.seconds

    def wait(self, sock: socket.socket, pid: int, before: tuple[float, str] | None) -> None:
        """Returns when the box `pid` has sent something or has ended, or at the deadline.

        Args:
            before: what it had `spent` when it was asked.

        Raises:
            DeadlinePassed: it has had its seconds of the processor, or sleeps.
        """
        if before is None:
            return
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        used, turn = 0.0, self.seconds
        while not poll.poll(1000 * max(0.0, min(turn, self.deadline - time.monotonic()))):
            now = spent(pid)
            if now is None or time.monotonic() >= self.deadline:
                return
            latest = now[0] - before[0]
            works = now[1] in RUNNABLE or latest - used > BUSY * turn
            if latest >= self.seconds or not works:
                raise DeadlinePassed("the box has had its time")
            used, turn = latest, max(self.seconds - latest, SOON_SECONDS)

"""Submissions graded beside another's recording, which leaves a core to them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future

from autograder.results.model import Graded

DEPTH = 2
SWITCH_SECONDS = 0.0005


class LookAhead:
    """What is graded before anybody has asked for it: the next `DEPTH` submissions.

    Theory of operation. The threads wait for their boxes most of the time, while who records
    another submission computes: cells of one submission run while the checks judge another. Python
    lets a thread compute for some milliseconds before another may; meanwhile they take turns more
    often, so that no box waits that long for its next request. A process that ends does not wait
    for the threads.
    """

    def __init__(self) -> None:
        self._under_way: dict[str, Future[Graded]] = {}
        self._switch_seconds = sys.getswitchinterval()

    def begun_after(self, key: str) -> int:
        """How many verdicts were begun that will be asked for after the one called `key`."""
        return len(self._under_way) - 1 if key in self._under_way else 0

    def begin(self, key: str, work: Callable[[], Graded]) -> None:
        """Has `work` make the verdict called `key`, unless enough is under way."""
        if len(self._under_way) < DEPTH and key not in self._under_way:
            future: Future[Graded] = Future()
            self._under_way[key] = future
            sys.setswitchinterval(SWITCH_SECONDS)
            threading.Thread(target=_do, args=(work, future), daemon=True).start()

    def take(self, key: str) -> Graded | None:
        """The verdict called `key`, if it was begun; if not, what was begun is out of step.

        What the work raised is not told: whoever asks does it again, and hears it then.
        """
        future = self._under_way.pop(key, None)
        if future is None:
            self._under_way.clear()
        raised = future.exception() if future else None
        if not self._under_way:
            sys.setswitchinterval(self._switch_seconds)
        return future.result() if future and raised is None else None


def _do(work: Callable[[], Graded], future: Future[Graded]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)

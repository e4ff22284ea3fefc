"""One submission graded beside another's recording, which leaves a core to it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future

from autograder.results.model import Graded

SWITCH_SECONDS = 0.0005


class LookAhead:
    """What is graded before anybody has asked for it: one submission at a time.

    Theory of operation. The thread waits for a box most of the time, while who records another
    submission computes. Python lets a thread compute for some milliseconds before another may;
    meanwhile they take turns more often, so that no box waits that long for its next request. A
    process that ends does not wait for the thread.
    """

    def __init__(self) -> None:
        self._under_way: tuple[str, Future[Graded]] | None = None
        self._switch_seconds = sys.getswitchinterval()

    def begin(self, key: str, work: Callable[[], Graded]) -> None:
        """Has `work` make the verdict called `key`; not while other work goes on."""
        if self._under_way is None:
            future: Future[Graded] = Future()
            self._under_way = key, future
            sys.setswitchinterval(SWITCH_SECONDS)
            threading.Thread(target=_do, args=(work, future), daemon=True).start()

    def take(self, key: str) -> Graded | None:
        """The verdict called `key`, if that was begun; afterwards nothing is under way any more.

        What the work raised is not told: whoever asks does it again, and hears it then.
        """
        if self._under_way is None:
            return None
        (made, future), self._under_way = self._under_way, None
        raised = future.exception()
        sys.setswitchinterval(self._switch_seconds)
        return future.result() if made == key and raised is None else None


def _do(work: Callable[[], Graded], future: Future[Graded]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)

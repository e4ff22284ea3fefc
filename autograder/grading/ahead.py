"""One submission graded beside another's recording, which leaves a core to it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future

from autograder.results.model import Graded

Work = Callable[[], tuple[str, Graded] | None]


class LookAhead:
    """What is graded before anybody has asked for it: one submission at a time.

    Theory of operation. The thread waits for a box most of the time, as the recording of another
    submission needs the processor most of the time. A process that ends does not wait for it.
    """

    def __init__(self) -> None:
        self._under_way: Future[tuple[str, Graded] | None] | None = None

    def begin(self, work: Work) -> None:
        """Has `work` make the key of a verdict and the verdict; not while other work goes on."""
        if self._under_way is None:
            self._under_way = Future()
            threading.Thread(target=_do, args=(work, self._under_way), daemon=True).start()

    def take(self, key: str) -> Graded | None:
        """The verdict under `key`, if that was made; afterwards nothing is under way any more.

        What the work raised is not told: whoever asks does it again, and hears it then.
        """
        waited_for, self._under_way = self._under_way, None
        if waited_for is None or waited_for.exception() is not None:
            return None
        found = waited_for.result()
        return found[1] if found and found[0] == key else None


def _do(work: Work, future: Future[tuple[str, Graded] | None]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)

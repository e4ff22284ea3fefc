"""Recording beside the grading: one submission after the other, on a thread of its own.

Theory of operation. What waits to be recorded holds a verdict and a notebook, so no more than
`MOST_WAITING` wait; whoever brings one more does so too. After Ctrl-C what still waits is left to
the next run, which finds its verdict kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from autograder.batch.submissions import Submission
from autograder.batch.tally import Progress
from autograder.errors import AutograderError

if TYPE_CHECKING:
    from autograder.batch.recording import Recorder
    from autograder.nbgrader.finishing import Finished

Finish = Callable[[], "Finished | None"]
MOST_WAITING = 32  # graded submissions that the head holds while it records earlier ones


@contextmanager
def in_background(
    made: Callable[[], Recorder], progress: Progress, note: Callable[[Submission], None]
) -> Iterator[BackgroundRecording]:
    """Records what it is given; ends when all is recorded.

    Args:
        made: makes what records, on the thread that it is used on.
        progress: is told what was recorded, and what was not.
        note: is called with each submission that was recorded.
    """
    with closing(BackgroundRecording(made, progress, note)) as background:
        try:
            yield background
            background.wait()
        except KeyboardInterrupt:
            background.leave()
            raise


class BackgroundRecording:
    """A recorder at work, and what waits for it."""

    def __init__(
        self, made: Callable[[], Recorder], progress: Progress, note: Callable[[Submission], None]
    ) -> None:
        """Nothing is loaded yet; see `in_background`."""
        self._made, self._progress, self._note = made, progress, note
        self._pool = ThreadPoolExecutor(1)
        self._recorder: Future[Recorder] | None = None
        self._waiting: deque[Future[None]] = deque()

    def load(self) -> Future[Recorder]:
        """Loads what recording needs, as the first submission would."""
        self._recorder = self._recorder or self._pool.submit(self._made)
        return self._recorder

    def record(self, one: Submission, finish: Finish) -> None:
        """Has a submission recorded whose verdict is kept.

        `finish`: makes the verdict ready; None leaves all to nbgrader.
        """
        while len(self._waiting) >= MOST_WAITING:
            self._waiting.popleft().result()
        self._waiting.append(self._pool.submit(self._record, self.load(), one, finish))

    def wait(self) -> None:
        """Returns when all is recorded, which may take longer than grading."""
        while self._waiting:
            self._waiting.popleft().result()

    def leave(self) -> None:
        """Records nothing more of what waits."""
        for future in self._waiting:
            future.cancel()

    def close(self) -> None:
        """Closes the gradebook when what is under way is recorded."""
        if self._recorder is not None:
            self._pool.submit(_close, self._recorder)
        self._pool.shutdown()

    def _record(self, recorder: Future[Recorder], one: Submission, finish: Finish) -> None:
        try:
            recorder.result().record(one, finish)
        except AutograderError as error:
            self._progress.failed(one.student, error)
            return
        self._note(one)
        self._progress.recorded(one.student, one.beside)


def _close(recorder: Future[Recorder]) -> None:
    recorder.result().close()

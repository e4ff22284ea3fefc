"""Ends a check that goes on and on in the grader's own process.

Theory of operation. What a student's code does in its box has its limits; what a check does with a
hostile reply has none of its own. While a check runs, a thread looks once a second how much
processor time the checking thread has taken for it, which waiting for a box does not cost, and
raises an exception there when it is too much. What stays within one call of C is ended once that
returns.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

LOOK_SECONDS = 1.0


class TookTooLong(Exception):
    """A check that had not ended after the processor time that it may take."""


class Patience:
    """Limits the processor time of what one thread at a time does.

    Attributes:
        seconds: of processor time that it may take.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._busy = threading.Event()
        self._thread: threading.Thread | None = None
        self._clock = 0
        self._end = 0.0
        self._watched: int | None = None

    @contextmanager
    def with_this_thread(self) -> Iterator[None]:
        """Raises `TookTooLong` in the block once it has taken its seconds."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._look, daemon=True)
            self._thread.start()
        here = threading.get_ident()
        with self._lock:
            self._clock = time.pthread_getcpuclockid(here)
            self._end = time.thread_time() + self.seconds  # by its id, its clock takes long to read
            self._watched = here
        self._busy.set()
        try:
            yield
        finally:
            # Python 3.11 traces no more, for ever, once an exception was taken back.
            with suppress(TookTooLong):  # one that has not come up yet does so here
                with self._lock:
                    self._watched = None
                self._busy.clear()

    def _look(self) -> None:
        while self._busy.wait():
            time.sleep(min(LOOK_SECONDS, self.seconds))
            with self._lock:
                if self._watched and time.clock_gettime(self._clock) > self._end:
                    thread, raised = ctypes.c_ulong(self._watched), ctypes.py_object(TookTooLong)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, raised)
                    self._watched = None

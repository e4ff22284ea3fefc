"""Processor time, for tests of what must not take time by the square of its input, or for ever."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def processor_seconds(work: Callable[[], object]) -> float:
    """Of this process, without the collection of what other tests have left behind."""
    gc.disable()
    started = time.process_time()
    try:
        work()
        return time.process_time() - started
    finally:
        gc.enable()

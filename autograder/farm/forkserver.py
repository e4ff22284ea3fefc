"""The process that workers of this machine are forked from, once it has loaded what they need.

It runs each library in one thread, since a process whose OpenMP has threads makes its children
hang, and it and its children are deaf to Ctrl-C, which the head answers for all.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from multiprocessing import forkserver

PRELOADED = ["autograder.farm.preload"]
SINGLE_THREADED = ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"]


def start() -> None:
    """Starts it, unless it runs; what it loads it loads beside the caller's own work."""
    before = {name: os.environ.get(name) for name in SINGLE_THREADED}
    os.environ.update(dict.fromkeys(SINGLE_THREADED, "1"))
    multiprocessing.set_forkserver_preload(PRELOADED)
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, heard)
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value

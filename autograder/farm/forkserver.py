"""The process that workers of this machine are forked from, once it has loaded what they need.

It runs each library in one thread, since a process whose OpenMP has threads makes its children
hang, and it and its children are deaf to Ctrl-C, which the head answers for all. On its way it
forks a zygote (see `template`), and so it is started with the environment of one; its workers are
given that of the head.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing import forkserver
from pathlib import Path

from autograder.box.outside.lending import (
    ForkedZygote,
    StartZygote,
    expect_room_for_sockets,
    listening_at,
)
from autograder.box.outside.zygotes import StartedZygote, Zygote
from autograder.farm import template

PRELOADED = ["autograder.farm.preload"]
SINGLE_THREADED = ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"]
ANSWER_SECONDS = 10.0  # in which a process starts, on a machine with much else to do

_heads: set[int] = set()  # processes that have started one


def environment() -> dict[str, str]:
    """What those that are forked from it are to have in their environment."""
    return {**os.environ, **dict.fromkeys(SINGLE_THREADED, "1")}


def enter(environment: Mapping[str, str]) -> None:
    """Takes it over, in a process that was forked."""
    os.environ.update(environment)


def start(address: str = "") -> bool:
    """Starts it, unless it runs; what it loads it loads beside the caller's own work.

    Returns:
        Whether it was told that somebody waits for a zygote at `address`.
    """
    told = bool(address) and os.getpid() not in _heads
    _heads.add(os.getpid())
    multiprocessing.set_forkserver_preload(PRELOADED)
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with _in_environment(template.environment(address)):
            forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, heard)
    return told


@contextmanager
def running() -> Iterator[StartZygote]:
    """Starts it, unless it runs; gives what starts a zygote: a fork of it, once and if it can.

    Raises UsageError where its socket would have too long a path.
    """
    expect_room_for_sockets()
    with tempfile.TemporaryDirectory(prefix="template-") as folder:
        address = f"{folder}/socket"
        with listening_at(address) as listening:
            listening.settimeout(ANSWER_SECONDS)
            yield partial(_forked, listening) if start(address) else StartedZygote


@contextmanager
def _in_environment(other: Mapping[str, str]) -> Iterator[None]:
    """Has processes started in another environment than this one's."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(other)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _forked(listening: socket.socket, imports: Sequence[str], hidden: Sequence[Path]) -> Zygote:
    """A zygote: a fork of the fork server, if that has answered."""
    try:
        control, _ = listening.accept()
    except OSError:
        return StartedZygote(imports, hidden)
    return ForkedZygote(control, imports, hidden)

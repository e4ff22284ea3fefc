"""Workers of this machine, for as long as a run needs them.

They talk to the head over TLS with keys that live as long as the run: on a machine with other
users, loopback alone keeps nobody out. They start from one process that has loaded what grading
needs, and are lent zygotes (`warming`).
"""

from __future__ import annotations

import logging
import shutil
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from dask.config import set as configured

from autograder.farm.workers import DEATHS, Farm, Packed, quiet

if TYPE_CHECKING:
    from distributed import Client

LOGGED = 10  # events of each kind that Dask keeps, and nobody reads
LOCAL = {
    "distributed.scheduler.allowed-failures": DEATHS - 1,
    "distributed.admin.log-length": LOGGED,
    "distributed.admin.low-level-log-length": LOGGED,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.log-length": LOGGED,
    "distributed.admin.tick.interval": "1s",
    "distributed.diagnostics.computations.max-history": LOGGED,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.multiprocessing-method": "forkserver",
    "distributed.worker.profile.enabled": False,
    "distributed.nanny.pre-spawn-environ": {},
}


@contextmanager
def local_farm(
    jobs: int, assignments: Sequence[Packed], scratch: Path, lent: Mapping[str, str]
) -> Iterator[Farm]:
    """`jobs` workers of this machine, which keep their files in `scratch` while they live.

    `lent`: where they are lent zygotes, by assignment (see `warming`).
    """
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        with _cluster(jobs, scratch) as client:
            farm = Farm(client)
            for packed in assignments:
                farm.add(packed, lent[packed.identity.assignment.id])
            yield farm
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def _cluster(jobs: int, scratch: Path) -> Iterator[Client]:
    """Workers that are started whole and ended whole: what is half of either, Dask cannot close."""
    # Loading it adds its own settings, which must outlive those of this farm.
    from distributed import Client, LocalCluster, utils

    from autograder.farm import forkserver

    # Else it loads pandas and others, for a fork server that has long been started.
    utils._forkserver_preload_set = True
    stack = ExitStack()
    try:
        with _stopped_afterwards():
            stack.enter_context(configured(LOCAL))
            cluster = LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                worker_dashboard_address="127.0.0.1:0",
                memory_limit=0,
                security=True,
                silence_logs=logging.CRITICAL,
                local_directory=str(scratch),
                env=forkserver.environment(),
            )
            client = quiet(stack.enter_context(Client(stack.enter_context(cluster))))
        yield client
    finally:
        with _stopped_afterwards():
            stack.close()


@contextmanager
def _stopped_afterwards() -> Iterator[None]:
    """Lets Ctrl-C, or a signal that is answered as it is, wait until what is inside is done.

    A second one does not wait.
    """
    noted = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal noted
        if noted:
            signal.default_int_handler(number, frame)
        noted = True

    answered = [
        number
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) is signal.default_int_handler
    ]
    for number in answered:
        signal.signal(number, note)
    try:
        yield
    finally:
        for number in answered:
            signal.signal(number, signal.default_int_handler)
    if noted:
        raise KeyboardInterrupt

"""Workers, on this machine or behind a Dask scheduler, and the submissions sent to them.

Theory of operation. No more submissions are under way than workers can grade at once, so that what
the head holds does not grow with the class, and a worker that dies is held against the one
submission that it was grading. Dask grades that one elsewhere; after the third death it gives up.
Workers of this machine talk to the head over TLS with keys that live as long as the run: on a
machine with other users, loopback alone keeps nobody out. They start from one process that has
loaded what grading needs (`forkserver`).
"""

from __future__ import annotations

import logging
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from ssl import SSLError
from typing import TYPE_CHECKING

from dask.config import set as configured

from autograder.batch import forkserver
from autograder.box.outside.lending import Lender
from autograder.errors import Ungraded, UsageError
from autograder.grading.names import imported_modules

if TYPE_CHECKING:
    from distributed import Client, Future

    from autograder.batch.bundle import Bundle
    from autograder.batch.submissions import Submission
    from autograder.batch.worker import Outcome
    from autograder.grading.identity import Identity

DEATHS = 3
CONNECT_SECONDS = 20
COUNT_SECONDS = 1.0
LOCAL = {
    "distributed.scheduler.allowed-failures": DEATHS - 1,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.multiprocessing-method": "forkserver",
    "distributed.worker.profile.enabled": False,
    "distributed.nanny.pre-spawn-environ": {},
}


class Farm:
    """The workers that grade one assignment."""

    def __init__(
        self, client: Client, bundle: Bundle, identity: Identity, lender: str = ""
    ) -> None:
        from autograder.batch.worker import CourseOnWorker

        self._client = client
        self._counted = -COUNT_SECONDS
        self._workers = 1
        client.register_plugin(CourseOnWorker(bundle, identity, lender))

    def outcomes(self, work: Iterable[Submission]) -> Iterator[tuple[Submission, Outcome]]:
        """Each submission with what became of it, as they are done.

        Raises:
            Ungraded: the scheduler is gone, or a worker must not grade.
        """
        from distributed import as_completed

        waiting = iter(work)
        under_way: dict[Future, Submission] = {}
        done = as_completed()
        try:
            while True:
                for one in islice(waiting, max(0, self._room() - len(under_way))):
                    future = self._submit(one)
                    under_way[future] = one
                    done.add(future)
                if not under_way:
                    return
                future = next(done)
                yield under_way.pop(future), _outcome(future)
        except (OSError, CancelledError) as error:
            raise Ungraded(
                f"the scheduler is gone ({error}): what was graded is kept, run `batch` again"
            ) from error

    def _submit(self, one: Submission) -> Future:
        from autograder.batch.worker import grade

        return self._client.submit(grade, one.notebook, one.name, pure=False)

    def _room(self) -> int:
        """How many submissions may be under way: one a worker."""
        now = time.monotonic()
        if now - self._counted >= COUNT_SECONDS:
            self._counted, self._workers = now, len(self._client.nthreads())
        return max(1, self._workers)


def _outcome(future: Future) -> Outcome:
    """What a finished task brought; its bytes are forgotten on the worker."""
    from distributed import KilledWorker

    from autograder.batch.worker import Outcome

    try:
        found: Outcome = future.result()
    except KilledWorker:
        return Outcome("ungraded", f"crash: {DEATHS} workers died while they graded it")
    finally:
        future.release()
    if found.kind == "unready":
        raise Ungraded(found.reason)
    return found


@contextmanager
def local_farm(jobs: int, bundle: Bundle, identity: Identity, scratch: Path) -> Iterator[Farm]:
    """`jobs` workers of this machine, which keep their files in `scratch` while they live."""
    forkserver.start()
    assignment = identity.assignment
    hidden = [*assignment.hidden_folders(), scratch]
    with Lender(imported_modules(assignment.release), hidden) as lender:
        # Loading it adds its own settings, which must outlive those of this farm.
        from distributed import Client, LocalCluster

        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        try:
            with (
                configured(LOCAL),
                LocalCluster(
                    n_workers=jobs,
                    threads_per_worker=1,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    worker_dashboard_address="127.0.0.1:0",
                    memory_limit=0,
                    security=True,
                    silence_logs=logging.CRITICAL,
                    local_directory=str(scratch),
                ) as cluster,
                Client(cluster) as client,
            ):
                yield Farm(client, bundle, identity, lender.address)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def remote_farm(address: str, bundle: Bundle, identity: Identity) -> Iterator[Farm]:
    """The workers of the Dask scheduler at `address`.

    Raises:
        UsageError: no scheduler answers there, or it wants keys that are not there.
    """
    with _connected(address) as client:
        if not client.nthreads():
            print(f"the scheduler at {address} has no workers yet: waiting", file=sys.stderr)
            client.wait_for_workers(1)
        yield Farm(client, bundle, identity)


def _connected(address: str) -> Client:
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        return Client(address, timeout=CONNECT_SECONDS)
    except (TypeError, SSLError, FileNotFoundError) as error:  # no keys, other ones, no such file
        raise UsageError(
            f"the scheduler at {address} wants keys: let DASK_CONFIG name the file that holds "
            f"them ({error})"
        ) from error
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(
            f"no Dask scheduler answers at {address}: give the address that it printed when it "
            f"started, as tls://host:8786 ({error})"
        ) from error

"""Workers, on this machine or behind a Dask scheduler, and the submissions sent to them.

Theory of operation. No more submissions are under way than workers can grade at once, so that what
the head holds does not grow with the class, and a worker that dies is held against the one
submission that it was grading. Dask grades that one elsewhere; after the third death it gives up.
Each assignment travels to the workers once, as a plugin of theirs.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from ssl import SSLError
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from autograder.errors import Ungraded, UsageError

if TYPE_CHECKING:
    from distributed import Client, Future

    from autograder.farm.bundle import Bundle
    from autograder.farm.worker import Outcome
    from autograder.grading.identity import Identity

DEATHS = 3
CONNECT_SECONDS = 20
COUNT_SECONDS = 1.0
WORKERLESS_SECONDS = 120.0  # that a question waits for a worker while there is none
LATER = -1  # Dask's priority of what nobody waits for


class Work(Protocol):
    """What a worker is handed: the bytes of a notebook, and what messages call it."""

    @property
    def notebook(self) -> bytes: ...

    @property
    def name(self) -> str: ...


W = TypeVar("W", bound=Work)


@dataclass(frozen=True)
class Packed:
    """An assignment for workers.

    Attributes:
        identity: by what verdicts on it are told apart here and there.
        kept: a folder of this machine where its workers note what need not be seen twice.
    """

    bundle: Bundle
    identity: Identity
    kept: Path | None = None


class Farm:
    """The workers, and the assignments that they grade."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._counted = -COUNT_SECONDS
        self._workers = 0

    def add(self, packed: Packed, lender: str = "") -> None:
        """Hands one more assignment to all workers, those that come later included.

        `lender`: where workers of this machine are lent a zygote.
        """
        from autograder.farm.worker import AssignmentOnWorker

        self._client.register_plugin(
            AssignmentOnWorker(packed.bundle, packed.identity, lender, packed.kept)
        )

    def warm(self, assignments: Iterable[str]) -> None:
        """Has every worker get ready to grade these, where nobody waits for it meanwhile."""
        from distributed import fire_and_forget

        from autograder.farm.worker import warm

        for assignment in assignments:
            for address in self._client.nthreads():
                fire_and_forget(
                    self._client.submit(
                        warm, assignment, pure=False, workers=[address], priority=LATER
                    )
                )

    def outcomes(self, assignment: str, work: Iterable[W]) -> Iterator[tuple[W, Outcome]]:
        """Each submission of an assignment with what became of it, as they are done.

        Raises:
            Ungraded: the scheduler is gone, or a worker must not grade.
        """
        from distributed import as_completed

        waiting = iter(work)
        under_way: dict[Future, W] = {}
        done = as_completed()
        try:
            ahead = next(waiting, None)

            def hand_out() -> None:
                nonlocal ahead
                while ahead is not None and len(under_way) < max(1, self.room()):
                    future = self._submit(assignment, ahead)
                    under_way[future] = ahead
                    done.add(future)
                    ahead = next(waiting, None)

            hand_out()
            while under_way:
                future = next(done)
                one = under_way.pop(future)
                hand_out()  # first: nobody shall wait until what came back is looked at
                yield one, _outcome(future)
        except (OSError, CancelledError) as error:
            raise _gone(error) from error

    def checked(
        self, assignment: str, slug: str, reserved: frozenset[str], notebook: bytes, name: str
    ) -> Outcome:
        """What became of one question of a notebook; waits for it.

        Nothing that its verdict tells rests on the checks that are `reserved`.

        Raises:
            Ungraded: the scheduler or all workers are gone, or a worker must not grade.
        """
        from autograder.farm.worker import check

        try:
            asked = assignment, slug, reserved, notebook, name
            future = self._client.submit(check, *asked, pure=False)
            self._wait_while_there_are_workers(future)
            return _outcome(future)
        except (OSError, CancelledError) as error:
            raise _gone(error) from error

    def room(self) -> int:
        """How many submissions may be under way: one a worker, and none without workers."""
        now = time.monotonic()
        if now - self._counted >= COUNT_SECONDS:
            self._counted, self._workers = now, len(self._client.nthreads())
        return self._workers

    def _wait_while_there_are_workers(self, future: Future) -> None:
        seen = time.monotonic()
        while True:
            with suppress(TimeoutError):
                future.exception(COUNT_SECONDS)
                return
            if self.room():
                seen = time.monotonic()
            elif time.monotonic() - seen > WORKERLESS_SECONDS:
                future.cancel()
                raise Ungraded(
                    f"for {WORKERLESS_SECONDS:g} seconds there was no worker: start some, and ask "
                    "again"
                )

    def _submit(self, assignment: str, one: Work) -> Future:
        from autograder.farm.worker import grade

        return self._client.submit(grade, assignment, one.notebook, one.name, pure=False)


def _gone(error: BaseException) -> Ungraded:
    return Ungraded(
        f"the scheduler is gone ({error}): what was graded is kept, run the command again"
    )


def _outcome(future: Future) -> Outcome:
    """What a finished task brought; its bytes are forgotten on the worker."""
    from distributed import KilledWorker

    from autograder.farm.worker import Outcome

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
def remote_farm(address: str, assignments: Sequence[Packed]) -> Iterator[Farm]:
    """The workers of the Dask scheduler at `address`.

    Raises:
        UsageError: no scheduler answers there, or it wants keys that are not there.
    """
    with _connected(address) as client:
        if not client.nthreads():
            print(f"the scheduler at {address} has no workers yet: waiting", file=sys.stderr)
            client.wait_for_workers(1)
        farm = Farm(client)
        for packed in assignments:
            farm.add(packed)
        yield farm


def quiet(client: Client) -> Client:
    """A client whose loop keeps to itself, as Dask's log does, what nobody waits for any more.

    Closing it amid a message to all workers leaves one failed future for each of them.
    """
    loop: Any = client.loop
    loop.asyncio_loop.set_exception_handler(lambda *_: None)
    return client


def _connected(address: str) -> Client:
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        return quiet(Client(address, timeout=CONNECT_SECONDS))
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

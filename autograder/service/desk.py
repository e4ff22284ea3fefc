"""The desk of the check service: who asks waits here until a worker is free.

Theory of operation. A ticket waits, runs, and is answered or has failed. A student has one ticket
under way at most, so that tickets taken in the order in which they came are fair to all. As many
run as the farm has workers, each waited for by a thread of its own; while there is none they wait.
Everything else happens in the event loop. An answer is kept by whoever opened the desk before
anybody is told. What was answered once is answered at once when it is asked again, unless it rests
on how busy the machine was.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from statistics import fmean, quantiles
from typing import TYPE_CHECKING, Any, Protocol, Self

from autograder.errors import AutograderError
from autograder.results.model import QuestionResult
from autograder.service.tickets import Asked, Busy, Full, Measures, Progress, State

if TYPE_CHECKING:  # loading Dask takes a second
    from autograder.farm.worker import Outcome

CACHED = 20_000  # answers
KEPT_SECONDS = 600.0  # that a finished ticket may still be asked for
LATELY = 200  # tickets that durations are told of
MOST_WORKERS = 512
LOOK_SECONDS = 1.0  # between two looks at the farm, or at a place in the queue
FIRST_GUESS = 1.0  # seconds a check, before any has been timed
WAITING_BYTES = 256 << 20  # of all notebooks that wait
FORGOTTEN_BEYOND = 20_000  # finished tickets
NOT_NOW = "The service could not check this now: ask again later, or tell your instructor."
GONE = "The service was shut down before it came to this: ask again."
BY_CHANCE = frozenset({"timeout", "memory", "crash", "bad_reply", "ungraded"})

_log = logging.getLogger(__name__)


class Checker(Protocol):
    """The part of a `Farm` that a desk needs."""

    def checked(
        self, assignment: str, slug: str, reserved: frozenset[str], notebook: bytes, name: str
    ) -> Outcome: ...

    def room(self) -> int: ...


@dataclass(eq=False)
class _Ticket:
    progress: Progress
    began: float = field(default_factory=time.monotonic)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def student(self) -> str:
        return self.progress.asked.student

    def become(self, progress: Progress) -> None:
        self.progress = progress
        self.changed.set()
        self.changed = asyncio.Event()


class Desk:
    """Takes what students ask, and has a farm answer it. An asynchronous context manager."""

    def __init__(
        self, farm: Checker, answered: Callable[[Progress], None], length: int = 500
    ) -> None:
        """Nothing is taken yet.

        Args:
            answered: keeps an answer; called in a thread, once for each ticket that a worker has
                answered and before anybody is told.
            length: how many may wait.
        """
        self._farm = farm
        self._keep = answered
        self._length = length
        self._room = 0
        self._waiting: deque[_Ticket] = deque()
        self._running: set[_Ticket] = set()
        self._tickets: dict[str, _Ticket] = {}
        self._of_student: dict[str, _Ticket] = {}
        self._over: deque[tuple[float, str]] = deque()
        self._cache: OrderedDict[str, QuestionResult] = OrderedDict()
        self._took: deque[float] = deque([FIRST_GUESS], maxlen=LATELY)
        self._lasted: deque[float] = deque(maxlen=LATELY)
        self._counts = {"answered": 0, "failed": 0, "from_cache": 0}
        self._tasks: set[asyncio.Task[None]] = set()
        self._threads = ThreadPoolExecutor(MOST_WORKERS, "check")

    async def __aenter__(self) -> Self:
        await self._count_workers()
        self._begin(self._look())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Turns away who waits; what runs is left to the farm to end."""
        for task in self._tasks:
            task.cancel()
        for ticket in [*self._waiting, *self._running]:
            self._finish(ticket, replace(ticket.progress, state="failed", sentence=GONE))
        self._waiting.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def take(self, asked: Asked) -> Progress:
        """A ticket: the student's own that asks the same, an answered one, or a new one.

        Raises:
            Busy: the student's other ticket is still under way.
            Full: too many wait.
        """
        self._forget()
        under_way = self._of_student.get(asked.student)
        if under_way is not None:
            if under_way.progress.asked.digest != asked.digest:
                raise Busy("your other check is still under way: wait for its answer first")
            return self._seen(under_way)
        if (known := self._cache.get(asked.digest)) is not None:
            self._counts["from_cache"] += 1
            self._cache.move_to_end(asked.digest)
            return self._finished_at_once(asked, known)
        if self._is_full(asked):
            raise Full(self._seconds_until(len(self._waiting)))
        ticket = self._new(Progress(secrets.token_urlsafe(16), asked, "waiting"))
        self._of_student[asked.student] = ticket
        self._waiting.append(ticket)
        self._pump()
        return self._seen(ticket)

    def knows(self, digest: str) -> bool:
        """Whether what has this digest is answered at once."""
        return digest in self._cache

    def is_busy_with(self, student: str) -> bool:
        """Whether a ticket of the student's is under way."""
        return student in self._of_student

    def progress(self, id: str) -> Progress:
        """A ticket as it is now.

        Raises:
            KeyError: there is none, or none any more.
        """
        return self._seen(self._tickets[id])

    async def changes(self, id: str) -> AsyncIterator[Progress]:
        """A ticket as it is now, and after each change, until it is over.

        Raises:
            KeyError: there is none, or none any more.
        """
        ticket = self._tickets[id]
        last: tuple[State, int] | None = None
        while True:
            changed, now = ticket.changed, self._seen(ticket)
            if last != (now.state, now.position):
                last = now.state, now.position
                yield now
            if now.is_over:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), LOOK_SECONDS)

    def remember(self, asked: Asked, result: QuestionResult) -> None:
        """Has the same question answered so at once from now on."""
        if result.status not in BY_CHANCE:
            self._cache[asked.digest] = result
            if len(self._cache) > CACHED:
                self._cache.popitem(last=False)

    def measures(self) -> Measures:
        """What goes on."""
        lasted = sorted(self._lasted)
        spread = quantiles(lasted, n=20, method="inclusive") if len(lasted) > 1 else lasted * 19
        return Measures(
            waiting=len(self._waiting),
            running=len(self._running),
            workers=self._room,
            median=spread[9] if spread else 0.0,
            p95=spread[18] if spread else 0.0,
            **self._counts,
        )

    def _is_full(self, asked: Asked) -> bool:
        held = sum(len(ticket.progress.asked.notebook) for ticket in self._waiting)
        return len(self._waiting) >= self._length or held + len(asked.notebook) > WAITING_BYTES

    def _finished_at_once(self, asked: Asked, result: QuestionResult) -> Progress:
        ticket = self._new(Progress(secrets.token_urlsafe(16), asked, "answered", result=result))
        self._end(ticket, ticket.progress)
        return ticket.progress

    def _new(self, progress: Progress) -> _Ticket:
        ticket = self._tickets[progress.id] = _Ticket(progress)
        return ticket

    def _seen(self, ticket: _Ticket) -> Progress:
        """The ticket with its place in the queue, and how long it will take."""
        now = ticket.progress
        if now.state == "waiting":
            place = self._waiting.index(ticket)
            return replace(now, position=place + 1, wait_seconds=self._seconds_until(place))
        if now.state == "running":
            return replace(now, wait_seconds=fmean(self._took))
        return now

    def _seconds_until(self, place: int) -> float:
        """How long a new ticket takes with `place` others before it."""
        rounds = (place + len(self._running)) // max(1, self._room) + 1
        return rounds * fmean(self._took)

    def _pump(self) -> None:
        while self._waiting and len(self._running) < self._room:
            ticket = self._waiting.popleft()
            self._running.add(ticket)
            ticket.become(replace(ticket.progress, state="running"))
            self._begin(self._run(ticket))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, ticket: _Ticket) -> None:
        began = time.monotonic()
        loop = asyncio.get_running_loop()
        over = await loop.run_in_executor(self._threads, self._judged, ticket.progress)
        self._took.append(time.monotonic() - began)
        self._lasted.append(time.monotonic() - ticket.began)
        if over.result is not None:
            self.remember(over.asked, over.result)
        self._finish(ticket, over)
        self._pump()

    def _judged(self, running: Progress) -> Progress:
        """What becomes of a ticket; in a thread."""
        asked = running.asked
        try:
            outcome = self._farm.checked(
                asked.assignment,
                asked.slug,
                asked.reserved,
                asked.notebook,
                f"{asked.assignment}.ipynb",
            )
            if outcome.kind == "unreadable":
                return replace(running, state="failed", sentence=outcome.reason)
            if outcome.question is None:
                raise AutograderError(outcome.reason)
            over = replace(running, state="answered", result=outcome.question)
            self._keep(over)
        except Exception as fault:  # the grader's, or that of whoever keeps answers
            _log.error("%s of %s was not checked: %s", asked.slug, asked.assignment, fault)
            return replace(running, state="failed", sentence=NOT_NOW)
        return over

    def _finish(self, ticket: _Ticket, over: Progress) -> None:
        self._running.discard(ticket)
        self._of_student.pop(ticket.student, None)
        self._counts["answered" if over.state == "answered" else "failed"] += 1
        self._end(ticket, over)

    def _end(self, ticket: _Ticket, over: Progress) -> None:
        """Notes that it is over; its notebook is needed no more."""
        ticket.become(replace(over, asked=replace(over.asked, notebook=b"")))
        self._over.append((time.monotonic(), over.id))

    def _forget(self) -> None:
        """Forgets tickets that have long been over, and the oldest of very many."""
        while self._over and (
            time.monotonic() - self._over[0][0] > KEPT_SECONDS or len(self._over) > FORGOTTEN_BEYOND
        ):
            self._tickets.pop(self._over.popleft()[1], None)

    async def _look(self) -> None:
        """Sees, time and again, how many workers there are."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self._count_workers()
            self._pump()

    async def _count_workers(self) -> None:
        try:
            self._room = await asyncio.to_thread(self._farm.room)
        except Exception as fault:  # whatever the scheduler's client raises while it is gone
            self._room = 0
            _log.error("the workers cannot be counted: %s", fault)

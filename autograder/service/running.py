"""A check service from its start to its end: workers, desk, database, web server.

Theory of operation. The workers are handed every assignment with checks as it is now; what is
changed later counts after a restart, since answers are told apart by the state that was handed out.
The address is taken first, and answers once there are workers. On a signal it takes nothing new,
gives those who wait a few seconds to hear, and ends.
"""

from __future__ import annotations

import asyncio
import ipaddress
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout
from starlette.applications import Starlette

from autograder.course.assignments import Course
from autograder.course.settings import read_settings
from autograder.errors import UsageError
from autograder.grading.identity import Identity
from autograder.service.app import application
from autograder.service.attempts import Attempts, database_url
from autograder.service.desk import Desk
from autograder.service.hub import Hub, HubSettings
from autograder.service.page import Page
from autograder.service.policy import Policy, read_policy
from autograder.service.questions import Questions
from autograder.service.service import Service
from autograder.service.tickets import Progress
from autograder.service.web import listening, web_server
from autograder.service.who import Door, Open, Tokens, key_file, make_key

if TYPE_CHECKING:
    from autograder.farm.workers import Farm


@dataclass(frozen=True)
class Start:
    """How a service is started.

    Attributes:
        jobs: workers of this machine, where no `scheduler` is named.
        open_to: the student that everybody is; None where tokens tell.
    """

    host: str
    port: int
    jobs: int
    scheduler: str | None = None
    open_to: str | None = None


def serve(course: Course, start: Start, hub: HubSettings | None, ready: Callable[[], None]) -> None:
    """Serves until a signal ends it; says so by `ready` once it answers.

    Raises:
        UsageError: it would not be safe, or the course cannot be served.
        Ungraded: grading would not be safe or true.
    """
    expect_safe(start, hub)
    policy = read_policy(course)
    settings = read_settings(course.root)
    names = course.assignment_ids()
    if not names:
        raise UsageError(f"no assignment of {course.root} has checks: there is nothing to ask")
    identities = [Identity.of(course.assignment_with_checks(name), settings) for name in names]
    make_key(key_file(course))
    attempts = Attempts(database_url(course, policy))
    try:
        with (
            _ended_by_signals(),
            _alone(course),
            listening(start.host, start.port) as at,
            _farm(course, identities, start) as farm,
        ):
            app = assembled(course, policy, identities, attempts, farm, start, hub, ready)
            web_server(app).run([at])
    finally:
        attempts.close()


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Ends what is inside on SIGINT and SIGTERM alike, so that everything is put away.

    The web server ends by itself, and then raises the signal once more.
    """
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGTERM, before)


def expect_safe(start: Start, hub: HubSettings | None) -> None:
    """Refuses to be open to more than this machine.

    Raises:
        UsageError: it would be.
    """
    if start.open_to is not None and (hub is not None or not is_loopback(start.host)):
        raise UsageError(
            f"--open lets everybody who reaches {start.host} be {start.open_to}: "
            "it is for 127.0.0.1, without a hub"
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches `host`."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def assembled(
    course: Course,
    policy: Policy,
    identities: list[Identity],
    attempts: Attempts,
    farm: Farm,
    start: Start,
    settings: HubSettings | None,
    ready: Callable[[], None] = lambda: None,
) -> Starlette:
    """The application over a farm; the desk opens when it starts."""
    tokens = Tokens(key_file(course), policy)
    hub = Hub(settings, policy) if settings is not None else None
    visitor = Open(start.open_to) if start.open_to is not None else None
    doors: list[Door] = [visitor] if visitor else [tokens, *([hub] if hub else [])]
    base = settings.prefix if settings is not None else "/"

    def keep(progress: Progress) -> None:
        service.keep(progress)

    desk = Desk(farm, keep, policy.queue_length)
    questions = Questions(identities, policy)
    service = Service(policy, questions, attempts, desk)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with desk:
            service.remember()
            warming = asyncio.create_task(asyncio.to_thread(farm.warm, questions.assignments))
            ready()
            yield
            warming.cancel()
        service.aside.close()
        if hub is not None:
            await hub.close()

    page = Page(service, tokens, visitor, hub, base)
    return application(service, doors, page, base, lifespan, only_local=visitor is not None)


@contextmanager
def _alone(course: Course) -> Iterator[None]:
    """No other service of this course runs meanwhile: two would give twice the attempts."""
    home = course.root / ".cache" / "service"
    home.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(home / "lock", timeout=0):
            yield
    except Timeout as error:
        raise UsageError(f"another `autograder serve` is at work in {course.root}") from error


@contextmanager
def _farm(course: Course, identities: list[Identity], start: Start) -> Iterator[Farm]:
    from autograder.farm.bundle import pack
    from autograder.farm.local import local_farm
    from autograder.farm.warming import warming
    from autograder.farm.workers import Packed, remote_farm
    from autograder.intake.belonging import released_in

    released = released_in(course)
    kept = None if start.scheduler is not None else course.drift_memory
    packed = [Packed(pack(one.assignment, released), one, kept) for one in identities]
    if start.scheduler is not None:
        with remote_farm(start.scheduler, packed) as farm:
            yield farm
        return
    scratch = course.root / ".cache" / "service" / "workers"
    with (
        warming([one.assignment for one in identities], scratch) as lent,
        local_farm(start.jobs, packed, scratch, lent) as farm,
    ):
        yield farm

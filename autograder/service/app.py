"""The routes of the check service, as an ASGI application.

Theory of operation. Whoever asks is told by the token in the header `Authorization`, before
anything of the body is read; a cookie opens the instructor's page alone. Every refusal is a status,
one sentence and, where it helps, when to ask again. Answers are JSON, or JSON in events.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from math import ceil
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from autograder.errors import AutograderError
from autograder.service import refusals
from autograder.service.headers import SafeHeaders
from autograder.service.metrics import Metrics
from autograder.service.openapi import description
from autograder.service.page import Page
from autograder.service.rates import Rate
from autograder.service.refusals import Refused
from autograder.service.service import Service
from autograder.service.who import Asker, Door

PING_SECONDS = 15.0  # so often a stream of events says that it is still there
HEALTH_SECONDS = 2.0  # that the database has to say that it is there
STREAMS = 4  # of events that a student may have open
TOKEN_KINDS = ("token", "bearer")
Handler = Callable[[Request], Awaitable[Response]]


class _Events(StreamingResponse):
    """A stream of events, of whose end someone is told."""

    def __init__(self, events: AsyncIterator[str], ended: Callable[[], None]) -> None:
        headers = {"X-Accel-Buffering": "no"}  # or nginx would keep them back
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ended()


class Api:
    """What each route does."""

    def __init__(self, service: Service, doors: list[Door], base: str) -> None:
        self._service, self._aside = service, service.aside
        self._doors = doors
        self._base = base
        self._bodies = service.bodies
        self._asks = Rate(30, 60)  # questions of a student
        self._reads = Rate(240, 60)  # all else of a student
        self._failures = service.failures
        self._streams: Counter[str] = Counter()  # open ones, by student

    async def asker(self, request: Request) -> Asker:
        """Who asks.

        Raises:
            Refused: nobody that is known.
        """
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        token = token.strip() if kind.lower() in TOKEN_KINDS else ""
        for door in self._doors:
            if not door.knows(token):
                self._failures.expect_few(request)
            found = await door.asker(token)
            if found is not None:
                return found
        self._failures.add(request)
        raise Refused(401, refusals.UNKNOWN_ASKER)

    async def ask(self, request: Request) -> Response:
        asker = await self._within(request, self._asks)
        wanted = await self._bodies.wanted(request)
        progress = await self._service.take(self._service.questions.asked(asker, wanted))
        status = 200 if progress.state == "answered" else 202
        return JSONResponse(await self._service.ticket(progress), status)

    async def check(self, request: Request) -> Response:
        asker = await self._within(request, self._reads)
        progress = self._service.own(asker, request.path_params["id"])
        return JSONResponse(await self._service.ticket(progress))

    async def events(self, request: Request) -> Response:
        asker = await self._within(request, self._reads)
        progress = self._service.own(asker, request.path_params["id"])
        if self._streams[asker.student] >= STREAMS:
            raise Refused(429, refusals.TOO_MANY_REQUESTS, PING_SECONDS)
        self._streams[asker.student] += 1
        return _Events(self._told(progress.id), partial(self._ended, asker.student))

    def _ended(self, student: str) -> None:
        self._streams -= Counter([student])

    async def questions(self, request: Request) -> Response:
        asker = await self._within(request, self._reads)
        name = request.query_params.get("assignment", "")
        assignment = self._service.questions.assignment(asker, name)
        return JSONResponse(await self._aside(self._service.listed, asker, assignment))

    async def attempts(self, request: Request) -> Response:
        asker = await self._within(request, self._reads)
        name = request.query_params.get("assignment", "")
        assignment = self._service.questions.assignment(asker, name)
        return JSONResponse(await self._aside(self._service.own_attempts, asker, assignment))

    async def health(self, request: Request) -> Response:
        await self._aside.within(HEALTH_SECONDS, self._service.attempts.ping)
        working = self._service.desk.measures().workers > 0
        return JSONResponse({"status": "ok" if working else "no workers"}, 200 if working else 503)

    async def metrics(self, request: Request) -> Response:
        asker = await self._within(request, self._reads)
        if not asker.instructs:
            raise Refused(403, refusals.INSTRUCTORS_ONLY)
        metrics = Metrics(self._service.desk)
        return Response(metrics.text(), media_type=metrics.media_type)

    async def openapi(self, request: Request) -> Response:
        return JSONResponse(description(self._base))

    async def _within(self, request: Request, rate: Rate) -> Asker:
        """Who asks, not too often."""
        asker = await self.asker(request)
        if wait := rate.wait_seconds(asker.student):
            raise Refused(429, refusals.TOO_MANY_REQUESTS, wait)
        rate.charge(asker.student)
        return asker

    async def _told(self, id: str) -> AsyncIterator[str]:
        """The events of a ticket."""
        changes = aiter(self._service.desk.changes(id))
        following = asyncio.ensure_future(anext(changes, None))
        try:
            while True:
                done, _ = await asyncio.wait({following}, timeout=PING_SECONDS)
                if not done:
                    yield ": still there\n\n"
                    continue
                progress = following.result()
                if progress is None:
                    return
                data = json.dumps(await self._service.ticket(progress))
                yield f"event: {progress.state}\ndata: {data}\n\n"
                following = asyncio.ensure_future(anext(changes, None))
        finally:
            following.cancel()


def application(
    service: Service,
    doors: list[Door],
    page: Page,
    prefix: str = "/",
    lifespan: Callable[[Starlette], AbstractAsyncContextManager[None]] | None = None,
    *,
    only_local: bool = False,
) -> Starlette:
    """The application, whose routes begin with `prefix`.

    `only_local`: whoever asks needs no token, so no page of another site may ask for them.
    """
    api = Api(service, doors, prefix)
    routes = [
        Route("/api/checks", api.ask, methods=["POST"]),
        Route("/api/checks/{id}", api.check),
        Route("/api/checks/{id}/events", api.events),
        Route("/api/questions", api.questions),
        Route("/api/attempts", api.attempts),
        Route("/health", api.health),
        Route("/metrics", api.metrics),
        Route("/openapi.json", api.openapi),
        *page.routes(),
    ]
    base = prefix.rstrip("/")
    found = Starlette(
        routes=[Mount(base, routes=routes)] if base else routes,
        middleware=[Middleware(SafeHeaders, only_local=only_local)],
        exception_handlers={
            Refused: _refused,
            AutograderError: _faulty,
            SQLAlchemyError: _out_of_order,
            HTTPException: _odd,
            Exception: _faulty,
        },
        lifespan=lifespan,
    )
    found.router.redirect_slashes = False  # it would believe the header Host
    return found


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return _error(error.status, str(error), error.retry_seconds)


async def _out_of_order(request: Request, error: Exception) -> Response:
    return _error(503, refusals.OUT_OF_ORDER, 30)


async def _odd(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _error(error.status_code, refusals.NO_SUCH_PAGE, None)


async def _faulty(request: Request, error: Exception) -> Response:
    return _error(500, refusals.OWN_FAULT, None)


def _error(status: int, sentence: str, retry_seconds: float | None) -> Response:
    body: dict[str, Any] = {"error": sentence, "retry_seconds": retry_seconds}
    headers = {} if retry_seconds is None else {"Retry-After": str(ceil(retry_seconds))}
    return JSONResponse(body, status, headers)

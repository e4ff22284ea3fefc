"""The web server, and what a connection may take.

Theory of operation. A request's head has to arrive within seconds, counted from when the connection
was opened or its first byte came; bodies have a time of their own (`bodies`). Who was refused and
goes on sending is listened to a moment longer, so that the refusal is read, and then hung up on.
"""

from __future__ import annotations

import asyncio
import socket

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from autograder.errors import UsageError

CONNECTIONS = 800  # below the number of files that a process may have open
HEAD_SECONDS = 10.0
LINGER_SECONDS = 5.0
IDLE_SECONDS = 30  # a connection on which nothing is asked
END_SECONDS = 5
HEAD_BYTES = 16 << 10


class Connection(H11Protocol):
    """One connection."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._hang_up_in(HEAD_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Ends the wait for a head that has come, or begins one for a head of which a part has."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            if self.conn.our_state is not h11.DONE:
                self._wait_on()
        elif self._deadline is None:
            self._hang_up_in(HEAD_SECONDS)

    def on_response_complete(self) -> None:
        unread = self.conn.their_state is h11.SEND_BODY
        super().on_response_complete()
        if unread:
            self._hang_up_in(LINGER_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_on()
        super().connection_lost(exc)

    def _hang_up_in(self, seconds: float) -> None:
        self._wait_on()
        self._deadline = self.loop.call_later(seconds, self.transport.close)

    def _wait_on(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def listening(host: str, port: int) -> socket.socket:
    """What the server listens at.

    Raises:
        UsageError: it cannot listen there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=CONNECTIONS)
    except OSError as error:
        raise UsageError(f"cannot listen at {host}, port {port}: {error}") from error


def web_server(app: ASGIApp) -> uvicorn.Server:
    """What serves `app`, at a socket that it is given."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            lifespan="on",
            access_log=False,  # it would name who asks, and when
            log_level="error",
            server_header=False,
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=END_SECONDS,
            h11_max_incomplete_event_size=HEAD_BYTES,
            http=Connection,
            ws="none",
        )
    )

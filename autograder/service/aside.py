"""What waits for the database, in threads of its own, so that the event loop never does.

Theory of operation. A server that has gone silent answers no statement and breaks no connection. A
request waits for it so long and is refused; its thread comes free when the server speaks again.
While all threads wait, further requests wait for a thread, and no longer than for an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from autograder.service import refusals
from autograder.service.refusals import Refused

THREADS = 8
SECONDS = 10.0  # that a request waits for the database

P = ParamSpec("P")
T = TypeVar("T")


class Aside:
    """Has work done beside the event loop."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, "database")

    async def __call__(self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """What `work` returns.

        Raises:
            Refused: it takes too long.
        """
        return await self.within(SECONDS, work, *given, **named)

    async def within(
        self, seconds: float, work: Callable[P, T], *given: P.args, **named: P.kwargs
    ) -> T:
        """As above, with another patience."""
        loop = asyncio.get_running_loop()
        doing = loop.run_in_executor(self._threads, lambda: work(*given, **named))
        try:
            return await asyncio.wait_for(doing, seconds)
        except TimeoutError as error:
            raise Refused(503, refusals.OUT_OF_ORDER, 30) from error

    def close(self) -> None:
        """Takes no more; what waits for the database is left to its end."""
        self._threads.shutdown(wait=False, cancel_futures=True)

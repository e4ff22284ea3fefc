"""Wrong tokens, cookies and codes: of one address so many are told to be wrong, at all doors."""

from __future__ import annotations

from starlette.requests import Request

from autograder.service import refusals
from autograder.service.rates import Rate
from autograder.service.refusals import Refused


class Failures:
    """Those of one service."""

    def __init__(self) -> None:
        self._rate = Rate(30, 60)

    def expect_few(self, request: Request) -> None:
        """Has a request go on, unless too many failed where it comes from.

        Raises:
            Refused: too many did.
        """
        if wait := self._rate.wait_seconds(_address(request)):
            raise Refused(429, refusals.TOO_MANY_FAILURES, wait)

    def add(self, request: Request) -> None:
        """Counts one that failed.

        Raises:
            Refused: it is one too many.
        """
        self.expect_few(request)
        self._rate.charge(_address(request))


def _address(request: Request) -> str:
    return request.client.host if request.client else ""

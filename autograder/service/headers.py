"""Headers that every answer of the service has, and requests that no browser of ours makes."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from autograder.service import refusals

PAGE_POLICY = (  # as a page may say it of itself
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; "
    "base-uri 'none'"
)
POLICY = f"{PAGE_POLICY}; frame-ancestors 'none'"
AMBIGUOUS = {"content-length", "transfer-encoding"}  # a proxy may go by the other one
LOCAL_NAMES = frozenset({"127.0.0.1", "::1", "localhost"})
SAFE = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class SafeHeaders:
    """Adds them.

    Theory of operation. A request with two lengths may hide a second one. Without tokens whoever
    can reach the service may use it, and a browser of this machine can: for a page of another site
    (`Origin`), or for a name of that site's that was made to mean this machine (`Host`). Both say
    so, and are refused.
    """

    def __init__(self, app: ASGIApp, *, only_local: bool) -> None:
        self._app = app
        self._only_local = only_local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SAFE.items():
                    headers[name] = value
            await send(message)

        app = self._app
        if scope["type"] == "http":
            app = self._refusal(Headers(scope=scope)) or app
        await app(scope, receive, safe)

    def _refusal(self, headers: Headers) -> JSONResponse | None:
        """What is said to a request that no browser and no program of ours makes."""
        if set(headers) >= AMBIGUOUS:
            return _said(400, refusals.NO_QUESTION)
        if self._only_local and not _is_local(headers):
            return _said(403, refusals.NOT_LOCAL)
        return None


def _said(status: int, sentence: str) -> JSONResponse:
    said = {"error": sentence, "retry_seconds": None}
    return JSONResponse(said, status, {"Connection": "close"})


def _is_local(headers: Headers) -> bool:
    """Whether a request was made to this machine by name, and by no page of another site."""
    origin = headers.get("origin")
    try:
        asked = urlsplit(f"//{headers.get('host', '')}")
        named = asked.hostname in LOCAL_NAMES
        return named and (origin is None or urlsplit(origin).netloc == asked.netloc)
    except ValueError:  # no address
        return False


def is_page_visit(headers: Headers) -> bool:
    """Whether a browser opens the page for a person to see, and no script of another page fetches
    it; browsers that do not say are taken at their word."""
    where = headers.get("sec-fetch-dest", "document")
    return where == "document" and headers.get("sec-fetch-mode", "navigate") == "navigate"

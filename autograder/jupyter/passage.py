"""A Jupyter server passes a student's questions on to the check service.

Theory of operation. The browser asks `autograder/api/…` of its own Jupyter server, whose login and
XSRF protection hold; the server asks the service the same, with the student's token, which the
browser never sees. Only the paths of the service's contract are passed on. Bodies and replies are
bounded, redirects are not followed, and of a reply nothing goes on but its status, its JSON and
when one may ask again. What the service says while it works is passed on as it comes.
"""

from __future__ import annotations

import os
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.serverapp import ServerApp
from jupyter_server.utils import url_path_join
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest, HTTPResponse
from tornado.httputil import HTTPHeaders, parse_response_start_line
from tornado.iostream import StreamClosedError
from tornado.web import authenticated
from traitlets import Unicode
from traitlets.config import Configurable

BODY_BYTES = 8 << 20
REPLY_BYTES = 4 << 20
CONNECT_SECONDS = 10.0
REPLY_SECONDS = 60.0
EVENTS_SECONDS = 900.0
TOKEN_BYTES = 16 << 10
EVENTS = "text/event-stream"
NO_SERVICE = (
    "No check service is set up here: if your course has one, tell your instructor that "
    "AUTOGRADER_URL does not name it."
)
NO_ANSWER = "The check service does not answer just now."
NO_SENSE = "The check service gave an answer that makes no sense: is AUTOGRADER_URL right?"
TOO_LARGE = "The notebook is too large to be checked."
PLACE = "/([A-Za-z0-9_-]{1,100})"


class CheckPassage(Configurable):
    """Where the check service is, and who asks it."""

    url = Unicode(help="The check service's address; else AUTOGRADER_URL.").tag(config=True)
    token_file = Unicode(
        help="A file with the student's token; else AUTOGRADER_TOKEN, AUTOGRADER_TOKEN_FILE, "
        "or in a JupyterHub the server's own token."
    ).tag(config=True)

    def address(self) -> str:
        """The service's address without a slash at its end; empty where none is set up."""
        url = (self.url or os.environ.get("AUTOGRADER_URL", "")).strip().rstrip("/")
        with suppress(ValueError):
            parts = urlsplit(url)
            return url if parts.scheme in {"http", "https"} and parts.hostname else ""
        return ""

    def token(self) -> str:
        """The student's token, read anew each time; empty where there is none."""
        file = self.token_file or os.environ.get("AUTOGRADER_TOKEN_FILE", "")
        if not self.token_file and (given := os.environ.get("AUTOGRADER_TOKEN", "").strip()):
            return given
        if file:
            try:
                with Path(file).expanduser().open(encoding="ascii") as stored:
                    return stored.read(TOKEN_BYTES).strip()
            except (OSError, UnicodeDecodeError):
                return ""
        return os.environ.get("JUPYTERHUB_API_TOKEN", "")


class Passing(APIHandler):
    """Passes one request on, and what the service says to it back."""

    auth_resource = "autograder"

    def initialize(self, passage: CheckPassage, path: str) -> None:
        self._passage, self._path = passage, path

    async def _pass_on(self, method: str, path: str, body: bytes | None = None) -> None:
        if not (address := self._passage.address()):
            self._say(HTTPStatus.NOT_IMPLEMENTED, NO_SERVICE)
            return
        try:
            response = await self._ask(f"{address}/{path}", method, body)
        except (OSError, HTTPClientError, StreamClosedError, ValueError):
            self._give_up()
            return
        self._repeat(response)

    def _give_up(self) -> None:
        """The service does not answer, or has stopped to."""
        self._say(HTTPStatus.BAD_GATEWAY, NO_ANSWER)

    async def _ask(self, url: str, method: str, body: bytes | None) -> HTTPResponse:
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        if token := self._passage.token():
            headers["Authorization"] = f"token {token}"
        client = AsyncHTTPClient(force_instance=True, max_body_size=REPLY_BYTES)
        try:
            request = HTTPRequest(
                url,
                method,
                headers,
                body,
                follow_redirects=False,
                connect_timeout=CONNECT_SECONDS,
                **self._reading(),
            )
            return await client.fetch(request, raise_error=False)
        finally:
            client.close()

    def _reading(self) -> dict[str, Any]:
        """How the reply is read."""
        return {"request_timeout": REPLY_SECONDS}

    def _repeat(self, response: HTTPResponse) -> None:
        """Says what the service said, if it is of the kind that it says."""
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip()
        if kind != "application/json" or 300 <= response.code < 400:
            self._say(HTTPStatus.BAD_GATEWAY, NO_ANSWER if response.code >= 500 else NO_SENSE)
        else:
            self.set_status(response.code)
            if (pause := response.headers.get("Retry-After", "")).isdecimal():
                self.set_header("Retry-After", pause)
            self.set_header("Cache-Control", "no-store")
            self.set_header("Content-Type", "application/json")
            self.finish(response.body)

    def _say(self, status: HTTPStatus, sentence: str) -> None:
        self.set_status(status)
        self.finish({"error": sentence, "retry_seconds": None})


class QuestionsHandler(Passing):
    """Which questions may be asked; that there is no service is no fault of a page that asks."""

    @authenticated
    @authorized
    async def get(self) -> None:
        query = urlencode({"assignment": self.get_query_argument("assignment", "")})
        await self._pass_on("GET", f"{self._path}?{query}")

    def _say(self, status: HTTPStatus, sentence: str) -> None:
        if status == HTTPStatus.NOT_IMPLEMENTED:
            self.finish({"open": False, "questions": [], "sentence": sentence})
        else:
            super()._say(status, sentence)


class AskHandler(Passing):
    """A question about a notebook."""

    @authenticated
    @authorized
    async def post(self) -> None:
        if len(self.request.body) > BODY_BYTES:
            self._say(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_LARGE)
        else:
            await self._pass_on("POST", self._path, self.request.body)


class CheckHandler(Passing):
    """What has become of a question."""

    @authenticated
    @authorized
    async def get(self, id: str) -> None:
        await self._pass_on("GET", self._path.format(id=id))


class EventsHandler(CheckHandler):
    """Passes on what the service says of a check, as it comes."""

    _status = 0
    _kind = ""

    def _reading(self) -> dict[str, Any]:
        self._kept = bytearray()
        return {
            "header_callback": self._head,
            "streaming_callback": self._piece,
            "request_timeout": EVENTS_SECONDS,
        }

    def _head(self, line: str) -> None:
        if line.startswith("HTTP/"):
            self._status, self._kind = parse_response_start_line(line.strip()).code, ""
        elif line.lower().startswith("content-type:"):
            self._kind = HTTPHeaders.parse(line)["Content-Type"].partition(";")[0].strip()

    def _piece(self, data: bytes) -> None:
        if self._status == HTTPStatus.OK and self._kind == EVENTS:
            if not self._headers_written:
                self.set_header("Content-Type", EVENTS)
                self.set_header("Cache-Control", "no-store")
                self.set_header("X-Accel-Buffering", "no")
            self.write(data)
            self.flush()
        else:
            self._kept += data

    def _repeat(self, response: HTTPResponse) -> None:
        if self._headers_written:
            self.finish()
        else:
            response._body = bytes(self._kept)
            super()._repeat(response)

    def _give_up(self) -> None:
        if self._headers_written:
            self.finish()  # who follows it sees that it ended too early, and asks again
        else:
            super()._give_up()


def _load_jupyter_server_extension(app: ServerApp) -> None:
    """Called by Jupyter Server when it starts."""
    passage = CheckPassage(parent=app)
    base = url_path_join(app.web_app.settings["base_url"], "autograder", "api")
    rules: list[tuple[str, type[Passing], str]] = [
        ("questions", QuestionsHandler, "api/questions"),
        ("checks", AskHandler, "api/checks"),
        (f"checks{PLACE}", CheckHandler, "api/checks/{id}"),
        (f"checks{PLACE}/events", EventsHandler, "api/checks/{id}/events"),
    ]
    app.web_app.add_handlers(  # type: ignore[no-untyped-call]
        ".*$",
        [
            (url_path_join(base, rule) + "$", handler, {"passage": passage, "path": path})
            for rule, handler, path in rules
        ],
    )

"""A check service of the standard library, which answers what the test tells it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "demo-token-" + "x" * 40
MARKUP = "<img src=x onerror=\"document.title='stolen'\"> & <b>bold</b>"
DIAGNOSIS = "It divides by d_k itself, where its square root belongs."
RIGHT = "sqrt"


def answer_to(question: str, source: str) -> dict[str, Any]:
    """A right answer holds the word `RIGHT`."""
    passed = RIGHT in source
    values = {
        "title": f"The values {MARKUP}",
        "passed": passed,
        "message": None if passed else f"Expected other values {MARKUP}",
        "diagnosis": None if passed else DIAGNOSIS,
        "points": None,
    }
    shape = {"title": "The shape", "passed": True, "message": None, "diagnosis": None}
    return {
        "question": question,
        "status": "ok" if passed else "wrong",
        "words": "every check held" if passed else "it does something else than asked",
        "passed": passed,
        "score": None,
        "max_score": None,
        "checks": [{**shape, "points": None}, values],
        "reserved": 1,
        "attempts_left": 7,
        "next_in_seconds": 0,
        "rests_on": [] if passed else ["positional_encoder"],
    }


class FakeService:
    """What was asked, and what to do about it.

    Attributes:
        faults: replies to the next questions, as status, body and headers.
        held: while it is not set, what was asked waits.
        breaks: streams of events that end before their time.
        tears: streams of events that end before they are as long as was said.
        forgets: tickets that are forgotten as soon as they are made.
    """

    def __init__(self) -> None:
        self.url = ""
        self.seen: list[tuple[str, str, str | None]] = []
        self.bodies: list[dict[str, Any]] = []
        self.faults: list[tuple[int, dict[str, Any], dict[str, str]]] = []
        self.held = threading.Event()
        self.held.set()
        self.breaks = 0
        self.tears = 0
        self.forgets = 0
        self.questions = ["attention"]
        self.token: str | None = TOKEN

    def ticket(self, number: int, state: str) -> dict[str, Any]:
        body = self.bodies[number]
        cells = body["notebook"]["cells"]
        named = {c["metadata"].get("nbgrader", {}).get("grade_id"): c["source"] for c in cells}
        source = "".join(named[body["question"]])
        over = state == "answered"
        return {
            "id": f"t{number}",
            "state": state,
            "position": 3 if state == "waiting" else 0,
            "wait_seconds": 12.4,
            "answer": answer_to(body["question"], source) if over else None,
            "sentence": "",
        }


def _handler(service: FakeService) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

        def reply(self, status: int, body: dict[str, Any], **headers: str) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def knows(self) -> bool:
            told = self.headers.get("Authorization")
            service.seen.append((self.command, self.path, told))
            if service.token is None or told == f"token {service.token}":
                return True
            self.reply(401, {"error": "Who are you?", "retry_seconds": None})
            return False

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not self.knows():
                return
            if service.faults:
                status, told, headers = service.faults.pop(0)
                self.reply(status, told, **headers)
                return
            service.bodies.append(body)
            self.reply(202, service.ticket(len(service.bodies) - 1, "waiting"))

        def do_GET(self) -> None:
            if not self.knows():
                return
            path, _, _ = self.path.partition("?")
            parts = path.strip("/").split("/")
            if parts == ["api", "questions"]:
                found = [
                    {"slug": n, "title": n.title(), "attempts_left": 7, "wait_seconds": 0}
                    for n in service.questions
                ]
                told = {"assignment": "a", "open": True, "until": None}
                self.reply(200, {**told, "questions": found})
            elif service.forgets:
                service.forgets -= 1
                self.reply(404, {"error": "There is no such check.", "retry_seconds": None})
            elif parts[-1] == "events":
                self.events(int(parts[2].removeprefix("t")))
            else:
                self.reply(200, service.ticket(int(parts[2].removeprefix("t")), "answered"))

        def events(self, number: int) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            if service.tears:
                self.send_header("Content-Length", "1000000")
            self.end_headers()
            self.tell(number, "waiting")
            service.held.wait(60)
            if service.tears:
                service.tears -= 1
                return
            if service.breaks:
                service.breaks -= 1
                return
            self.tell(number, "running")
            self.tell(number, "answered")

        def tell(self, number: int, state: str) -> None:
            data = json.dumps(service.ticket(number, state))
            self.wfile.write(f"event: {state}\ndata: {data}\n\n".encode())
            self.wfile.flush()

    return Handler


@contextmanager
def fake_service() -> Iterator[FakeService]:
    """A fake service that listens on loopback."""
    service = FakeService()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(service))
    server.daemon_threads = True
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.held.set()
        server.shutdown()
        server.server_close()
        thread.join()

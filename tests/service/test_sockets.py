"""What comes through a real socket too large, too slow, or without end, ends nothing."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from starlette.applications import Starlette

from autograder.service import bodies, refusals, web
from autograder.service.bodies import Wanted, wanted
from service.served import Served

WRONG = "3 * x"


@contextmanager
def listening(served: Served) -> Iterator[socket.socket]:
    """The service at a real socket; yields a connection to it."""
    app = served.client.app
    assert isinstance(app, Starlette)
    server = web.web_server(app)
    server.config.lifespan = "off"  # the client has begun it
    at = web.listening("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, args=([at],))
    thread.start()
    try:
        with socket.create_connection(at.getsockname(), 20) as connection:
            yield connection
    finally:
        server.should_exit = True
        thread.join()
        at.close()


def received(connection: socket.socket) -> bytes:
    """All that comes until the other side hangs up."""
    found = b""
    try:
        while piece := connection.recv(65536):
            found += piece
    except ConnectionResetError:
        pass
    return found


def head(served: Served, *lines: str, path: str = "/api/checks") -> bytes:
    token = served.tokens.made("demo-a", 1)
    fixed = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: token {token}"]
    return "\r\n".join([*fixed, "Content-Type: application/json", *lines, "", ""]).encode()


def test_a_body_that_says_it_is_too_large_is_not_read(served: Served) -> None:
    with listening(served) as connection:
        connection.sendall(head(served, f"Content-Length: {bodies.BODY_BYTES + 1}"))
        assert connection.recv(4096).startswith(b"HTTP/1.1 413 ")


def test_a_body_without_a_length_is_read_to_the_limit_and_no_further(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "BODY_BYTES", 1 << 20)
    piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    with listening(served) as connection:
        connection.sendall(head(served, "Transfer-Encoding: chunked"))
        for _ in range(17):
            connection.sendall(piece)
        assert connection.recv(4096).startswith(b"HTTP/1.1 413 ")


def test_a_body_that_never_ends_is_given_up(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.2)
    monkeypatch.setattr(web, "LINGER_SECONDS", 0.2)
    with listening(served) as connection:
        connection.sendall(head(served, "Content-Length: 1000") + b'{"assignment"')
        reply = received(connection)
    assert reply.startswith(b"HTTP/1.1 408 ")
    assert refusals.TOO_SLOW.encode() in reply
    assert served.ask(WRONG).status_code == 202


def test_bodies_that_wait_to_be_parsed_take_their_part_of_the_budget(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = served.question(WRONG)
    monkeypatch.setattr(bodies, "BUDGET_BYTES", int(1.5 * len(json.dumps(question))))
    parsing, go_on = threading.Event(), threading.Event()

    def slow(data: bytes) -> Wanted:
        parsing.set()
        assert go_on.wait(30)
        return wanted(data)

    monkeypatch.setattr(bodies, "wanted", slow)
    with ThreadPoolExecutor(1) as other:
        first = other.submit(served.post, question)
        assert parsing.wait(30)
        reply = served.post(question, "demo-b")
        go_on.set()
        assert (reply.status_code, reply.json()["error"]) == (503, refusals.QUEUE_FULL)
        assert first.result().is_success
    assert served.post(question, "demo-b").is_success


def test_a_head_that_never_ends_is_hung_up_on(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "HEAD_SECONDS", 0.2)
    with listening(served) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        assert received(connection) == b""
    with listening(served) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
        connection.sendall(b"GET /")
        assert b"HTTP/1.1" not in received(connection)


@pytest.mark.parametrize(
    "lines",
    [
        ["Content-Length: 5", "Transfer-Encoding: chunked"],
        ["Content-Length: 5", "Content-Length: 6"],
        ["Content-Length: -1"],
        ["Transfer-Encoding: chunked, identity"],
        ["X-Bad: a\x00b"],
        ["X-Long: " + "x" * web.HEAD_BYTES * 20],
    ],
    ids=range(6),
)
def test_heads_that_two_readers_might_read_differently_are_refused(
    served: Served, lines: list[str]
) -> None:
    smuggled = b"0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
    with listening(served) as connection:
        connection.sendall(head(served, *lines) + smuggled)
        reply = received(connection)
    assert reply.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 501 "))
    assert reply.count(b"HTTP/1.1") == 1


def test_so_many_streams_a_student_may_have_and_no_more(served: Served) -> None:
    from autograder.service.app import STREAMS

    served.farm.go_on.clear()
    ticket = served.ask(WRONG).json()["id"]
    path = f"/api/checks/{ticket}/events"
    request = f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {{}}\r\n\r\n"
    whole = request.format(served.header("demo-a")["Authorization"]).encode()
    with listening(served) as first:
        others = [socket.create_connection(first.getpeername(), 20) for _ in range(STREAMS)]
        replies = []
        for connection in (first, *others):
            connection.sendall(whole)
            replies.append(connection.recv(4096).split(b" ", 2)[1])
        assert replies == [b"200"] * STREAMS + [b"429"]
        for connection in others:
            connection.close()
        served.farm.go_on.set()
    assert served.events(ticket)[-1][0] == "answered"

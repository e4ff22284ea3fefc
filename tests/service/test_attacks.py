"""What those do to the check service who want another's answers, a threshold, or its end."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from unittest.mock import AsyncMock, Mock

import jwt
import pytest
from mini_course import MINI
from starlette.applications import Starlette

from autograder.intake.submission import parse_notebook
from autograder.service import bodies, refusals, web
from autograder.service.bodies import Wanted, slim, wanted
from autograder.service.refusals import Refused
from autograder.service.who import read_key
from service.served import TEACHER, Serve, Served

WRONG = "3 * x"
AUDIENCE = "autograder check service"


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


def forged(served: Served, **claims: Any) -> str:
    key = read_key(served.course.root / "service.key")
    now = int(time.time())
    whole = {"sub": "demo-b", "aud": AUDIENCE, "iat": now, "exp": now + 60, **claims}
    return jwt.encode(whole, key, "HS256")


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "token"},
        {"Authorization": "token x.y.z"},
        {"Authorization": "Basic ZGVtby1hOng="},
        {"Cookie": "autograder-check-service={own}"},
        {"Authorization": "{own}"},
        {"X-Forwarded-User": "demo-a", "Remote-User": "demo-a"},
        {"Authorization": "token eyJhbGciOiJub25lIn0.eyJzdWIiOiJkZW1vLWEifQ."},
    ],
)
def test_without_a_token_of_ones_own_nothing_is_told(
    served: Served, header: dict[str, str]
) -> None:
    own = served.tokens.made("demo-a", 1)
    headers = {name: value.format(own=own) for name, value in header.items()}
    for path in ("api/checks/x", "api/checks/x/events", f"api/questions?assignment={MINI}"):
        reply = served.client.get(f"/{path}", headers=headers)
        assert (reply.status_code, reply.json()["error"]) == (401, refusals.UNKNOWN_ASKER)
    reply = served.client.post("/api/checks", json=served.question(WRONG), headers=headers)
    assert reply.status_code == 401
    assert served.farm.judged == []


def test_tokens_over_or_of_another_key_are_refused(served: Served) -> None:
    over = forged(served, exp=int(time.time()) - 10)
    assert served.post({}, Authorization=f"token {over}").status_code == 401
    good = served.header("demo-a")
    (served.course.root / "service.key").unlink()
    assert served.client.get("/api/checks/x", headers=good).status_code == 401


def test_a_token_for_one_assignment_opens_no_other(served: Served) -> None:
    token = forged(served, assignment="another")
    for reply in (
        served.post(served.question(WRONG), Authorization=f"token {token}"),
        served.client.get(
            f"/api/attempts?assignment={MINI}", headers={"Authorization": f"token {token}"}
        ),
    ):
        assert (reply.status_code, reply.json()["error"]) == (403, refusals.NOT_FOR_YOU)


def test_anothers_ticket_and_attempts_are_as_if_they_were_not(served: Served) -> None:
    ticket = served.ask(WRONG).json()["id"]
    served.events(ticket)
    for path in (f"/api/checks/{ticket}", f"/api/checks/{ticket}/events"):
        others, nobodys = served.get(path, "demo-b"), served.get("/api/checks/none", "demo-b")
        assert (others.status_code, others.content) == (404, nobodys.content)
    assert served.get(f"/api/attempts?assignment={MINI}", "demo-b").json()["attempts"] == []
    listed = f"/api/attempts?assignment={MINI}&student=demo-a"
    assert served.get(listed, "demo-b").json()["attempts"] == []


def test_a_request_that_is_played_again_costs_and_tells_nothing_new(served: Served) -> None:
    first = served.answered(WRONG)
    for _ in range(5):
        assert served.ask(WRONG).json()["answer"] == first["answer"]
    assert len(served.farm.judged) == len(served.store.of_student("demo-a")) == 1


def test_who_asks_in_a_loop_learns_of_so_many_answers_as_an_hour_allows(serve: Serve) -> None:
    served = serve(attempts_an_hour=12, first_wait_seconds=0)
    told, low, high = 0, 0.0, 4.0
    for _ in range(25):  # a search for the factor at which the answer becomes right
        middle = (low + high) / 2
        reply = served.ask(f"{middle} * x")
        if reply.status_code == 202:
            told += served.events(reply.json()["id"])[-1][0] == "answered"
            low = middle
        else:
            assert reply.status_code == 429
    assert told == 12
    spaces = served.question(WRONG)
    for cell in spaces["notebook"].cells:
        cell.metadata["note"] = "another notebook, byte for byte"
    assert served.post(spaces).status_code == 429
    assert served.ask(WRONG, "demo-b").status_code == 202


def test_a_student_who_floods_is_slowed_and_others_are_not(served: Served) -> None:
    statuses = [served.post({"no": "question"}).status_code for _ in range(40)]
    assert statuses[:30] == [400] * 30
    assert statuses[-1] == 429
    assert served.ask(WRONG, "demo-b").status_code == 202


def test_who_tries_tokens_is_slowed_and_who_has_one_is_not(served: Served) -> None:
    tries = [served.client.get("/api/checks/x").status_code for _ in range(40)]
    assert (tries[0], tries[-1]) == (401, 429)
    assert served.get("/api/checks/x").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/api/checks/..%2f..%2fservice.key",
        "/api/checks/%2e%2e/%2e%2e/service.db",
        "/api/checks//events",
        "/api/checks/x%00",
        "/static/../service.key",
        "/api/checks/" + "x" * 5000,
    ],
)
def test_no_path_leads_to_a_file_or_elsewhere(served: Served, path: str) -> None:
    reply = served.get(path, follow_redirects=False)
    assert reply.status_code == 404
    assert "location" not in reply.headers
    assert set(reply.json()) == {"error", "retry_seconds"}


def test_a_name_with_a_header_in_it_is_no_name(served: Served) -> None:
    for name in ("demo-b\r\nX-Injected: yes", "a\nb", "a/../b", "x" * 200):
        token = forged(served, sub=name)
        reply = served.client.get("/api/checks/x", headers={"Authorization": f"token {token}"})
        assert reply.status_code == 401
        assert "x-injected" not in reply.headers


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe",
        b'{"assignment": "mini", "question": "double"}',
        b'{"assignment": NaN, "question": "double", "notebook": {}}',
        b'{"assignment": "mini", "question": "double", "notebook": ' + b"[" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b'{"assignment": "mini", "question": "double", "notebook": ' + b"9" * 100_000 + b"}",
    ],
    ids=range(9),
)
def test_json_that_is_no_question_is_refused(data: bytes) -> None:
    with pytest.raises(Refused) as caught:
        wanted(data)
    assert (caught.value.status, str(caught.value)) == (400, refusals.NO_QUESTION)


def body(cells: list[Any], **more: Any) -> bytes:
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells, **more}
    return json.dumps({"assignment": MINI, "question": "double", "notebook": notebook}).encode()


def code(source: Any = "", **more: Any) -> dict[str, Any]:
    return {"cell_type": "code", "id": "a", "metadata": {}, "source": source, **more}


@pytest.mark.parametrize(
    "data",
    [
        body([code()] * (bodies.CELLS + 1)),
        body([code("x" * (bodies.SOURCE_CHARS + 1))]),
        body([code(outputs=[[]] * bodies.PARTS)]),
    ],
    ids=["a thousand cells", "much code", "many parts"],
)
def test_a_notebook_that_is_too_much_is_refused_before_it_goes_on(data: bytes) -> None:
    with pytest.raises(Refused) as caught:
        wanted(data)
    assert (caught.value.status, str(caught.value)) == (413, refusals.TOO_LARGE)


@pytest.mark.parametrize(
    "cell",
    [[], None, "x", code(7), code([1]), code(None), {"source": "x"}],
    ids=range(7),
)
def test_a_notebook_without_a_cell_that_can_be_read_is_refused(cell: Any) -> None:
    with pytest.raises(Refused, match="no question"):
        wanted(body([cell]))


@pytest.mark.parametrize(
    "cell",
    [
        None,
        code(None),
        {**code(), "cell_type": "heading", "level": 2},
        {**code(), "cell_type": "plot"},
        {**code(), "id": 7},
        {**code(), "id": "x" * 65},
        {**code(), "metadata": []},
        {**code(), "metadata": {"nbgrader": "x"}},
        {**code(), "metadata": {"nbgrader": {"points": float("inf")}}},
        {**code(), "metadata": {"widgets": float("nan")}},
    ],
    ids=range(10),
)
def test_odd_cells_are_taken_as_they_are_when_they_are_handed_in(cell: Any) -> None:
    asked = body([code("x = 1"), cell])
    found = json.loads(wanted(asked).notebook)["cells"]
    handed_in = parse_notebook(json.dumps(json.loads(asked)["notebook"]).encode(), "x").cells
    assert [(one["cell_type"], one["id"], one["source"]) for one in found] == [
        (one.cell_type, one.id, one.source) for one in handed_in
    ]
    assert found[0]["source"] == "x = 1"


def test_only_what_the_grader_looks_at_goes_on() -> None:
    noted = {"grade_id": "double", "solution": True, "points": 5, "deep": {"x": [1]}}
    cell = code(
        ["def f():\n", "    pass"],
        outputs=[{"data": {"image/png": "secret"}}],
        attachments={"a.png": {}},
        execution_count=9,
    )
    cell["metadata"] = {"nbgrader": noted, "tags": ["secret"], "trusted": True}
    found = wanted(body([cell], metadata={"kernelspec": {"argv": ["secret"]}}))
    assert found == Wanted(MINI, "double", found.notebook)
    assert b"secret" not in found.notebook
    [kept] = json.loads(found.notebook)["cells"]
    assert kept["source"] == "def f():\n    pass"
    assert kept["metadata"] == {"nbgrader": {"grade_id": "double", "solution": True, "points": 5}}
    assert (kept["outputs"], kept["execution_count"]) == ([], None)


def test_outputs_and_metadata_make_no_other_question() -> None:
    one = wanted(body([code("x = 1")])).notebook
    other = wanted(body([code("x = 1", outputs=[{}], execution_count=3)], metadata={"a": 1}))
    assert one == other.notebook
    assert one == slim(json.loads(one))


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


def test_another_content_type_is_no_question(served: Served) -> None:
    data = json.dumps(served.question(WRONG))
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        headers = {**served.header("demo-a"), "Content-Type": kind}
        assert served.client.post("/api/checks", content=data, headers=headers).status_code == 400
    assert served.farm.judged == []


def test_an_open_service_answers_no_page_of_another_site(serve: Serve) -> None:
    served = serve(open_to="demo-a")
    question = served.question(WRONG)
    for headers in (
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example:8765"},
        {"Host": ""},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8888"},
        {"Host": "["},
        {"Origin": "http://["},
    ):
        reply = served.client.post("/api/checks", json=question, headers=headers)
        assert (reply.status_code, reply.json()["error"]) == (403, refusals.NOT_LOCAL)
        assert served.client.get("/", headers=headers).status_code == 403
    assert served.farm.judged == []
    assert served.client.post("/api/checks", json=question).status_code == 202
    own = {"Origin": "http://127.0.0.1:8765"}
    assert served.client.get("/", headers=own).status_code == 200


def test_a_form_of_too_many_fields_signs_nobody_in(served: Served) -> None:
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    reply = served.client.post("/sign-in", content="&".join(["token=a"] * 5), headers=kind)
    assert (reply.status_code, reply.json()["error"]) == (400, refusals.NO_QUESTION)


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


def test_streams_count_from_when_they_are_asked_for() -> None:
    """None of them has begun when the next one is asked for."""
    from starlette.requests import Request

    from autograder.service.app import STREAMS, Api

    asker = Mock(student="demo-a")
    door = Mock(asker=AsyncMock(return_value=asker))
    request = Request({"type": "http", "headers": [], "path_params": {"id": "1"}, "client": None})

    async def ask() -> None:
        api = Api(Mock(), [door], "")
        for _ in range(STREAMS):
            await api.events(request)
        with pytest.raises(Refused, match=refusals.TOO_MANY_REQUESTS):
            await api.events(request)

    asyncio.run(ask())


def test_an_instructors_page_is_no_students(served: Served) -> None:
    assert served.client.get("/").status_code == 401
    reply = served.client.post("/sign-in", data={"token": served.tokens.made("demo-a", 1)})
    assert (reply.status_code, "set-cookie" in reply.headers) == (403, False)
    assert served.get("/metrics", TEACHER).status_code == 200

"""What those do to the check service who want another's answers, a threshold, or a page."""

from __future__ import annotations

import asyncio
import time
from typing import Any
from unittest.mock import AsyncMock, Mock

import jwt
import pytest
from mini_course import MINI

from autograder.service import refusals
from autograder.service.page import COOKIE
from autograder.service.refusals import Refused
from autograder.service.who import read_key
from service.served import TEACHER, Serve, Served

WRONG = "3 * x"
AUDIENCE = "autograder check service"


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


@pytest.mark.parametrize("door", ["header", "form", "cookie"])
def test_tokens_tried_at_one_door_of_the_service_are_slowed_at_all(
    served: Served, door: str
) -> None:
    def tried(door: str, token: str) -> int:
        ask = served.client
        ask.cookies.clear()
        if door == "form":
            reply = ask.post("/sign-in", data={"token": token}, follow_redirects=False)
        elif door == "cookie":
            ask.cookies.set(COOKIE, token)
            reply = ask.get("/")
        else:
            reply = ask.get("/api/checks/x", headers={"Authorization": f"token {token}"})
        return reply.status_code

    tries = [tried(door, f"forged-{number}") for number in range(40)]
    assert (tries[0], tries[-1]) == (401, 429)
    assert [tried(other, "forged") for other in ("header", "form", "cookie")] == [429] * 3
    own = served.tokens.made(TEACHER, 1)
    assert [tried(other, own) for other in ("header", "form", "cookie")] == [404, 303, 200]
    served.client.cookies.clear()
    assert served.client.get("/").status_code == 401  # who tries nothing is shown the form


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

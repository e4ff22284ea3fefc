"""What the routes of the check service answer, and how they say no."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mini_course import MINI
from sqlalchemy.exc import OperationalError

from autograder.service import refusals
from autograder.service.openapi import description
from service.served import SECRET, TEACHER, Serve, Served

WRONG, RIGHT = "3 * x", "2 * x"


def expect_described(body: Any, name: str) -> None:
    """That a reply is as the description says."""
    components = description("/")["components"]
    schema = {"$ref": f"#/components/schemas/{name}", "components": components}
    Draft202012Validator(schema).validate(body)


def test_a_student_asks_reads_mends_and_passes(served: Served) -> None:
    reply = served.ask(WRONG)
    assert reply.status_code == 202
    expect_described(reply.json(), "Ticket")
    events = served.events(reply.json()["id"])
    assert [name for name, _ in events][-1] == "answered"
    for name, ticket in events:
        expect_described(ticket, "Ticket")
        assert ticket["state"] == name
    told = events[-1][1]["answer"]
    assert (told["passed"], told["attempts_left"]) == (False, 11)
    assert told["checks"][0]["diagnosis"] == "It is multiplied by 3."
    assert served.get(f"/api/checks/{reply.json()['id']}").json()["answer"] == told
    told = served.answered(RIGHT)["answer"]
    assert (told["passed"], told["words"], told["attempts_left"]) == (True, "right", 10)


def test_what_is_asked_again_is_answered_at_once_and_costs_no_attempt(served: Served) -> None:
    first = served.answered(WRONG)["answer"]
    again = served.ask(WRONG)
    assert (again.status_code, again.json()["state"]) == (200, "answered")
    assert again.json()["answer"] == first
    assert len(served.farm.judged) == 1
    assert len(served.store.of_student("demo-a")) == 1


def test_another_students_equal_question_comes_from_the_cache_and_is_their_attempt(
    served: Served,
) -> None:
    served.answered(WRONG)
    other = served.ask(WRONG, "demo-b")
    assert (other.status_code, other.json()["answer"]["attempts_left"]) == (200, 11)
    assert [kept.passed for kept in served.store.of_student("demo-b")] == [False]
    assert len(served.farm.judged) == 1


def test_a_service_that_is_started_again_still_knows_its_answers(serve: Serve) -> None:
    one = serve()
    first = one.answered(WRONG)["answer"]
    other = serve()
    again = other.ask(WRONG)
    assert (again.status_code, again.json()["answer"]) == (200, first)
    assert other.farm.judged == []


def test_the_questions_say_how_often_and_until_when(serve: Serve) -> None:
    options = {"open_until": {MINI: "2999-01-01T00:00+00:00"}, "free_attempts": 1}
    served = serve(reserved={MINI: ["triple"]}, **options)
    served.answered(WRONG)
    found = served.get(f"/api/questions?assignment={MINI}").json()
    expect_described(found, "Questions")
    [question] = found["questions"]
    assert (question["slug"], question["title"]) == ("double", "Double")
    assert question["attempts_left"] == 11
    assert 0 < question["wait_seconds"] <= 5
    assert (found["open"], found["until"]) == (True, "2999-01-01T00:00:00+00:00")


def test_ones_own_attempts_are_listed_the_newest_first(served: Served) -> None:
    for answer in (WRONG, RIGHT):
        served.answered(answer)
    served.answered(WRONG, "demo-b")
    found = served.get(f"/api/attempts?assignment={MINI}").json()
    expect_described(found, "Attempts")
    assert [one["answer"]["passed"] for one in found["attempts"]] == [True, False]


def test_who_asks_too_soon_or_too_often_is_told_when_again(serve: Serve) -> None:
    served = serve(free_attempts=1, attempts_an_hour=2)
    served.answered(WRONG)
    soon = served.ask("4 * x")
    expect_described(soon.json(), "Error")
    assert soon.status_code == 429
    assert soon.json()["error"].startswith("You may ask about this question again in ")
    assert 1 <= int(soon.headers["Retry-After"]) <= 5
    served = serve(free_attempts=9, attempts_an_hour=2)
    served.answered("5 * x")
    often = served.ask("6 * x")
    assert often.json()["error"].startswith("You have asked 2 times within an hour")
    assert 3500 < often.json()["retry_seconds"] <= 3600
    assert served.ask("6 * x", question="triple").status_code == 202


def test_what_crashes_is_tried_anew_once_for_nothing_and_then_as_an_attempt(serve: Serve) -> None:
    served = serve(free_attempts=2, attempts_an_hour=3)
    left = [served.answered("os._exit(1)")["answer"]["attempts_left"] for _ in range(3)]
    assert left == [2, 2, 1]
    assert served.ask("os._exit(1)").status_code == 429
    assert len(served.farm.judged) == 3


def test_while_a_check_is_under_way_another_has_to_wait_and_the_same_is_the_same(
    served: Served,
) -> None:
    served.farm.go_on.clear()
    first = served.ask(WRONG)
    assert served.ask(WRONG).json()["id"] == first.json()["id"]
    other = served.ask("4 * x")
    assert (other.status_code, other.json()["error"]) == (409, refusals.STILL_UNDER_WAY)
    served.farm.go_on.set()
    assert served.events(first.json()["id"])[-1][0] == "answered"
    assert len(served.store.of_student("demo-a")) == 1


def test_a_full_queue_says_when_there_may_be_room(serve: Serve) -> None:
    served = serve(queue_length=1)
    served.farm.go_on.clear()
    students = [f"demo-{n}" for n in range(4)]
    replies = [served.ask(f"{n} * x", name) for n, name in enumerate(students)]
    assert [reply.status_code for reply in replies] == [202, 202, 202, 503]
    assert replies[-1].json()["error"] == refusals.QUEUE_FULL
    assert float(replies[-1].headers["Retry-After"]) >= 1


@pytest.mark.parametrize(
    ("changes", "status", "said"),
    [
        ({"assignment": "none"}, 404, refusals.NO_SUCH_QUESTION),
        ({"assignment": "../mini"}, 404, refusals.NO_SUCH_QUESTION),
        ({"question": "none"}, 404, refusals.NO_SUCH_QUESTION),
        ({"question": "triple"}, 403, refusals.RESERVED),
        ({"question": ""}, 400, refusals.NO_QUESTION),
        ({"question": ["double"]}, 400, refusals.NO_QUESTION),
        ({"notebook": "{}"}, 400, refusals.NO_QUESTION),
        ({"notebook": {"nbformat": 3, "worksheets": []}}, 400, refusals.NO_QUESTION),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(
    serve: Serve, changes: dict[str, Any], status: int, said: str
) -> None:
    served = serve(reserved={MINI: ["triple"]})
    reply = served.post({**served.question(WRONG), **changes})
    assert (reply.status_code, reply.json()["error"]) == (status, said)
    expect_described(reply.json(), "Error")
    assert served.farm.judged == []


def test_after_the_end_nothing_is_answered_and_what_was_can_be_read(serve: Serve) -> None:
    served = serve(open_until={MINI: "2020-01-01T00:00+00:00"})
    reply = served.ask(WRONG)
    assert (reply.status_code, reply.json()["error"]) == (403, refusals.CLOSED)
    assert served.get(f"/api/questions?assignment={MINI}").json()["open"] is False
    assert served.get(f"/api/attempts?assignment={MINI}").json()["attempts"] == []


def test_an_answer_that_cannot_be_kept_is_told_to_nobody(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OperationalError("INSERT", {}, OSError("disk full"))

    monkeypatch.setattr(served.store, "keep", broken)
    told = served.answered(WRONG)
    assert (told["state"], told["answer"]) == ("failed", None)
    monkeypatch.setattr(served.store, "times", broken)
    reply = served.ask(WRONG)
    assert (reply.status_code, reply.json()["error"]) == (503, refusals.OUT_OF_ORDER)
    assert "disk" not in reply.text
    monkeypatch.undo()
    assert served.answered(WRONG)["state"] == "answered"


def test_a_worker_that_dies_costs_no_attempt(served: Served) -> None:
    served.farm.dies = True
    told = served.answered(WRONG)
    assert (told["state"], told["answer"]) == ("failed", None)
    assert told["sentence"]
    served.farm.dies = False
    assert served.answered(WRONG)["answer"]["attempts_left"] == 11


def test_an_attempt_without_a_check_that_is_reserved_now_is_not_listed(serve: Serve) -> None:
    serve().answered(WRONG)
    served = serve(reserved={MINI: ["double/new_check"]})
    reply = served.get(f"/api/attempts?assignment={MINI}")
    assert (reply.status_code, reply.json()["attempts"]) == (200, [])


def test_what_is_reserved_is_in_no_reply(serve: Serve) -> None:
    served = serve(reserved={MINI: ["double/negative_values"]})
    told = served.answered(RIGHT)
    assert (told["answer"]["passed"], told["answer"]["reserved"]) == (True, 1)
    cheating = served.answered(f"abs({RIGHT}) + 0 if False else x; return 2 * x")
    assert {**cheating["answer"], "attempts_left": 11} == told["answer"]
    pages = [served.get(f"/api/{what}?assignment={MINI}") for what in ("attempts", "questions")]
    assert not any(SECRET in text for text in (json.dumps(told), *(page.text for page in pages)))


def test_health_and_metrics_say_what_goes_on_and_name_nobody(served: Served) -> None:
    served.answered(WRONG)
    assert served.client.get("/health").json() == {"status": "ok"}
    assert served.client.get("/metrics").status_code == 401
    assert served.get("/metrics").status_code == 403
    text = served.get("/metrics", TEACHER).text
    assert "\nautograder_checks_answered_total 1.0\n" in text
    assert "\nautograder_checks_workers 2.0\n" in text
    assert "demo-a" not in text


def test_the_description_names_every_route_of_the_interface(served: Served) -> None:
    found = served.client.get("/openapi.json").json()
    assert set(found["paths"]) == {
        "/api/checks",
        "/api/checks/{id}",
        "/api/checks/{id}/events",
        "/api/questions",
        "/api/attempts",
    }
    for schema in found["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_every_reply_forbids_what_no_reply_needs(served: Served) -> None:
    for path in ("/", "/health", "/nothing", "/api/checks/x"):
        headers = served.client.get(path).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe-inline" not in headers["Content-Security-Policy"].partition("style-src")[0]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"

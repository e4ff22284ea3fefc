"""A database that answers nothing stops those who need it, and nobody else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from mini_course import MINI

from autograder.service import app, aside, page, refusals
from service.served import TEACHER, Serve, Served

WRONG, RIGHT = "3 * x", "2 * x"


class Silence:
    """Makes methods of a store wait until it is over."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch
        self.asked = threading.Event()
        self.over = threading.Event()

    def falls(self, served: Served, *methods: str) -> None:
        for name in methods:
            self._patch.setattr(served.store, name, self._waiting(getattr(served.store, name)))

    def _waiting(self, method: Any) -> Any:
        def waiting(*given: Any) -> Any:
            self.asked.set()
            assert self.over.wait(60)
            return method(*given)

        return waiting


@pytest.fixture
def silence(monkeypatch: pytest.MonkeyPatch) -> Iterator[Silence]:
    found = Silence(monkeypatch)
    yield found
    found.over.set()


def test_while_one_waits_for_the_database_others_are_answered(
    served: Served, silence: Silence
) -> None:
    silence.falls(served, "times")
    with ThreadPoolExecutor(1) as other:
        asking = other.submit(served.ask, WRONG)
        assert silence.asked.wait(30)
        assert served.client.get("/health").json() == {"status": "ok"}
        assert served.get("/metrics", TEACHER).status_code == 200
        assert not asking.done()
        silence.over.set()
        assert asking.result().status_code == 202


@pytest.mark.parametrize(
    ("path", "method"),
    [
        (f"/api/questions?assignment={MINI}", "times"),
        (f"/api/attempts?assignment={MINI}", "of_student"),
        ("/health", "ping"),
    ],
)
def test_who_waits_too_long_is_told_to_ask_again(
    served: Served, silence: Silence, monkeypatch: pytest.MonkeyPatch, path: str, method: str
) -> None:
    monkeypatch.setattr(aside, "SECONDS", 0.05)
    monkeypatch.setattr(app, "HEALTH_SECONDS", 0.05)
    silence.falls(served, method)
    reply = served.get(path)
    assert (reply.status_code, reply.json()["error"]) == (503, refusals.OUT_OF_ORDER)
    assert reply.headers["Retry-After"] == "30"


def test_the_page_does_not_wait_for_ever(
    served: Served, silence: Silence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "PAGE_SECONDS", 0.05)
    silence.falls(served, "count_since")
    served.client.post("/sign-in", data={"token": served.tokens.made(TEACHER, 1)})
    assert served.client.get("/").status_code == 503


def test_answers_that_are_known_are_counted_one_after_the_other(
    serve: Serve, silence: Silence
) -> None:
    served = serve(attempts_an_hour=1)
    served.answered(WRONG, "demo-b")
    served.answered(RIGHT, "demo-c")
    silence.falls(served, "times")
    with ThreadPoolExecutor(2) as both:
        asking = [both.submit(served.ask, answer) for answer in (WRONG, RIGHT)]
        assert silence.asked.wait(30)
        silence.over.set()
        assert sorted(one.result().status_code for one in asking) == [200, 429]


def test_while_a_check_is_under_way_nothing_more_is_counted(
    served: Served, silence: Silence
) -> None:
    served.farm.go_on.clear()
    first = served.ask(WRONG).json()
    silence.falls(served, "times")
    assert served.ask(RIGHT).json()["error"] == refusals.STILL_UNDER_WAY
    assert served.ask(WRONG).json()["id"] == first["id"]

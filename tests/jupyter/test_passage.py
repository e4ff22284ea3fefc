"""What a Jupyter server passes on to the check service, and what it does not."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from e2e.conftest import Jupyter, running_jupyter

from autograder.jupyter.__main__ import turn_on
from autograder.jupyter.passage import BODY_BYTES, CheckPassage
from jupyter.fake_service import DIAGNOSIS, TOKEN, FakeService, fake_service

NOTEBOOK = {
    "cells": [{"metadata": {"nbgrader": {"grade_id": "attention"}}, "source": "wrong"}],
    "nbformat": 4,
}
ASKED = {"assignment": "a", "question": "attention", "notebook": NOTEBOOK}


class Told(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text)
        return found


class Passage(NamedTuple):
    """A Jupyter server in front of a service."""

    jupyter: Jupyter
    service: FakeService

    def ask(self, path: str, body: bytes | None = None, token: str | None = None) -> Told:
        known = self.jupyter.token if token is None else token
        headers = {"Authorization": f"token {known}"} if known else {}
        url = f"{self.jupyter.url}autograder/api/{path}"
        request = urllib.request.Request(url, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return Told(reply.status, dict(reply.headers), reply.read().decode())
        except urllib.error.HTTPError as error:
            with error:
                return Told(error.code, dict(error.headers), error.read().decode())


@pytest.fixture(scope="module")
def passage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Passage]:
    home = tmp_path_factory.mktemp("home")
    turn_on(home / "data", home / "config")
    with pytest.MonkeyPatch.context() as patch, fake_service() as service:
        patch.setenv("AUTOGRADER_URL", service.url)
        patch.setenv("AUTOGRADER_TOKEN", TOKEN)
        with running_jupyter(tmp_path_factory.mktemp("mine"), home) as jupyter:
            yield Passage(jupyter, service)


@pytest.fixture(autouse=True)
def fresh(passage: Passage) -> None:
    passage.service.seen.clear()
    passage.service.faults.clear()


def test_a_question_goes_on_with_the_students_token_and_events_come_back(passage: Passage) -> None:
    ticket = passage.ask("checks", json.dumps(ASKED).encode())
    assert ticket.status == 202
    events = passage.ask(f"checks/{ticket.body['id']}/events")
    assert events.headers["Content-Type"] == "text/event-stream"
    assert [line for line in events.text.splitlines() if line.startswith("event")] == [
        "event: waiting",
        "event: running",
        "event: answered",
    ]
    assert DIAGNOSIS in passage.ask(f"checks/{ticket.body['id']}").text
    assert {told for _, _, told in passage.service.seen} == {f"token {TOKEN}"}


def test_questions_are_listed_and_odd_names_stay_names(passage: Passage) -> None:
    assert passage.ask("questions?assignment=a%26b%3Dc&more=1").body["open"]
    assert passage.service.seen[0][1] == "/api/questions?assignment=a%26b%3Dc"


def test_a_stream_that_is_torn_ends_with_what_came(passage: Passage) -> None:
    ticket = passage.ask("checks", json.dumps(ASKED).encode()).body["id"]
    passage.service.tears = 1
    told = passage.ask(f"checks/{ticket}/events")
    assert (told.status, told.text.count("event: ")) == (200, 1)
    assert "error" not in told.text


@pytest.mark.parametrize(
    ("path", "body"), [("questions", b"{}"), ("checks", None), ("checks/t0", b"{}")]
)
def test_each_path_has_one_method(passage: Passage, path: str, body: bytes | None) -> None:
    assert passage.ask(path, body).status == 405
    assert passage.service.seen == []


@pytest.mark.parametrize(
    "path",
    [
        "metrics",
        "attempts",
        "",
        "checks/../../metrics",
        "checks/a%2Fb",
        "checks/t0/more",
        "checks/t.0",
    ],
)
def test_other_paths_are_not_passed_on(passage: Passage, path: str) -> None:
    assert passage.ask(path).status == 404
    assert passage.service.seen == []


def test_nobody_asks_without_a_login(passage: Passage) -> None:
    assert passage.ask("questions?assignment=a", token="").status == 403
    assert passage.ask("checks", b"{}", token="").status == 403
    assert passage.service.seen == []


def test_a_refusal_is_passed_on_with_its_time(passage: Passage) -> None:
    refusal = {"error": "Too often.", "retry_seconds": 9}
    passage.service.faults = [(429, refusal, {"Retry_After": "9", "Set_Cookie": "a=b"})]
    told = passage.ask("checks", json.dumps(ASKED).encode())
    assert (told.status, told.body, told.headers["Retry-After"]) == (429, refusal, "9")
    assert "a=b" not in str(told.headers)


def test_redirects_and_pages_are_not_followed_nor_shown(passage: Passage) -> None:
    for status, headers in (
        (302, {"Location": f"{passage.service.url}/api/questions"}),
        (200, {"Content-Type": "text/html"}),
    ):
        passage.service.faults = [(status, {"error": "no"}, headers)]
        told = passage.ask("checks", json.dumps(ASKED).encode())
        assert told.status == 502
        assert "makes no sense" in told.body["error"]
    assert len(passage.service.seen) == 2


def test_a_notebook_that_is_too_large_stays_here(passage: Passage) -> None:
    told = passage.ask("checks", b" " * (BODY_BYTES + 1))
    assert (told.status, told.body["error"]) == (413, "The notebook is too large to be checked.")
    assert passage.service.seen == []


def test_the_token_comes_from_where_it_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("AUTOGRADER_TOKEN", "AUTOGRADER_TOKEN_FILE", "JUPYTERHUB_API_TOKEN", "AUTOGRADER_URL")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    passage = CheckPassage()
    assert (passage.token(), passage.address()) == ("", "")
    monkeypatch.setenv("JUPYTERHUB_API_TOKEN", "hub")
    assert passage.token() == "hub"
    (tmp_path / "token").write_text("filed\n")
    monkeypatch.setenv("AUTOGRADER_TOKEN_FILE", str(tmp_path / "token"))
    assert passage.token() == "filed"
    monkeypatch.setenv("AUTOGRADER_TOKEN", "named")
    assert passage.token() == "named"
    monkeypatch.setenv("AUTOGRADER_URL", "file:///etc/passwd")
    assert passage.address() == ""
    monkeypatch.setenv("AUTOGRADER_URL", "http://[")
    assert passage.address() == ""
    monkeypatch.setenv("AUTOGRADER_URL", "https://demo.example/services/check/")
    assert passage.address() == "https://demo.example/services/check"

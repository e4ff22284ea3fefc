"""`autograder serve` from its start to its end, with workers that judge."""

from __future__ import annotations

import getpass
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from mini_course import MINI, MiniCourse, make_course

from autograder.cli import main
from autograder.course.assignments import Course
from autograder.service import running
from autograder.service.running import Start
from service.serving import PATIENCE, serving


@pytest.fixture
def mini(tmp_path: Path) -> MiniCourse:
    return MiniCourse(make_course(tmp_path))


def question(mini: MiniCourse, answer: str) -> dict[str, object]:
    path = mini.hand_in("demo-a", double=f"def double(x):\n    return {answer}")
    return {"assignment": MINI, "question": "double", "notebook": json.loads(path.read_text())}


def told(client: httpx.Client, ticket: dict[str, object]) -> dict[str, object]:
    text = client.get(f"/api/checks/{ticket['id']}/events").text
    last = text.strip().split("\n\n")[-1]
    found: dict[str, object] = json.loads(last.partition("\ndata: ")[2])
    return found


def test_a_wrong_answer_is_mended_and_the_service_ends_as_it_is_told(mini: MiniCourse) -> None:
    with serving(mini.folder, "--open", "demo-a") as (client, process):
        wrong = told(client, client.post("/api/checks", json=question(mini, "3 * x")).json())
        answer = wrong["answer"]
        assert isinstance(answer, dict)
        assert (answer["status"], answer["attempts_left"]) == ("wrong", 11)
        assert [check["title"] for check in answer["checks"]] == [
            "Every number is multiplied.",
            "Negative numbers are multiplied too.",
        ]
        right = told(client, client.post("/api/checks", json=question(mini, "2 * x")).json())
        assert isinstance(right["answer"], dict)
        assert right["answer"]["passed"] is True
        assert client.get("/health").json() == {"status": "ok"}
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert os.listdir(mini.folder / ".cache" / "service") == ["lock"]


def test_what_was_answered_outlives_a_service_that_is_killed(mini: MiniCourse) -> None:
    with serving(mini.folder, "--open", "demo-a") as (client, process):
        body = question(mini, "3 * x")
        first = told(client, client.post("/api/checks", json=body).json())
        process.kill()
        process.wait(PATIENCE)
    with serving(mini.folder, "--open", "demo-a") as (client, process):
        again = client.post("/api/checks", json=body)
        assert (again.status_code, again.json()["answer"]) == (200, first["answer"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--open", "--host", "0.0.0.0"], "--open lets everybody who reaches 0.0.0.0 be"),
        (["--open", "a/b"], "'a/b' can be no student's name"),
        (["--jobs", "2", "--scheduler", "tls://x:1"], "--jobs counts workers of this machine"),
        (["--host", "192.0.2.1"], "cannot listen at 192.0.2.1, port 8765"),
    ],
)
def test_what_is_unsafe_or_cannot_be_is_refused_before_anything_starts(
    mini: MiniCourse,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(mini.folder)
    assert main(["serve", *options]) == 2
    assert said in capsys.readouterr().err


def test_without_tls_in_front_a_public_address_is_told(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(mini.folder)
    assert main(["serve", "--host", "192.0.2.1"]) == 2
    assert "not encrypted: let nothing reach it but a proxy with TLS" in capsys.readouterr().err


def test_where_the_user_has_no_name_and_the_address_has_colons_it_says_who_and_where(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nameless() -> str:
        raise KeyError("getpwuid(): uid not found: 4242")

    started: list[Start] = []

    def serve(course: Course, start: Start, hub: None, ready: Callable[[], None]) -> None:
        started.append(start)
        ready()

    monkeypatch.chdir(mini.folder)
    monkeypatch.setattr(getpass, "getuser", nameless)
    monkeypatch.setattr(running, "serve", serve)
    assert main(["serve", "--open", "--host", "::1"]) == 0
    assert [(start.host, start.open_to) for start in started] == [("::1", str(os.getuid()))]
    assert "answers at http://[::1]:8765/ (" in capsys.readouterr().err

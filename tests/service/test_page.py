"""The instructor's page: who may see it, what it shows, and that nothing runs there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from accessible import barriers
from browser import running_browser
from html_page import Page, expect_inert, expect_usable_without_sight
from httpx import Response
from mini_course import MINI
from playwright.sync_api import Browser

from autograder.cli import main
from autograder.pages.class_report.asking import Ask, asking
from autograder.results.model import CheckResult, Diagnosis, QuestionResult, SubmissionResult
from autograder.results.stored import write_result
from autograder.service import running
from autograder.service.attempts import KeptAttempt
from autograder.service.hub import HubSettings
from autograder.service.page import COOKIE, STATE
from service.served import TEACHER, Serve, Served
from service.test_hub import GIVEN, FakeHub

HOSTILE = "<script>alert(1)</script> \N{RIGHT-TO-LEFT OVERRIDE}x"


def ask(student: str, digest: str, *sentences: str, passed: bool = False) -> Ask:
    return Ask(student, "double", digest, passed, sentences)


def test_attempts_are_counted_until_the_first_right_answer() -> None:
    asks = [
        ask("a", "1", "S"),
        ask("a", "1", "S"),
        ask("a", "2", passed=True),
        ask("a", "3", "S"),
        ask("b", "1", passed=True),
        ask("c", "4", "S", "T"),
    ]
    [found] = asking(asks, ["double", "triple"])
    assert (found.question, found.students, found.stuck) == ("double", 3, 2)
    assert (found.until_right, found.median) == ([1, 2], 1.5)


def test_a_sentence_taught_whose_next_attempt_no_longer_got_it() -> None:
    asks = [
        ask("a", "1", "S"),
        ask("a", "2", "T"),
        ask("b", "1", "S"),
        ask("b", "2", "S"),
        ask("b", "3", passed=True),
        ask("c", "1", "S"),
    ]
    [found] = asking(asks, ["double"])
    by_sentence = {one.sentence: one for one in found.told}
    one, other = by_sentence["S"], by_sentence["T"]
    assert (one.students, one.stuck, one.again, one.mended) == (3, 1, 2, 1)
    assert (other.students, other.stuck, other.again, other.mended) == (1, 1, 0, 0)


def test_of_questions_that_are_gone_nothing_is_said() -> None:
    assert asking([ask("a", "1", "S")], ["triple"]) == []


def signed_in(served: Served, student: str = TEACHER) -> Response:
    token = served.tokens.made(student, 1)
    return served.client.post("/sign-in", data={"token": token}, follow_redirects=False)


def fill(served: Served) -> None:
    """Attempts of a small class, one of whom writes markup."""
    told = Diagnosis("misconception", "line", HOSTILE)
    wrong = CheckResult("values", "The values.", 5, False, "Wrong.", "wrong", told)
    for number, (student, passed) in enumerate(
        [("demo-a", False), ("demo-a", True), ("demo-b", False), (HOSTILE[:20], False)]
    ):
        result = QuestionResult("double", "ok" if passed else "wrong", 0, 5, [wrong])
        place = (time.time(), student, MINI, "double", str(number), passed, result)
        served.store.keep(KeptAttempt(*place), [] if passed else [wrong])


def test_a_token_signs_an_instructor_in_for_the_page_alone(served: Served) -> None:
    first = served.client.get("/")
    assert (first.status_code, 'type="password"' in first.text) == (401, True)
    reply = signed_in(served)
    assert (reply.status_code, reply.headers["location"]) == (303, "/")
    cookie = reply.headers["set-cookie"].lower()
    assert all(part in cookie for part in ("httponly", "samesite=lax", "path=/", "max-age=86400"))
    assert "secure" not in cookie
    page = served.client.get("/")
    assert (page.status_code, "What is going on" in page.text) == (200, True)
    assert served.client.get("/metrics").status_code == 401
    assert served.client.get(f"/api/attempts?assignment={MINI}").status_code == 401


def test_behind_tls_the_cookie_stays_there(served: Served) -> None:
    served.client.headers["X-Forwarded-Proto"] = "https,http"
    assert "; secure" in signed_in(served).headers["set-cookie"].lower()


def test_a_wrong_token_and_a_students_sign_nobody_in(served: Served) -> None:
    reply = served.client.post("/sign-in", data={"token": "x"})
    assert (reply.status_code, "set-cookie" in reply.headers) == (401, False)
    student = signed_in(served, "demo-a")
    assert (student.status_code, "set-cookie" in student.headers) == (403, False)
    served.client.cookies.set(COOKIE, served.tokens.made("demo-a", 1))
    assert served.client.get("/").status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Dest": "empty", "Sec-Fetch-Mode": "cors"},
        {"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Mode": "navigate"},
        {"Sec-Fetch-Dest": "script", "Sec-Fetch-Mode": "no-cors"},
    ],
)
def test_no_script_of_another_page_reads_it_with_the_instructors_cookie(
    served: Served, headers: dict[str, str]
) -> None:
    signed_in(served)
    assert served.client.get("/").status_code == 200
    assert served.client.get("/", headers=headers).status_code == 401


def test_the_page_says_what_goes_on_and_is_inert(served: Served, tmp_path: Path) -> None:
    fill(served)
    signed_in(served)
    text = served.client.get("/").text
    (tmp_path / "page.html").write_text(text)
    page = Page(tmp_path / "page.html")
    expect_inert(page)
    expect_usable_without_sight(page)
    assert "<script>alert" not in text
    assert "1 of 3" in text
    assert "demo-a" not in text


def test_everybody_can_use_the_page_and_the_form(
    served: Served, tmp_path: Path, shown: Browser
) -> None:
    (tmp_path / "form.html").write_text(served.client.get("/").text)
    fill(served)
    signed_in(served)
    (tmp_path / "page.html").write_text(served.client.get("/").text)
    assert barriers(shown, tmp_path / "page.html") == []
    assert barriers(shown, tmp_path / "form.html") == []


@pytest.fixture(scope="module")
def shown() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


def test_open_to_everybody_the_page_needs_no_sign_in(serve: Serve) -> None:
    served = serve(open_to="demo-a")
    assert served.client.get("/").status_code == 200


def test_behind_a_hub_instructors_come_in_by_its_login(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeHub()
    monkeypatch.setattr(running, "Hub", lambda settings, policy: fake.hub)
    served = serve(hub=HubSettings.found(GIVEN))
    base = GIVEN["JUPYTERHUB_SERVICE_PREFIX"]
    sent = served.client.get(base, follow_redirects=False)
    assert sent.status_code == 302
    assert sent.headers["location"].startswith("/class/hub/api/oauth2/authorize?")
    assert "samesite=lax" in sent.headers["set-cookie"].lower()
    state = served.client.cookies[STATE]
    for query in ("code=good", "code=good&state=other", f"code=stale&state={state}"):
        assert served.client.get(f"{base}oauth_callback?{query}").status_code == 403
    back = served.client.get(f"{base}oauth_callback?code=good&state={state}")
    assert (back.status_code, "What is going on" in back.text) == (200, True)
    token = {"Authorization": "token of-a"}
    ticket = served.client.post(f"{base}api/checks", json=served.question("3 * x"), headers=token)
    assert ticket.status_code == 202
    assert served.client.get("/api/checks/x", headers=token).status_code == 404
    assert served.client.post(f"{base}sign-in", data={"token": "x"}).status_code == 404


def test_codes_of_the_hubs_login_that_are_tried_are_slowed_before_the_hub_is_asked(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeHub()
    monkeypatch.setattr(running, "Hub", lambda settings, policy: fake.hub)
    served = serve(hub=HubSettings.found(GIVEN))
    base = GIVEN["JUPYTERHUB_SERVICE_PREFIX"]
    served.client.get(base, follow_redirects=False)
    place = f"{base}oauth_callback?state={served.client.cookies[STATE]}&code="
    tries = [served.client.get(f"{place}tried-{number}").status_code for number in range(40)]
    assert (tries[0], tries[-1]) == (403, 429)
    assert len(fake.codes) < len(tries)


def test_the_class_report_says_what_was_asked_once_somebody_has(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(served.course.root)
    questions = [QuestionResult(slug, "wrong", 2, 5) for slug in ("double", "triple")]
    result = SubmissionResult(MINI, "x", "graded", 4, 10, "full", 1, [], questions)
    folder = served.course.root / "autograded" / "demo-a" / MINI
    folder.mkdir(parents=True)
    write_result(folder, result)
    report = served.course.root / "reports" / f"{MINI}.html"
    assert main(["report", MINI]) == 0
    assert "check service" not in report.read_text()
    fill(served)
    assert main(["report", MINI]) == 0
    page = Page(report)
    expect_inert(page)
    expect_usable_without_sight(page)
    assert "What the check service was asked" in page.source
    assert "1 of 3" in page.source

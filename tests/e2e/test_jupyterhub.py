"""Two students and their instructor in a real JupyterHub, with the check service beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import nbformat
import pytest
from conftest import A1
from playwright.sync_api import Locator, Page, expect
from sample_class import Sample, build

from autograder.jupyter.__main__ import turn_on
from autograder.service import refusals
from e2e.conftest import NO_NEWS, Jupyter, Visit, attended, open_browser
from e2e.hub import Hub, running_hub
from e2e.test_check_service import SCALED, WRONG, copy_course

TEACHER = "demo-teacher"
STUDENTS = ("demo-a", "demo-b")
Person = Callable[[], Visit]


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A hub of a course with a1, whose two students have a wrong answer each."""
    folder = tmp_path_factory.mktemp("hub")
    course = folder / "course"
    copy_course(course)
    with (course / "nbgrader_config.py").open("a") as config:
        config.write(f"c.CheckService.instructors = [{TEACHER!r}]\n")
    with running_hub(course, folder) as hub:
        for name in STUDENTS:
            move_in(hub.homes / name, name)
        yield hub


def move_in(home: Path, name: str) -> None:
    """A student's home, with the button and the notebook."""
    turn_on(home / ".local" / "share" / "jupyter", home / ".jupyter")
    (home / ".jupyter" / "labconfig").mkdir()
    (home / ".jupyter" / "labconfig" / "page_config.json").write_text(json.dumps(NO_NEWS))
    notebook = build(Sample(name, answers={"attention": WRONG}), A1)
    nbformat.write(notebook, home / f"{A1}.ipynb")


@pytest.fixture
def person(hub: Hub, request: pytest.FixtureRequest) -> Iterator[Person]:
    """What makes somebody at a browser of their own."""
    with open_browser() as somebody, attended(request) as shown:
        yield lambda: shown(Jupyter(hub.url, "", hub.log), somebody())


def sign_in(page: Page, name: str) -> None:
    page.get_by_label("Username").fill(name)
    page.get_by_role("button", name="Sign in").click()


def student(hub: Hub, person: Person, name: str, view: str) -> Visit:
    """A student who has signed in, and whose server is being started."""
    here = person()
    mine = f"/user/{name}/{view}/{A1}.ipynb"
    here.page.goto(f"{hub.url}hub/spawn/{name}?next={mine}")
    sign_in(here.page, name)
    return here


def asked(page: Page) -> Locator:
    return page.get_by_role("group", name="Check of Attention", exact=True)


def look(page: Page) -> None:
    page.locator(".jp-Cell", has_text="def attention(q, k, v)").first.scroll_into_view_if_needed()


def check(page: Page) -> Locator:
    """Presses the button; what is said then."""
    look(page)
    asked(page).get_by_role("button").click()
    return asked(page).get_by_role("status")


def attempts(hub: Hub, token: str) -> list[bool]:
    """Which of the attempts that a token's owner is told of have passed."""
    reply = ask(hub, f"api/attempts?assignment={A1}", token)
    return [one["answer"]["passed"] for one in reply.raise_for_status().json()["attempts"]]


def ask(hub: Hub, path: str, token: str) -> httpx.Response:
    return httpx.get(f"{hub.service}{path}", headers={"Authorization": f"token {token}"})


def test_one_student_asks_mends_and_passes_and_the_other_sees_nothing_of_it(
    hub: Hub, person: Person
) -> None:
    a = student(hub, person, "demo-a", "lab/tree")
    b = student(hub, person, "demo-b", "notebooks")
    tickets = list[str]()
    a.page.on("response", lambda reply: tickets.extend(re.findall(r"/checks/([\w-]+)", reply.url)))
    expect(check(a.page)).to_contain_text("Not passed yet")
    expect(asked(a.page)).to_contain_text("You take the softmax of the bare dot products")
    a.keep_picture("hub-1-wrong")
    a.page.locator(".jp-Cell", has=asked(a.page)).locator(".cm-content").click()
    a.page.keyboard.press("ControlOrMeta+a")
    a.page.keyboard.insert_text(SCALED)
    a.page.keyboard.press("Alt+Shift+C")
    expect(asked(a.page).get_by_role("status")).to_have_text("Passed. 7 of 7 checks hold.")
    a.keep_picture("hub-2-passed")

    own_a, own_b = (hub.token(name) for name in STUDENTS)
    assert (attempts(hub, own_a), attempts(hub, own_b)) == ([True, False], [])
    assert {ask(hub, f"api/checks/{id}", own_a).status_code for id in tickets} == {200}
    assert {ask(hub, f"api/checks/{id}", own_b).status_code for id in tickets} == {404}
    look(b.page)
    expect(asked(b.page).get_by_role("status")).to_have_text("")
    b.keep_picture("hub-3-other-student")
    expect(check(b.page)).to_contain_text("Not passed yet")
    assert (attempts(hub, own_a), attempts(hub, own_b)) == ([True, False], [False])


def test_a_token_that_may_not_reach_the_service_is_nobodys(hub: Hub) -> None:
    reply = ask(hub, f"api/attempts?assignment={A1}", hub.token("demo-c", "read:users:name!user"))
    assert (reply.status_code, reply.json()["error"]) == (401, refusals.UNKNOWN_ASKER)
    assert attempts(hub, hub.token("demo-c", "access:services!service=check")) == []


def test_the_page_opens_to_an_instructor_and_to_no_student(hub: Hub, person: Person) -> None:
    teacher, other = person(), person()
    teacher.page.goto(hub.service)
    sign_in(teacher.page, TEACHER)
    expect(teacher.page.get_by_role("heading", level=1)).to_have_text("What is going on")
    assert teacher.page.url == hub.service
    teacher.keep_picture("hub-4-instructor")
    other.page.goto(hub.service)
    sign_in(other.page, "demo-c")
    expect(other.page.get_by_text(refusals.INSTRUCTORS_ONLY)).to_be_visible()
    other.keep_picture("hub-5-not-for-students")
    other.page.goto(hub.service)
    expect(other.page.get_by_text(refusals.INSTRUCTORS_ONLY)).to_be_visible()
    other.complaints[:] = [text for text in other.complaints if "403" not in text]


def test_an_instructor_who_comes_by_a_link_of_another_site_is_let_in(
    hub: Hub, person: Person
) -> None:
    page = person().page
    for signed_in in (False, True):
        page.goto("about:blank")
        page.set_content(f"<a href={hub.service}>to the checks</a>")
        page.get_by_role("link").click()
        if not signed_in:
            sign_in(page, TEACHER)
        expect(page.get_by_role("heading", level=1)).to_have_text("What is going on")

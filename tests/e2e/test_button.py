"""The Check button, in JupyterLab and in Notebook 7, with a check service beside them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from accessible import violations
from conftest import A1
from jupyter.fake_service import DIAGNOSIS, MARKUP, TOKEN, FakeService, fake_service
from nbformat import NotebookNode
from playwright.sync_api import Locator, Page, expect

from autograder.course.assignments import Assignment
from autograder.course.cells import grade_id, is_solution
from autograder.jupyter.__main__ import turn_on
from e2e.conftest import Visit, Visiting

SLUG = "attention"
WRONG = "def attention(q, k, v):\n    return q, k  # wrong\n"
RIGHT = "def attention(q, k, v):\n    return q, k  # sqrt\n"


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeService]:
    """A check service that Jupyter servers know."""
    turn_on(tmp_path / "home" / "data", tmp_path / "home" / "config")
    with fake_service() as running:
        monkeypatch.setenv("AUTOGRADER_URL", running.url)
        monkeypatch.setenv("AUTOGRADER_TOKEN", TOKEN)
        yield running


def short(release: NotebookNode, *slugs: str) -> NotebookNode:
    """The released notebook without other questions, and with a wrong answer."""
    wanted = {name for slug in slugs for name in (slug, f"check_{slug}")}
    cells = [cell for cell in release.cells if grade_id(cell) in wanted]
    for cell in cells:
        if is_solution(cell):
            cell.source = WRONG
    return nbformat.from_dict({**release, "cells": cells})


def open_notebook(visit: Visiting, folder: Path, notebook: NotebookNode, view: str) -> Visit:
    (folder / "mine").mkdir()
    nbformat.write(notebook, folder / "mine" / f"{A1}.ipynb")
    here = visit(folder / "mine")
    here.open(f"{view}/{A1}.ipynb")
    return here


def group(page: Page, title: str = "Attention") -> Locator:
    return page.get_by_role("group", name=f"Check of {title}")


def write(page: Page, source: str) -> None:
    """Types `source` into the cell of the answer."""
    page.locator(".jp-Cell", has=page.locator(".autograder-Check")).locator(".cm-content").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(source)


@pytest.mark.parametrize("view", ["lab/tree", "notebooks"])
def test_a_wrong_answer_is_diagnosed_mended_and_passes(
    tmp_path: Path, visit: Visiting, service: FakeService, a1: Assignment, view: str
) -> None:
    name = view.partition("/")[0]
    here = open_notebook(visit, tmp_path, short(a1.release, SLUG), view)
    page = here.page
    button = group(page).get_by_role("button")
    expect(button).to_have_count(1)
    service.held.clear()
    button.focus()
    page.keyboard.press("Enter")
    status = group(page).get_by_role("status")
    expect(status).to_have_text("Waiting at place 3: about 12 s.")
    expect(button).to_be_focused()
    here.keep_picture(f"button-{name}-1-waiting")
    service.held.set()
    expect(status).to_have_text("Not passed yet. 1 of 2 checks hold.")
    expect(button).to_be_focused()
    expect(group(page)).to_contain_text(DIAGNOSIS)
    expect(group(page)).to_contain_text(MARKUP)  # as text
    expect(group(page)).to_contain_text("It rests on positional_encoder: check that one first.")
    here.keep_picture(f"button-{name}-2-wrong")
    write(page, RIGHT)
    expect(group(page)).to_contain_text("You have changed the cell since")
    page.keyboard.press("Alt+Shift+C")
    expect(status).to_have_text("Passed. 2 of 2 checks hold.")
    here.keep_picture(f"button-{name}-3-passed")
    assert page.title() != "stolen"
    saved = (tmp_path / "mine" / f"{A1}.ipynb").read_text()
    assert "# sqrt" in saved
    assert DIAGNOSIS not in saved
    assert {told for _, _, told in service.seen} == {f"token {TOKEN}"}
    assert TOKEN not in page.content()


def test_it_asks_again_by_itself(
    tmp_path: Path, visit: Visiting, service: FakeService, a1: Assignment
) -> None:
    here = open_notebook(visit, tmp_path, short(a1.release, SLUG), "notebooks")
    status = group(here.page).get_by_role("status")
    busy = {"error": "Too many wait.", "retry_seconds": 1}
    service.faults, service.breaks, service.forgets = [(503, busy, {"Retry_After": "1"})], 1, 1
    group(here.page).get_by_role("button").click()
    expect(status).to_have_text("Not passed yet. 1 of 2 checks hold.")
    assert len(service.bodies) == 2  # the first ticket was forgotten
    refused = {"error": "You ask too often.", "retry_seconds": 90}
    service.faults = [(429, refused, {"Retry_After": "90"})]
    group(here.page).get_by_role("button").click()
    expect(status).to_have_text("You ask too often. You may ask again in 2 min.")
    expect(group(here.page).get_by_role("button")).to_have_attribute("aria-disabled", "true")
    group(here.page).get_by_role("button").press("Enter")
    expect(status).to_contain_text("You may ask about it again in")
    assert len(service.bodies) == 2
    refusals = [text for text in here.complaints if "/autograder/api/" in text]
    here.complaints[:] = [text for text in here.complaints if text not in refusals]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_of_it_stands_in_anybodys_way(
    tmp_path: Path, visit: Visiting, service: FakeService, a1: Assignment, scheme: str
) -> None:
    theme = "JupyterLab Light" if scheme == "light" else "JupyterLab Dark"
    settings = tmp_path / "home" / "config" / "lab" / "user-settings" / "@jupyterlab"
    (settings / "apputils-extension").mkdir(parents=True)
    stored = settings / "apputils-extension" / "themes.jupyterlab-settings"
    stored.write_text(f'{{"theme": "{theme}"}}')
    here = open_notebook(visit, tmp_path, short(a1.release, SLUG), "notebooks")
    page = here.page
    page.set_viewport_size({"width": 640, "height": 900})  # as at 200 %
    group(page).get_by_role("button").click()
    expect(group(page).get_by_role("status")).to_contain_text("Not passed yet.")
    page.locator(f"body[data-jp-theme-name='{theme}']").wait_for(state="attached")
    here.keep_picture(f"button-{scheme}")
    assert violations(page, ".autograder-Check") == []


def test_without_a_service_it_says_so_in_one_sentence(
    tmp_path: Path, visit: Visiting, a1: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AUTOGRADER_URL", raising=False)
    turn_on(tmp_path / "home" / "data", tmp_path / "home" / "config")
    here = open_notebook(visit, tmp_path, short(a1.release, SLUG), "notebooks")
    group(here.page, SLUG).get_by_role("button").click()
    status = group(here.page, SLUG).get_by_role("status")
    expect(status).to_contain_text("No check service is set up here")
    here.complaints[:] = [text for text in here.complaints if "501" not in text]

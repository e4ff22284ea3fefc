"""A student asks the check service in JupyterLab, and another one sees nothing of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from conftest import A1, ROOT
from playwright.sync_api import expect
from sample_class import Sample, build
from service.serving import serving

from autograder.course.assignments import Course
from autograder.jupyter.__main__ import turn_on
from autograder.service.policy import read_policy
from autograder.service.who import Tokens, key_file, make_key
from e2e.conftest import SECONDS, Visiting

WRONG = """def attention(q, k, v):
    weights = torch.softmax(q @ k.mT, -1)
    return weights @ v, weights
"""
SCALED = WRONG.replace("q @ k.mT", "q @ k.mT / math.sqrt(q.shape[-1])")


def copy_course(folder: Path) -> None:
    """The course with a1 alone."""
    for kind in ("source", "release", "checks"):
        shutil.copytree(ROOT / kind / A1, folder / kind / A1)
    shutil.copy(ROOT / "nbgrader_config.py", folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a1, and who signs its tokens."""
    folder = tmp_path_factory.mktemp("course")
    copy_course(folder)
    make_key(key_file(Course(folder)))
    return folder


def test_a_student_asks_mends_and_passes_unseen_by_another(
    folder: Path, tmp_path: Path, visit: Visiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = Tokens(key_file(Course(folder)), read_policy(Course(folder)))
    turn_on(tmp_path / "home" / "data", tmp_path / "home" / "config")
    (tmp_path / "mine").mkdir()
    notebook = build(Sample("demo-a", answers={"attention": WRONG}), A1)
    nbformat.write(notebook, tmp_path / "mine" / f"{A1}.ipynb")
    with serving(folder) as (client, _):
        monkeypatch.setenv("AUTOGRADER_URL", str(client.base_url))
        monkeypatch.setenv("AUTOGRADER_TOKEN", tokens.made("demo-a", 1.0))
        here = visit(tmp_path / "mine")
        page = here.open(f"lab/tree/{A1}.ipynb")
        cell = page.locator(".jp-Cell", has_text="def attention(q, k, v)").first
        cell.scroll_into_view_if_needed()
        asked = page.get_by_role("group", name="Check of Attention", exact=True)
        asked.get_by_role("button").click()
        status = asked.get_by_role("status")
        expect(status).to_contain_text("Not passed yet", timeout=1000 * SECONDS)
        expect(asked).to_contain_text("You take the softmax of the bare dot products")
        here.keep_picture("check-service-1-wrong")
        here.keep_picture("check-service-1-cell", cell)
        cell.locator(".cm-content").click()
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text(SCALED)
        page.keyboard.press("Alt+Shift+C")
        expect(status).to_have_text("Passed. 7 of 7 checks hold.", timeout=1000 * SECONDS)
        here.keep_picture("check-service-2-passed")

        def attempts(student: str) -> list[bool]:
            headers = {"Authorization": f"token {tokens.made(student, 1.0)}"}
            told = client.get(f"/api/attempts?assignment={A1}", headers=headers).json()
            return [one["answer"]["passed"] for one in told["attempts"]]

        assert attempts("demo-a") == [True, False]
        assert attempts("demo-b") == []

"""A student, in JupyterLab: opens a1, answers, runs, and presses Validate."""

from __future__ import annotations

from pathlib import Path

import nbformat
from conftest import A1, ROOT, Submit, read_sample
from nbformat import NotebookNode
from playwright.sync_api import Locator, Page, expect

from autograder.course.assignments import Assignment
from autograder.course.cells import grade_id
from e2e.conftest import Visit, Visiting

SLUG = "positional_encoder"
ANSWER = read_sample(ROOT / "tests" / "submissions" / A1 / "correct" / "loops.py").answers[SLUG]


def open_notebook(visit: Visiting, folder: Path, notebook: NotebookNode) -> Visit:
    """JupyterLab with `notebook` as the student's a1, and its kernel waiting for work."""
    (folder / "mine").mkdir()
    nbformat.write(notebook, folder / "mine" / f"{A1}.ipynb")
    here = visit(folder / "mine")
    page = here.open(f"lab/tree/{A1}.ipynb")
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
    page.locator(".jp-Notebook .jp-Cell").first.click()
    return here


def run_and_go_on(page: Page, cell: int, cells: int) -> None:
    """Runs the active cell, number `cell` from 0, which makes the next one active."""
    place = page.locator("#jp-main-statusbar")
    expect(place).to_contain_text(f"Cell {cell + 1}/{cells}")
    page.locator(".jp-Notebook .jp-Cell.jp-mod-active").press(
        "Shift+Enter"
    )  # wherever the focus is
    expect(place).to_contain_text(f"Cell {cell + 2}/{cells}")


def validated(page: Page) -> Locator:
    """Presses nbgrader's button; what it says then."""
    page.get_by_role("button", name="Validate").click()
    return page.locator("#validation-message")


def test_an_answer_is_typed_and_run_and_validation_names_only_the_other_questions(
    tmp_path: Path, visit: Visiting, a1: Assignment
) -> None:
    names = [grade_id(cell) for cell in a1.release.cells]
    here = open_notebook(visit, tmp_path, a1.release)
    page, cells = here.page, len(names)
    for number in range(names.index(SLUG)):
        run_and_go_on(page, number, cells)
    active = page.locator(".jp-Notebook .jp-Cell.jp-mod-active")
    expect(active).to_contain_text("YOUR CODE HERE")
    active.locator(".cm-content").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(ANSWER)
    here.keep_picture("student-1-answer")
    run_and_go_on(page, names.index(SLUG), cells)
    check = page.locator(".jp-Notebook .jp-CodeCell", has_text="PositionalEncoder(512)")
    run_and_go_on(page, names.index(f"check_{SLUG}"), cells)
    for kind in ("Shape", "Values", "Properties"):
        expect(check.locator(".jp-Cell-outputArea")).to_contain_text(f"{kind}: ")
    here.keep_picture("student-2-check")
    said = validated(page)
    others = [name for name in names if name and name.startswith("check_")]
    others.remove(f"check_{SLUG}")
    expect(said.get_by_text("The following cell failed:")).to_have_count(len(others))
    expect(said).not_to_contain_text("PositionalEncoder(512)")
    expect(said).to_contain_text("sample_pair = attention(sample_q, sample_k, sample_v)")
    here.keep_picture("student-3-validation-of-one-answer")


def test_a_notebook_that_is_right_passes_validation(
    tmp_path: Path, visit: Visiting, submit: Submit
) -> None:
    here = open_notebook(visit, tmp_path, submit())
    expect(validated(here.page)).to_have_text("Success! Your notebook passes all the tests.")
    here.keep_picture("student-4-validation-of-all-answers")

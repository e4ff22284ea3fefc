"""An instructor, in formgrader inside JupyterLab: generates, grades, and gives feedback.

Every button goes nbgrader's own way, with the course's configuration as it is.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import nbformat
import pytest
from conftest import A1, IDS, ROOT, build, read_sample
from nbgrader.api import Gradebook
from playwright.sync_api import FrameLocator, Locator, Page, expect

from e2e.conftest import Visit, Visiting

A5 = "a5_transformer_anatomy"
STUDENT = "demo-queries"
WRONG = ROOT / "tests" / "submissions" / A5 / "wrong" / "attention_softmax_over_queries.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The course on its first day: nothing was generated, and the exchange is empty."""
    course, exchange = tmp_path / "course", tmp_path / "exchange"
    exchange.mkdir()
    for name in ("source", "checks"):
        shutil.copytree(ROOT / name, course / name)
    settings = (ROOT / "nbgrader_config.py").read_text()
    (course / "nbgrader_config.py").write_text(f"{settings}\nc.Exchange.root = {str(exchange)!r}\n")
    return course


def open_formgrader(here: Visit) -> FrameLocator:
    """Finds formgrader in JupyterLab's menu; its list of assignments."""
    page = here.open("lab")
    page.get_by_role("menuitem", name="Nbgrader").click()
    page.get_by_role("menuitem", name="Formgrader", exact=True).click()
    return page.frame_locator("iframe")


def row(formgrader: FrameLocator, name: str) -> Locator:
    return formgrader.locator("#main-table tr", has_text=name)


def succeed(formgrader: FrameLocator, button: Locator, here: Visit, picture: str) -> None:
    """Presses a button that takes its time, and closes the message about its success."""
    button.click()
    message = formgrader.locator(".modal.in")
    message.wait_for()
    assert message.locator(".modal-title").text_content() == "Success", message.inner_text()
    here.keep_picture(picture)
    message.get_by_role("button", name="OK").click()
    expect(message).to_have_count(0)


def hand_in(folder: Path) -> None:
    """What a student submits who takes one softmax over the wrong axis."""
    submitted = folder / "submitted" / STUDENT / A5
    shutil.copytree(folder / "release" / A5, submitted)
    notebook = build(read_sample(WRONG), A5)
    for cell in notebook.cells:
        cell.source = re.sub(r"\n *### (BEGIN|END) SOLUTION", "", cell.source)
    nbformat.write(notebook, submitted / f"{A5}.ipynb")


def write(page: Page, field: Locator, text: str, saved_at: str) -> None:
    """Fills a field in and leaves it, upon which formgrader saves it."""
    with page.expect_response(lambda r: saved_at in r.url and r.request.method == "PUT") as saved:
        field.fill(text)
        field.blur()
    assert saved.value.ok


def files(folder: Path) -> dict[Path, bytes]:
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_formgrader_lists_the_assignments_and_generates_what_the_repository_releases(
    folder: Path, visit: Visiting
) -> None:
    here = visit(folder)
    formgrader = open_formgrader(here)
    expect(formgrader.locator("#main-table .name")).to_have_text(IDS)
    here.keep_picture("instructor-1-assignments")
    button = row(formgrader, A1).locator(".assign a")
    succeed(formgrader, button, here, "instructor-2-generated")
    expect(row(formgrader, A1).locator(".preview a")).to_be_visible()
    assert files(folder / "release" / A1) == files(ROOT / "release" / A1)


def test_a_submission_is_graded_by_a_button_and_by_hand_and_feedback_shows_both(
    folder: Path, visit: Visiting
) -> None:
    here = visit(folder)
    formgrader, page = open_formgrader(here), here.page
    button = row(formgrader, A5).locator(".assign a")
    succeed(formgrader, button, here, "instructor-3-generated")
    hand_in(folder)

    formgrader.get_by_role("link", name="Manage Assignments").click()
    row(formgrader, A5).locator(".num-submissions a").click()
    submission = row(formgrader, STUDENT)
    expect(submission).to_contain_text("needs autograding")
    succeed(formgrader, submission.locator(".autograde a"), here, "instructor-4-autograded")
    expect(submission.locator(".score")).to_have_text("85 / 100")
    expect(submission.locator(".status")).to_have_text("needs manual grading")

    formgrader.get_by_role("link", name="Manual Grading").click()
    # each link by what the page before it does not hold: the names of two are the same
    for link in (f"[href$='/gradebook/{A5}']", f"[href$='/{A5}/{A5}']", ".name-hidden"):
        formgrader.locator(f"#main-table a{link}").click()
    score = formgrader.locator("#check_scaled_dot_product_attention")
    expect(score).to_have_attribute("placeholder", "0")
    expect(formgrader.locator("#notebook math")).not_to_have_count(0)
    formgrader.get_by_role("heading", name="5 · Scaled").scroll_into_view_if_needed()
    here.keep_picture("instructor-5-formulas")
    reported = formgrader.locator("pre", has_text="Your softmax runs over the queries")
    reported.scroll_into_view_if_needed()
    here.keep_picture("instructor-6-verdict")
    write(page, formgrader.locator("#attention_essay"), "4", "/api/grade/")
    comment = formgrader.locator("#attention_essay-comment")
    write(page, comment, "A **careful** reading of $QK^T$.", "/api/comment/")
    here.keep_picture("instructor-7-by-hand")

    formgrader.get_by_role("link", name="Manual Grading").click()
    formgrader.get_by_role("link", name="Manage Assignments").click()
    row(formgrader, A5).locator(".num-submissions a").click()
    expect(submission.locator(".score")).to_have_text("89 / 100")
    expect(submission.locator(".status")).to_have_text("graded")
    succeed(formgrader, submission.locator(".generate-feedback a"), here, "instructor-8-feedback")

    page.goto((folder / "feedback" / STUDENT / A5 / f"{A5}.html").as_uri())
    here.keep_picture("feedback-1-summary")
    expect(page.locator("#summary")).to_contain_text("89 of 100 points")
    expect(page.locator("#summary")).to_contain_text("Your softmax runs over the queries")
    said = page.get_by_text("reading of")
    expect(said.locator("strong")).to_have_text("careful")
    expect(said.locator("math")).to_be_visible()
    said.scroll_into_view_if_needed()
    here.keep_picture("feedback-2-by-hand")
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        grade = gradebook.find_grade("attention_essay", A5, A5, STUDENT)
        assert (grade.manual_score, grade.needs_manual_grade) == (4, False)

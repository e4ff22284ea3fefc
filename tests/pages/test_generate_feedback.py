"""`nbgrader generate_feedback` makes the page, with what the checks found."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from feedback_pages import ATTENTION
from mini import nbgrader_cell
from nbformat.v4 import new_markdown_cell, new_notebook
from nbgrader.api import Gradebook
from ordinary_course import make_course, nbgrader

from autograder.results.model import SubmissionResult
from autograder.results.stored import RESULT_NAME


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course in which nbgrader graded one wrong answer to an assignment with hidden tests."""
    answer = "### BEGIN SOLUTION\ndef double(x):\n    return 2 * x\n### END SOLUTION"
    hidden = "### BEGIN HIDDEN TESTS\nassert double(3) == 6, 'secret'\n### END HIDDEN TESTS"
    cells = [
        new_markdown_cell("# Doubling\n\nWrite $2x$.", id="intro"),
        nbgrader_cell("double", answer, solution=True, locked=False),
        nbgrader_cell("check_double", f"assert double(0) == 0\n{hidden}", grade=True, points=4.0),
        nbgrader_cell("essay", "", grade=True, solution=True, locked=False, points=3.0),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    source = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    folder = make_course(tmp_path_factory.mktemp("course"), {"ps1": {"p1": source}})
    submitted = folder / "submitted" / "demo-wrong" / "ps1"
    shutil.copytree(folder / "release" / "ps1", submitted)
    notebook = nbformat.read(submitted / "p1.ipynb", as_version=4)
    notebook.cells[1].source = "def double(x):\n    return x + x * x"
    notebook.cells[3].source = "because = 'it doubles'"
    nbformat.write(notebook, submitted / "p1.ipynb")
    (submitted / "sub").mkdir()
    for name in ("index.html", "sub/x.html", "sub/data.csv"):
        (submitted / name).write_text("<script>alert(1)</script>")
    done = nbgrader(folder, "autograde", "ps1")
    assert done.returncode == 0, done.stderr
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        gradebook.find_comment("double", "p1", "ps1", "demo-wrong").manual_comment = "Try **3**."
        gradebook.db.commit()
    return folder


def made_page(folder: Path) -> str:
    done = nbgrader(folder, "generate_feedback", "ps1", "--force")
    assert done.returncode == 0, done.stderr
    return (folder / "feedback" / "demo-wrong" / "ps1" / "p1.html").read_text()


def test_generate_feedback_makes_the_page_of_a_failing_submission(graded: Path) -> None:
    page = made_page(graded)
    assert "<title>Feedback: Ps1: P1</title>" in page
    assert "<b>0</b> <span>of 7 points" in page
    assert '<span class="status">not right yet</span>' in page
    assert '<span class="status">waits for your instructor</span>' in page
    assert "<p>Try <strong>3</strong>.</p>" in page
    assert '<math display="inline">' in page
    assert '<span class="nf">double</span>' in page
    assert "AssertionError in a test" in page
    assert "secret" not in page
    assert "HIDDEN" not in page
    assert "<script" not in page


def test_nothing_that_a_browser_runs_lies_beside_the_page(graded: Path) -> None:
    made_page(graded)
    assert (graded / "autograded" / "demo-wrong" / "ps1" / "sub" / "x.html").is_file()
    feedback = graded / "feedback" / "demo-wrong" / "ps1"
    found = {path.name for path in feedback.rglob("*") if path.is_file()}
    assert found == {"p1.html", RESULT_NAME, "data.csv", "t.txt"}


def test_generate_feedback_shows_what_the_checks_found(graded: Path) -> None:
    question = replace(ATTENTION, slug="double", score=0.0, max_score=4.0)
    path = graded / "autograded" / "demo-wrong" / "ps1" / RESULT_NAME
    kept = path.read_bytes()
    found = {**json.loads(kept), "verdict": "out-of-reach", "questions": []}
    result = replace(SubmissionResult.from_dict(found), questions=[question])
    path.chmod(0o644)
    path.write_text(json.dumps(result.as_dict()))
    page = made_page(graded)
    path.write_bytes(kept)
    assert "Your softmax runs over the queries" in page
    assert "AssertionError" not in page
    assert 'role="img"' in page

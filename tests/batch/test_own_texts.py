"""A written answer outside of its cell waits for a person, at every door that records."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from mini_course import MINI, MiniCourse, edit, make_course
from nbformat import NotebookNode
from warm_commands import run_module

from autograder.batch.run import Workers, batch

TOLD = (
    "solution cell essay holds no answer: look whether the student's own text behind cell "
    "triple is one"
)
TEXT = nbformat.v4.new_markdown_cell("Both multiply.")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose assignment ends with a text that a person grades."""
    folder = make_course(tmp_path_factory.mktemp("essays"))
    path = folder / "source" / MINI / f"{MINI}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    settings = {"grade": True, "grade_id": "essay", "locked": False, "points": 3.0}
    settings |= {"solution": True, "task": False, "schema_version": 3}
    essay = nbformat.v4.new_markdown_cell("YOUR ANSWER HERE", id="essay")
    essay.metadata.nbgrader = settings
    notebook.cells.append(essay)
    nbformat.write(notebook, path)
    done = run_module("nbgrader", "generate_assignment", MINI, "--force", folder=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def mini(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MiniCourse:
    folder = Path(shutil.copytree(template, tmp_path / "course"))
    monkeypatch.chdir(folder)
    return MiniCourse(folder)


def hand_in(mini: MiniCourse, student: str, *own: NotebookNode) -> None:
    """Submits right answers, the essay left as it is, and cells above the last check."""
    path = mini.hand_in(student)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[-3:-3] = own
    nbformat.write(notebook, path)


def essay_of(mini: MiniCourse, student: str) -> tuple[float | None, bool, str]:
    with mini.gradebook() as gradebook:
        grade = gradebook.find_grade("essay", MINI, MINI, student)
        comment = gradebook.find_comment("essay", MINI, MINI, student)
        return grade.auto_score, grade.needs_manual_grade, comment.comment


@pytest.mark.parametrize("door", ["batch", "nbgrader"])
def test_a_text_outside_of_its_cell_waits_for_a_person(mini: MiniCourse, door: str) -> None:
    hand_in(mini, "demo-none")
    hand_in(mini, "demo-text", TEXT, nbformat.v4.new_code_cell("print(1)"))
    if door == "batch":
        batch(mini.course, MINI, Workers(jobs=1))
    else:
        done = run_module("nbgrader", "autograde", MINI, folder=mini.folder)
        assert done.returncode == 0, done.stderr
    assert essay_of(mini, "demo-none") == (0.0, False, "No response.")
    assert mini.result("demo-none").flags == []
    assert essay_of(mini, "demo-text") == (None, True, TOLD)
    assert mini.result("demo-text").flags == [TOLD]


def test_a_score_given_for_a_text_elsewhere_stays_until_that_text_changes(mini: MiniCourse) -> None:
    hand_in(mini, "demo-text", TEXT)
    batch(mini.course, MINI, Workers(jobs=1))
    with mini.gradebook() as gradebook:
        grade = gradebook.find_grade("essay", MINI, MINI, "demo-text")
        grade.manual_score, grade.needs_manual_grade = 2.0, False
        gradebook.db.commit()
    edit(mini.notebook_path("demo-text"), "Both multiply.", "Both multiply numbers.")
    batch(mini.course, MINI, Workers(jobs=1))
    assert essay_of(mini, "demo-text") == (None, True, TOLD)

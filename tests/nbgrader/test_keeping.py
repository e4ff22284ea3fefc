"""A release that cannot be made anew stays as it was."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from mini import nbgrader_cell
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from ordinary_course import cell, make_course, nbgrader, source_notebook

SOURCE = "source/ps1/p1.ipynb"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """One assignment that is released, with a submission that is recorded."""
    made = make_course(tmp_path, {"ps1": {"p1": source_notebook()}})
    with Gradebook(f"sqlite:///{made}/gradebook.db") as gradebook, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbgrader's own queries make SQLAlchemy warn
        gradebook.add_student("demo-student")
        gradebook.add_submission("ps1", "demo-student")
    return made


def released(course: Path) -> dict[str, bytes]:
    files = (path for path in (course / "release" / "ps1").rglob("*") if path.is_file())
    return {str(path.relative_to(course)): path.read_bytes() for path in files}


def remove(notebook: NotebookNode) -> None:
    notebook.cells.remove(cell(notebook, "exact"))


def add(notebook: NotebookNode) -> None:
    notebook.cells.append(nbgrader_cell("more", "assert True", grade=True, points=1.0))


def rename(notebook: NotebookNode) -> None:
    cell(notebook, "exact").metadata.nbgrader.grade_id = "strict"


def ask_a_person(notebook: NotebookNode) -> None:
    cell(notebook, "exact").metadata.nbgrader.solution = True


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (remove, "lacks exact: put the cells back"),
        (add, "adds more: put the cells back"),
        (rename, "lacks exact and adds strict: put the cells back"),
        (ask_a_person, "changes the kind of exact: put the cells back"),
    ],
)
def test_other_cells_than_those_that_were_graded_are_refused_in_one_sentence(
    course: Path, change: Callable[[NotebookNode], None], said: str
) -> None:
    before, notebook = released(course), nbformat.read(course / SOURCE, as_version=4)
    change(notebook)
    nbformat.write(notebook, course / SOURCE)
    done = nbgrader(course, "generate_assignment", "ps1", "--force")
    assert done.returncode == 1
    assert f"p1.ipynb in source/ {said}" in done.stderr
    assert "Traceback" not in done.stderr
    assert released(course) == before


def test_other_notebooks_than_those_that_were_graded_are_refused_in_one_sentence(
    course: Path,
) -> None:
    before = released(course)
    (course / "source" / "ps1" / "p2.ipynb").write_bytes((course / SOURCE).read_bytes())
    done = nbgrader(course, "generate_assignment", "ps1", "--force")
    assert done.returncode == 1
    assert "source/ adds or lacks p2: give it the same notebooks" in done.stderr
    assert "Traceback" not in done.stderr
    assert released(course) == before


def test_whatever_fails_the_old_release_stays(course: Path) -> None:
    before = released(course)
    (course / SOURCE).write_text("<<<<<<< HEAD")
    assert nbgrader(course, "generate_assignment", "ps1", "--force").returncode == 1
    assert released(course) == before


def test_other_points_and_texts_may_be_released(course: Path) -> None:
    notebook = nbformat.read(course / SOURCE, as_version=4)
    cell(notebook, "exact").metadata.nbgrader.points = 0
    cell(notebook, "exact").source = "assert answer() in (41, 42)"
    nbformat.write(notebook, course / SOURCE)
    done = nbgrader(course, "generate_assignment", "ps1", "--force")
    assert done.returncode == 0, done.stderr
    assert b"in (41, 42)" in released(course)["release/ps1/p1.ipynb"]


def test_cells_may_change_while_nothing_was_graded(tmp_path: Path) -> None:
    made = make_course(tmp_path, {"ps1": {"p1": source_notebook()}})
    notebook = source_notebook()
    rename(notebook)
    nbformat.write(notebook, made / SOURCE)
    done = nbgrader(made, "generate_assignment", "ps1", "--force")
    assert done.returncode == 0, done.stderr
    assert b"strict" in released(made)["release/ps1/p1.ipynb"]

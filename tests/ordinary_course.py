"""A course of ordinary assignments, whose tests are asserts in cells, and submissions to it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import nbformat
from conftest import ROOT
from mini import nbgrader_cell
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from warm_commands import run_module

from autograder.course.cells import grade_id
from autograder.results.model import SubmissionResult
from autograder.results.stored import read_result

PYTHON = {"name": "python3", "display_name": "Python 3", "language": "python"}
CELL_SECONDS = 2

SOURCES = {
    "exact": "assert answer() == 42",
    "partial": "min(4.0, part())",
    "quiet": "talk()",
    "reads": "assert open('data.csv').read() == 'a,b\\n'\n"
    "assert open('deep/down/t.txt').read() == 't'\n"
    "import helper\nassert helper.HELP == 'given' and open('own/notes.txt').read() == 'mine'",
    "tells": "import os\nassert os.environ['NBGRADER_EXECUTION'] == 'autograde'",
}
POINTS = {"exact": 2.0, "partial": 4.0, "quiet": 1.0, "reads": 2.0, "tells": 1.0}
RIGHT = "def answer():\n    return 42\ndef part():\n    return 4.0\ndef talk():\n    print('fine')"


def nbgrader(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_module("nbgrader", *arguments, folder=folder)


def source_notebook() -> NotebookNode:
    """One answer, a test cell for each of `SOURCES`, and an essay that a person grades."""
    answer = f"### BEGIN SOLUTION\n{RIGHT}\n### END SOLUTION"
    cells = [nbgrader_cell("answer", answer, solution=True, locked=False)]
    cells += [
        nbgrader_cell(name, source, grade=True, points=POINTS[name])
        for name, source in SOURCES.items()
    ]
    settings = nbgrader_cell("essay", "", grade=True, solution=True, locked=False, points=3.0)
    cells.append(nbformat.v4.new_markdown_cell("Why?", metadata=settings.metadata, id="essay"))
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": dict(PYTHON)})


def make_course(folder: Path, assignments: dict[str, dict[str, NotebookNode]]) -> Path:
    """A course with these notebooks, and files beside them, all released."""
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    with (folder / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.Execute.timeout = {CELL_SECONDS}\n")
    for assignment, notebooks in assignments.items():
        source = folder / "source" / assignment
        (source / "deep" / "down").mkdir(parents=True)
        for name, notebook in notebooks.items():
            nbformat.write(notebook, source / f"{name}.ipynb")
        (source / "data.csv").write_text("a,b\n")
        (source / "deep" / "down" / "t.txt").write_text("t")
        (source / "helper.py").write_text("HELP = 'given'\n")
        done = nbgrader(folder, "generate_assignment", assignment)
        assert done.returncode == 0, done.stderr
    return folder


def hand_in(
    folder: Path,
    student: str,
    answer: str,
    assignment: str = "ps1",
    edit: Callable[[NotebookNode], None] | None = None,
) -> Path:
    """Puts a submission made from the release in place; the folder it lies in."""
    submitted = folder / "submitted" / student / assignment
    shutil.copytree(folder / "release" / assignment, submitted)
    (submitted / "own").mkdir()
    (submitted / "own" / "notes.txt").write_text("mine")
    for path in submitted.glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        cell(notebook, "answer").source = answer
        if edit is not None:
            edit(notebook)
        nbformat.write(notebook, path)
    return submitted


def cell(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(c for c in notebook.cells if grade_id(c) == name)


def scores(folder: Path, student: str) -> dict[str, float]:
    """What the gradebook holds of the test cells of ps1."""
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        found = gradebook.find_submission_notebook("p1", "ps1", student)
        return {g.name: g.auto_score for g in found.grades if g.name != "essay"}


def result_of(folder: Path, student: str, assignment: str = "ps1") -> SubmissionResult:
    found = read_result(folder / "autograded" / student / assignment)
    assert found is not None
    return found

"""A course with the tiny assignment of `mini`, as nbgrader keeps it: for tests of whole classes."""

from __future__ import annotations

import atexit
import shutil
import sys
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import nbformat
from conftest import ROOT
from mini import answer, mini_assignment
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from warm_commands import run_module

from autograder.course.assignments import Assignment, Course
from autograder.results.model import SubmissionResult
from autograder.results.stored import read_result

MINI = "mini"
NO_SEARCH = 'c.GradeInBox.limits = {"search_seconds": 0}'  # what is found depends on the clock


def make_course(folder: Path, configuration: str = "") -> Path:
    """A course in `folder` whose gradebook knows `mini`; its checks lie beside.

    What nbgrader makes is made once, where nothing of the configuration has a say in it.
    """
    if not configuration:
        return Path(shutil.copytree(_template(), folder, dirs_exist_ok=True))
    return _made(folder, configuration)


@cache
def _template() -> Path:
    template = Path(mkdtemp())
    atexit.register(shutil.rmtree, template)
    return _made(template)


def _made(folder: Path, configuration: str = "") -> Path:
    made = mini_assignment(folder / "made")
    source = folder / "source" / MINI / f"{MINI}.ipynb"
    source.parent.mkdir(parents=True)
    nbformat.write(_instructors(made), source)
    shutil.copytree(made.checks, folder / "checks" / MINI)
    shutil.rmtree(folder / "made")
    text = (ROOT / "nbgrader_config.py").read_text(encoding="utf-8")
    settings = "\n".join([text, NO_SEARCH, configuration, ""])
    (folder / "nbgrader_config.py").write_text(settings, encoding="utf-8")
    done = run_module("nbgrader", "generate_assignment", MINI, folder=folder)
    assert done.returncode == 0, done.stderr
    return folder


def _instructors(made: Assignment) -> NotebookNode:
    """The solutions, marked for nbgrader to take them away."""
    notebook = answer(made)
    for cell in notebook.cells:
        if cell.metadata.nbgrader.solution:
            head, body = cell.source.split("\n")
            cell.source = f"{head}\n    ### BEGIN SOLUTION\n{body}\n    ### END SOLUTION"
    return notebook


class MiniCourse:
    """What tests do in such a course."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.course = Course(folder)

    def notebook_path(self, student: str, step: str = "submitted") -> Path:
        return self.folder / step / student / MINI / f"{MINI}.ipynb"

    def hand_in(self, student: str, *, added: str = "", **answers: str) -> Path:
        """Submits right answers but for those given, and a cell of the student's own."""
        checks = self.folder / "checks" / MINI
        release = self.folder / "release" / MINI / f"{MINI}.ipynb"
        notebook = answer(Assignment(MINI, release, checks), **answers)
        notebook.cells.append(nbformat.v4.new_code_cell(added or f"student = {student!r}"))
        path = self.notebook_path(student)
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)
        return path

    def result(self, student: str) -> SubmissionResult:
        found = read_result(self.notebook_path(student, "autograded").parent)
        assert found is not None
        return found

    def gradebook(self) -> Gradebook:
        return Gradebook(f"sqlite:///{self.folder}/gradebook.db")

    def scores(self) -> dict[str, float]:
        """The score of every student that the gradebook has a submission of."""
        with self.gradebook() as gradebook:
            found = gradebook.find_assignment(MINI).submissions
            return {submission.student_id: submission.score for submission in found}

    def command(self, *arguments: str) -> list[str]:
        """A command line that runs `autograder`."""
        return [sys.executable, "-m", "autograder", *arguments]


def edit(path: Path, old: str, new: str) -> None:
    """Replaces text in a file, which must be there."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))

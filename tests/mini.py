"""A tiny assignment of two questions, for tests that need no Transformers."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.course.assignments import Assignment

CHECK = '''
"""Checks of the mini assignment."""

from typing import Any

import torch

from autograder.checking import Student, expect_close, points, probe


@probe
def run(answers: Any, x: torch.Tensor) -> dict[str, Any]:
    return {{"y": answers.{name}(x)}}


@points(3)
def check_values(student: Student) -> None:
    """Every number is multiplied."""
    x = torch.arange(3.0)
    expect_close(student.run(run, x=x), "y", {factor} * x)


@points(2)
def check_negative_values(student: Student) -> None:
    """Negative numbers are multiplied too."""
    x = -torch.arange(4.0)
    expect_close(student.run(run, x=x), "y", {factor} * x)
'''


def nbgrader_cell(name: str, source: str, **settings: object) -> NotebookNode:
    """A code cell with nbgrader's metadata; locked unless it says otherwise."""
    metadata = {
        "grade": False,
        "grade_id": name,
        "locked": True,
        "schema_version": 3,
        "solution": False,
        "task": False,
        **settings,
    }
    return nbformat.v4.new_code_cell(source, metadata={"nbgrader": metadata}, id=name)


def mini_assignment(folder: Path) -> Assignment:
    """Questions `double` and `triple`, five points each, in `folder`."""
    stub = "def {0}(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
    cells = [nbgrader_cell("imports", "import torch")]
    for name in ("double", "triple"):
        cells += [
            nbgrader_cell(name, stub.format(name), solution=True, locked=False),
            nbgrader_cell(f"check_{name}", f"print({name}(torch.ones(1)))", grade=True, points=5.0),
        ]
    release, checks = folder / "release" / "mini", folder / "checks"
    release.mkdir(parents=True)
    checks.mkdir()
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbformat.write(notebook, release / "mini.ipynb")
    for name, factor in (("double", 2), ("triple", 3)):
        (checks / f"check_{name}.py").write_text(CHECK.format(name=name, factor=factor))
    return Assignment("mini", release / "mini.ipynb", checks)


def write_source(assignment: Assignment, **solutions: str) -> None:
    """Gives the assignment an instructor's notebook."""
    assignment.source_path.parent.mkdir(parents=True)
    nbformat.write(answer(assignment, **solutions), assignment.source_path)


def answer(assignment: Assignment, *, at_start: str = "", **answers: str) -> NotebookNode:
    """A submission that is right but for the given sources of solution cells."""
    right = {
        "double": "def double(x):\n    return 2 * x",
        "triple": "def triple(x):\n    return 3 * x",
    }
    notebook = nbformat.read(assignment.release_path, as_version=4)
    for cell in notebook.cells:
        if cell.id in right:
            cell.source = answers.get(cell.id, right[cell.id])
    if at_start:
        notebook.cells.insert(0, nbformat.v4.new_code_cell(at_start))
    return notebook

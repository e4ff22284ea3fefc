"""Cells of a submission by their names, and those that a student added."""

from __future__ import annotations

from nbformat import NotebookNode

from autograder.course.cells import grade_id
from autograder.intake.submission import Repaired


def cell(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(c for c in notebook.cells if grade_id(c) == name)


def place(notebook: NotebookNode, name: str) -> int:
    return notebook.cells.index(cell(notebook, name))


def added(repaired: Repaired) -> list[str]:
    return [each.source for each in repaired.notebook.cells if each.id.startswith("added-")]

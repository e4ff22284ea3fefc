"""Answers whose cells were split, as JupyterLab does it: each part carries the id of the whole."""

from __future__ import annotations

import ast
import copy

import pytest
from conftest import IDS, GraderOf
from nbformat import NotebookNode

from autograder.course.assignments import Course
from autograder.course.cells import is_solution


def parts(cell: NotebookNode) -> list[NotebookNode]:
    """A cell for each statement of `cell`, with all that nbgrader notes of it."""
    if cell.cell_type != "code":
        return [cell]
    nodes = ast.parse(cell.source).body
    sources = [ast.get_source_segment(cell.source, node) or "" for node in nodes]
    return [NotebookNode({**copy.deepcopy(cell), "source": source}) for source in sources]


@pytest.mark.parametrize("name", IDS)
def test_answers_that_stand_in_a_cell_for_each_statement_earn_everything(
    name: str, course: Course, grader_of: GraderOf
) -> None:
    notebook = copy.deepcopy(course.assignment(name).solved)
    notebook.cells = [
        part for cell in notebook.cells for part in (parts(cell) if is_solution(cell) else [cell])
    ]
    result = grader_of(name).grade(notebook, "split").result
    assert [q.slug for q in result.questions if q.score != q.max_score] == []

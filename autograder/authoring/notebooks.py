"""Whole notebooks with one known mistake in them, of the kinds in which students make it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection
from itertools import groupby

import nbformat
from nbformat import NotebookNode

from autograder.checking.misconceptions import Misconception
from autograder.course.assignments import Assignment, Question
from autograder.course.cells import grade_id, is_solution, name_of
from autograder.grading.grader import Grader
from autograder.grading.trial import QUIET
from autograder.intake.submission import repair

LONG_SECONDS = 1.0
"""Of the processor, for a cell that is not worth its time where only names are asked for."""

DRAWS = "import torch\n\ntorch.manual_seed(5)\ntorch.rand(7), torch.nn.Linear(3, 2)"


def notebook_with(assignment: Assignment, slug: str, answer: str, style: str) -> NotebookNode:
    """A submission that answers `slug` so, and everything else right, in one of `STYLES`."""
    right = {cell.id: str(cell.source) for cell in assignment.solved.cells}
    written, draws = STYLES[style]
    cells = []
    for cell in copy.deepcopy(assignment.release.cells):
        if is_solution(cell):
            cell.source = answer if grade_id(cell) == slug else right[cell.id]
        if is_solution(cell) and cell.cell_type == "code":
            cell.source = written(cell.source)
            if draws:
                cells.append(nbformat.v4.new_code_cell(DRAWS))
        cells.append(cell)
    return nbformat.v4.new_notebook(cells=cells, metadata=assignment.release.metadata)


def told_in(
    grader: Grader, question: Question, one: Misconception, style: str, fails: Collection[str] = ()
) -> set[str | None]:
    """The names that are given to a misconception in a whole notebook; None where one lacks.

    `fails`: the checks that it fails alone. Where the notebook has it fail no other, it is not
    tried alone once more. Demonstrations that take long are left out.
    """
    slug, assignment = question.slug, grader.assignment
    answer = one.applied(grader.dependencies.source(slug))
    repaired = repair(notebook_with(assignment, slug, answer, style), assignment.release)
    long = {name for name, seconds in grader.pace.cells.items() if seconds >= LONG_SECONDS}
    needed = {
        name_of(cell) for q in assignment.questions for cell in grader.dependencies.cells(q.slug)
    }
    repaired.notebook.cells = [
        nbformat.v4.new_code_cell(QUIET),
        *(cell for cell in repaired.notebook.cells if name_of(cell) not in long - needed),
    ]
    verdict = grader.check_in_whole(repaired, slug, fails)
    return {check.misconception for check in verdict.checks if not check.passed} - {None} or {None}


def _as_it_is(source: str) -> str:
    return source


def _in_other_order(source: str) -> str:
    """The layers of each module made in the opposite order, where they stand in a row."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            rows = groupby(node.body, _is_layer)
            node.body = [
                one for layers, row in rows for one in (list(row)[::-1] if layers else row)
            ]
    return ast.unparse(tree)


def _is_layer(statement: ast.stmt) -> bool:
    """Whether it sets an attribute to a new layer that rests on no other attribute."""
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Attribute)
        and isinstance(statement.value, ast.Call)
        and ast.unparse(statement.value).startswith("nn.")
        and "self." not in ast.unparse(statement.value)
    )


STYLES: dict[str, tuple[Callable[[str], str], bool]] = {
    "as the solution": (_as_it_is, False),
    "layers in another order": (_in_other_order, False),
    "after random numbers": (_as_it_is, True),
}
"""How the cells are written, and whether random numbers are drawn before every answer."""

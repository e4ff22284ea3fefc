"""Texts of a student's own that may be what a question for a written answer asks for.

A person has to see that. Where the cell for the answer holds nothing of the student's, the person
is told where to look.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nbformat import NotebookNode

from autograder import helper
from autograder.course.cells import ADDED, is_graded, is_solution, name_of, parsed
from autograder.errors import NotDone

MOST_TOLD = 3  # places


def is_essay(cell: NotebookNode) -> bool:
    """Whether the cell is for a text that a person grades."""
    return is_graded(cell) and is_solution(cell) and cell.cell_type != "code"


def where_own_texts_stand(notebook: NotebookNode) -> str:
    """Behind which cells of a repaired notebook, in words; empty where there is no such text.

    Raises:
        Ungraded: no helper can be started.
    """
    given = {cell.source.strip() for cell in notebook.cells if not _is_own(cell)}
    code = [c.source for c in notebook.cells if _is_own(c) and c.cell_type == "code"]
    no_python = iter(_hold_no_code(code))
    behind, found = "the beginning", dict[str, None]()
    for cell in notebook.cells:
        if not _is_own(cell):
            behind = f"cell {name_of(cell)}"
        elif cell.cell_type != "code" or next(no_python):
            found |= {} if cell.source.strip() in given else {behind: None}
    more = [f"{len(found) - MOST_TOLD} more"] if len(found) > MOST_TOLD else []
    return " and ".join([*[*found][:MOST_TOLD], *more])


def _is_own(cell: NotebookNode) -> bool:
    """Whether the student has added it; nobody else's notebook need have ids."""
    return str(cell.get("id", "")).startswith(ADDED)


def told(name: str, where: str) -> str:
    """That the text in another place is to be looked at; `name` is that of the cell for it."""
    return (
        f"solution cell {name} holds no answer: look whether the student's own text behind {where} "
        "is one"
    )


def _hold_no_code(sources: Sequence[str]) -> list[bool]:
    """Which code cells hold nothing but text; all, where that takes too long to find out."""
    if not sources:
        return []
    try:
        return list(helper.run("autograder.intake.own_texts:_are_texts", sources))
    except NotDone:
        return [True for _ in sources]


def _are_texts(sources: Sequence[str]) -> list[bool]:
    """The helper's side."""
    return [all(map(_is_text, parsed(source).body)) for source in sources]


def _is_text(node: ast.stmt) -> bool:
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return False
    return isinstance(node.value.value, str)

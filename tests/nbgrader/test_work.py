"""Whether the work that a person has graded by hand is another one now."""

from __future__ import annotations

import nbformat
import pytest
from mini import nbgrader_cell
from nbformat import NotebookNode

from autograder.nbgrader.work import Work

TASK = nbgrader_cell("essay", "Compare both.", task=True, points=3.0)
TEST = nbgrader_cell("check_double", "", grade=True, points=5.0)


def handed_in(*own: str, **answers: str) -> NotebookNode:
    """Answers by id, cells of the student's own, and a task that a person grades."""
    solutions = [
        nbgrader_cell(name, source, solution=True, locked=False) for name, source in answers.items()
    ]
    added = [nbformat.v4.new_code_cell(source) for source in own]
    return nbformat.v4.new_notebook(cells=[*solutions, TASK, TEST, *added])


BEFORE = handed_in("print(1)", double="return 2 * x")


@pytest.mark.parametrize(
    ("now", "task", "test"),
    [
        (BEFORE, False, False),
        (handed_in("print(1)", double="return x + x"), True, True),
        (handed_in("print(2)", double="return 2 * x"), True, False),
        (handed_in(double="return 2 * x"), True, False),
        (
            handed_in("print(1)", triple="# the release asks for more", double="return 2 * x"),
            *[False] * 2,
        ),
        (handed_in("print(1)"), False, False),
    ],
    ids=["same", "answer", "own-cell", "own-cell-gone", "a-question-more", "a-question-less"],
)
def test_only_what_a_student_has_changed_is_changed_work(
    now: NotebookNode, task: bool, test: bool
) -> None:
    work = Work(now, nbformat.writes(BEFORE).encode())
    assert (work.has_changed(TASK), work.has_changed(TEST)) == (task, test)


def test_where_nothing_is_known_of_earlier_work_nothing_has_changed() -> None:
    assert not Work(BEFORE, None).has_changed(TASK)

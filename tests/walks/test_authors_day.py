"""An author's day: first an ordinary assignment, then one with checks; all doors agree."""

from __future__ import annotations

import copy
from pathlib import Path

import nbformat
import pytest
from doors import Doors, typed
from mini import nbgrader_cell
from mini_course import edit
from nbformat import NotebookNode

from autograder.course.assignments import Assignment, Course
from autograder.course.cells import is_solution

ORDINARY, CHECKED = "ps1", "a1_softmax"
RIGHT, WRONG, EMPTY = "demo-right", "demo-wrong", "demo-empty"
PYTHON = {"name": "python3", "display_name": "Python 3", "language": "python"}

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of nbgrader's queries


def write_ordinary() -> None:
    """An assignment whose tests are asserts in its cells, one of them hidden."""
    answer = "def half(x):\n    ### BEGIN SOLUTION\n    return x / 2\n    ### END SOLUTION"
    hidden = "assert half(4) == 2\n### BEGIN HIDDEN TESTS\nassert half(-1) == -0.5\n"
    cells = [
        nbgrader_cell("half", answer, solution=True, locked=False),
        nbgrader_cell("shown", "assert half(2) == 1", grade=True, points=2.0),
        nbgrader_cell("hidden", hidden + "### END HIDDEN TESTS", grade=True, points=3.0),
    ]
    path = Path("source", ORDINARY, f"{ORDINARY}.ipynb")
    path.parent.mkdir(parents=True)
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": PYTHON})
    nbformat.write(notebook, path)


def hand_in(assignment: Assignment, student: str, **answers: str) -> None:
    """A copy of the release with these answers; those not given are right."""
    solved = {cell.id: cell.source for cell in assignment.solved.cells}
    notebook: NotebookNode = copy.deepcopy(nbformat.read(assignment.release_path, as_version=4))
    for cell in filter(is_solution, notebook.cells):
        cell.source = answers.get(cell.metadata.nbgrader.grade_id, solved[cell.id])
    path = Path("submitted", student, assignment.id, f"{assignment.id}.ipynb")
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    monkeypatch.chdir(tmp_path)
    assert typed("autograder init day") == 0
    monkeypatch.chdir(tmp_path / "day")
    return Course(tmp_path / "day")


def test_a_day(course: Course) -> None:
    write_ordinary()
    assert typed(f"nbgrader generate_assignment {ORDINARY}") == 0
    ordinary, doors = course.assignment(ORDINARY), Doors(ORDINARY)
    hand_in(ordinary, RIGHT)
    hand_in(ordinary, WRONG, half="def half(x):\n    return abs(x) / 2")
    assert typed(f"autograder batch {ORDINARY}") == 0
    doors.expect({RIGHT: 5.0, WRONG: 2.0})

    edit(ordinary.source_path, "half(-1) == -0.5", "half(-1) in (-0.5, 0.5)")
    assert typed(f"nbgrader generate_assignment {ORDINARY} --force") == 0
    assert typed(f"autograder batch {ORDINARY}") == 0
    doors.expect({RIGHT: 5.0, WRONG: 5.0})
    hand_in(ordinary, WRONG, half="def half(x):\n    return 1")
    assert typed(f"nbgrader autograde {ORDINARY}") == 0
    doors.expect({RIGHT: 5.0, WRONG: 2.0})

    assert typed(f"nbgrader generate_assignment {CHECKED}") == 0
    assert typed(f"autograder expected {CHECKED}") == 0
    checked, doors = course.assignment(CHECKED), Doors(CHECKED)
    first, second = (question.slug for question in checked.questions)
    points = {question.slug: question.points for question in checked.questions}
    hand_in(checked, RIGHT)
    hand_in(checked, EMPTY, **{first: "", second: ""})
    assert typed(f"autograder batch {CHECKED}") == 0
    doors.expect({RIGHT: sum(points.values()), EMPTY: 0.0})

    hand_in(checked, EMPTY, **{second: ""})
    assert typed(f"nbgrader autograde {CHECKED}") == 0
    doors.expect({RIGHT: sum(points.values()), EMPTY: points[first]})
    assert typed(f"autograder batch {CHECKED}") == 0
    doors.expect({RIGHT: sum(points.values()), EMPTY: points[first]})

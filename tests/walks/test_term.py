"""An instructor's term, typed as docs/instructor.md says: after each step all doors agree."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT
from doors import Doors, commands, typed
from mini import nbgrader_cell
from mini_course import MINI, MiniCourse, edit, make_course
from nbgrader.api import Gradebook

RIGHT, WRONG, LATE = "demo-right", "demo-wrong", "demo-late"
LATE_RULE = """
c.AssignLatePenalties.plugin_class = "autograder.nbgrader.late.PercentPerDay"
c.PercentPerDay.percent = 10
"""
POSITIVE_ONLY = "def triple(x):\n    return (3 * x).abs()"
PAGE = ROOT / "docs" / "instructor.md"

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of nbgrader's queries


class Term:
    def __init__(self, mini: MiniCourse) -> None:
        self.mini, self.doors = mini, Doors(MINI)

    def type(self, words: str) -> None:
        """Types the command of the page that begins with these words, for this assignment."""
        listed = commands(PAGE, "One assignment, from release to grades")
        (line,) = [line for line in listed if line.startswith(words)]
        assert typed(line.replace("a1_attention_blocks", MINI)) == 0, line

    def write_essay_question(self) -> None:
        """Adds a question that a person grades to the instructor's notebook."""
        path = self.mini.folder / "source" / MINI / f"{MINI}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        settings = nbgrader_cell("essay", "", grade=True, solution=True, locked=False, points=5.0)
        cell = nbformat.v4.new_markdown_cell("Why?", metadata=settings.metadata, id="essay")
        notebook.cells.append(cell)
        nbformat.write(notebook, path)

    def hand_in(self, student: str, when: str, essay: str, **answers: str) -> None:
        path = self.mini.hand_in(student, **answers)
        notebook = nbformat.read(path, as_version=4)
        (cell,) = [cell for cell in notebook.cells if cell.id == "essay"]
        cell.source = essay
        nbformat.write(notebook, path)
        path.with_name("timestamp.txt").write_text(when)

    @contextmanager
    def gradebook(self) -> Iterator[Gradebook]:
        with self.mini.gradebook() as gradebook:
            yield gradebook
            gradebook.db.commit()

    def mark(self, student: str, cell: str, score: float) -> None:
        """Saves a score, as formgrader does."""
        with self.gradebook() as gradebook:
            grade = gradebook.find_grade(cell, MINI, MINI, student)
            grade.manual_score, grade.needs_manual_grade = score, False

    def due(self, day: int) -> None:
        with self.gradebook() as gradebook:
            gradebook.find_assignment(MINI).duedate = datetime(2026, 5, day, 12, 0)


@pytest.fixture
def term(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Term:
    folder = make_course(tmp_path / "course", LATE_RULE)
    monkeypatch.chdir(folder)
    return Term(MiniCourse(folder))


def test_a_term(term: Term) -> None:
    term.write_essay_question()
    term.type("nbgrader generate_assignment")
    term.due(1)

    term.hand_in(RIGHT, "2026-05-01 10:00 UTC", "Because.")
    term.hand_in(WRONG, "2026-05-01 11:00 UTC", "Hm.", triple=POSITIVE_ONLY)
    term.type("autograder batch")
    term.doors.expect({RIGHT: 10.0, WRONG: 8.0}, waiting=[RIGHT, WRONG])

    term.hand_in(LATE, "2026-05-02 10:00 UTC", "Sorry.")
    term.type("autograder batch")
    everybody = [RIGHT, WRONG, LATE]
    term.doors.expect({RIGHT: 10.0, WRONG: 8.0, LATE: 9.0}, waiting=everybody)

    for student, score in zip(everybody, (4.0, 3.0, 5.0), strict=True):
        term.mark(student, "essay", score)
    term.mark(WRONG, "check_triple", 2.0)
    term.type("autograder batch")
    term.doors.expect({RIGHT: 14.0, WRONG: 10.0, LATE: 13.5})

    path = term.mini.folder / "checks" / MINI / "check_triple.py"
    edit(path, "points(3)", "points(4)")
    edit(path, "points(2)", "points(1)")
    term.type("autograder batch")
    term.doors.expect({RIGHT: 14.0, WRONG: 10.0, LATE: 13.5}, again=[WRONG])
    term.mark(WRONG, "check_triple", 4.0)
    term.type("autograder batch")
    term.doors.expect({RIGHT: 14.0, WRONG: 12.0, LATE: 13.5})

    term.due(8)
    term.type("autograder batch")
    term.doors.expect({RIGHT: 14.0, WRONG: 12.0, LATE: 15.0})

    term.hand_in(LATE, "2026-05-09 10:00 UTC", "A better reason.", double="def double(x): return x")
    term.type("autograder batch")
    term.doors.expect({RIGHT: 14.0, WRONG: 12.0, LATE: 9.0}, again=[LATE])

    assert typed(f"autograder batch {MINI} --fresh") == 0
    term.doors.expect({RIGHT: 14.0, WRONG: 12.0, LATE: 9.0}, again=[LATE])
    assert typed(f"nbgrader autograde {MINI} --force") == 0
    term.doors.expect({RIGHT: 14.0, WRONG: 12.0, LATE: 9.0}, again=[LATE])
    term.mark(LATE, "essay", 5.0)
    term.type("autograder batch")
    term.doors.expect({RIGHT: 14.0, WRONG: 12.0, LATE: 9.0})

"""The list in docs/instructor.md of what to run after a change, gone through from top to bottom."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from unittest.mock import Mock

import pytest
from conftest import ROOT
from mini_course import MINI, MiniCourse, edit, make_course
from nbgrader.api import Gradebook

from autograder.batch.run import Workers, batch
from autograder.farm import local as farm

LATE = """
c.AssignLatePenalties.plugin_class = "autograder.nbgrader.late.PercentPerDay"
c.PercentPerDay.percent = 10
"""
STUDENT, OTHER = "demo-late", "demo-punctual"


def listed() -> list[str]:
    """The first column of the list."""
    text = (ROOT / "docs" / "instructor.md").read_text()
    rows = text.partition("## After a change")[2].partition("\n## ")[0].splitlines()
    return [row.split("|")[1].strip() for row in rows if row.startswith("| ")][1:]


class Term:
    """A class of two, of whom one is late."""

    def __init__(self, mini: MiniCourse, patch: pytest.MonkeyPatch) -> None:
        self.mini, self._patch = mini, patch

    def recorded(self, *, by_running: bool = False) -> set[str]:
        """Who is recorded by the next run, which runs notebooks only where that is said."""
        with self._patch.context() as patch:
            if not by_running:
                patch.setattr(farm, "local_farm", Mock(side_effect=AssertionError("it ran")))
            return set(batch(self.mini.course, MINI, Workers(jobs=1)).recorded)

    def penalty(self) -> float:
        with self.mini.gradebook() as gradebook:
            return float(gradebook.find_submission(MINI, STUDENT).late_submission_penalty)

    @contextmanager
    def gradebook(self) -> Iterator[Gradebook]:
        with self.mini.gradebook() as gradebook:
            yield gradebook
            gradebook.db.commit()

    def stamp(self, when: str) -> None:
        self.mini.notebook_path(STUDENT).with_name("timestamp.txt").write_text(when)

    def configure(self, line: str) -> None:
        with (self.mini.folder / "nbgrader_config.py").open("a") as file:
            file.write(line + "\n")


def handed_in_again(term: Term) -> None:
    term.mini.hand_in(OTHER, triple="def triple(x):\n    return 0 * x")
    assert term.recorded(by_running=True) == {OTHER}
    assert term.mini.scores()[OTHER] == 5.0
    term.stamp("2026-05-02 10:00 UTC")
    assert term.recorded() == {STUDENT}
    assert term.penalty() == 0.0


def a_check(term: Term) -> None:
    edit(term.mini.folder / "checks" / MINI / "check_double.py", "2 * x", "2.0 * x")
    assert term.recorded(by_running=True) == {STUDENT, OTHER}


def rules_of_lateness(term: Term) -> None:
    term.configure("c.PercentPerDay.percent = 20")
    assert term.recorded() == {STUDENT, OTHER}
    (term.mini.folder / "own_rule.py").write_text(
        "from nbgrader.plugins import LateSubmissionPlugin\n"
        "class Own(LateSubmissionPlugin):\n"
        "    def late_submission_penalty(self, student_id, score, total_seconds_late):\n"
        "        return 3.0\n"
    )
    assert term.recorded() == {STUDENT, OTHER}


def due_date(term: Term) -> None:
    with term.gradebook() as gradebook:
        gradebook.find_assignment(MINI).duedate = datetime(2026, 5, 1, 12, 0)
    assert term.recorded() == {STUDENT, OTHER}
    assert term.penalty() == 2.0
    with term.gradebook() as gradebook:
        gradebook.grant_extension(MINI, STUDENT, days=3)
    assert term.recorded() == {STUDENT}
    assert term.penalty() == 0.0
    with term.gradebook() as gradebook:
        gradebook.grant_extension(MINI, STUDENT)
    assert term.recorded() == {STUDENT}
    term.configure(f"c.PercentPerDay.extra_days = {{{STUDENT!r}: 1}}")
    assert term.recorded() == {STUDENT, OTHER}
    assert term.penalty() == 0.0
    term.configure("c.PercentPerDay.extra_days = {}")
    assert term.recorded() == {STUDENT, OTHER}
    path = term.mini.notebook_path(STUDENT).with_name("timestamp.txt")
    path.unlink()
    assert term.recorded() == {STUDENT}
    assert term.penalty() == 0.0
    term.stamp("2026-05-02 10:00 UTC")
    assert term.recorded() == {STUDENT}
    assert term.penalty() == 2.0


def by_hand(term: Term) -> None:
    with term.gradebook() as gradebook:
        grade = gradebook.find_grade("check_triple", MINI, MINI, STUDENT)
        grade.manual_score, grade.needs_manual_grade = 0.0, False
    assert term.recorded() == {STUDENT}
    assert term.penalty() == 1.0
    with term.gradebook() as gradebook:
        assert not gradebook.find_submission(MINI, STUDENT).needs_manual_grade
        gradebook.find_grade("check_double", MINI, MINI, OTHER).extra_credit = 1.0
    assert term.recorded() == {OTHER}


def a_solution(term: Term) -> None:
    edit(term.mini.folder / "source" / MINI / f"{MINI}.ipynb", "return 2 * x", "return x * 2")
    assert term.recorded(by_running=True) == {STUDENT, OTHER}


def the_release(term: Term) -> None:
    path = term.mini.folder / "release" / MINI / f"{MINI}.ipynb"
    edit(path, "import torch", "import torch, math")
    assert term.recorded(by_running=True) == {STUDENT, OTHER}


def torch_or_python(term: Term) -> None:
    """What `autograder doctor` says of it is tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograder.grading.identity.versions", lambda: {"torch": "another"})
        assert term.recorded(by_running=True) == {STUDENT, OTHER}
        assert term.recorded() == set()


CASES: dict[str, Callable[[Term], None]] = {
    "a student handed in again, or their `timestamp.txt` changed": handed_in_again,
    "a check or a limit": a_check,
    "the rules of lateness, or anything else in `nbgrader_config.py`": rules_of_lateness,
    "the due date, or the days granted to a student": due_date,
    "a score or extra credit given by hand": by_hand,
    "a solution or an expected tensor": a_solution,
    "the release": the_release,
    "torch or Python": torch_or_python,
}


def test_the_list_is_complete_and_each_of_its_lines_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert listed() == list(CASES)
    folder = make_course(tmp_path / "course", LATE)
    monkeypatch.chdir(folder)
    term = Term(MiniCourse(folder), monkeypatch)
    term.mini.hand_in(STUDENT)
    term.stamp("2026-05-02 09:00 UTC")
    term.mini.hand_in(OTHER)
    assert term.recorded(by_running=True) == {STUDENT, OTHER}
    for case in CASES.values():
        case(term)
        if case is not torch_or_python:
            assert term.recorded() == set()

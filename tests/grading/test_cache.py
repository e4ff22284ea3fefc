"""Verdicts kept under what they depend on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from mini import answer, mini_assignment

from autograder.course.assignments import Assignment, Course
from autograder.course.limits import Limits
from autograder.course.settings import Settings
from autograder.grading.cache import VerdictCache, pack, settled, unpack
from autograder.grading.grader import Grader
from autograder.grading.identity import Identity
from autograder.intake.submission import Repaired, repair
from autograder.nbgrader.preprocessors import GradeInBox
from autograder.results.model import Graded

SETTINGS = Settings(Limits(), trust_notebooks=False)


@pytest.fixture
def mini(tmp_path: Path) -> Assignment:
    return mini_assignment(tmp_path)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graded]:
    """A verdict whose notebook has text, a picture and an error."""
    assignment = mini_assignment(tmp_path_factory.mktemp("graded"))
    drawn = "import matplotlib.pyplot as plt\nprint('né')\nplt.plot([1, 2])\nplt.show()\n1 / 0"
    with Grader(assignment) as grader:
        yield grader.grade(
            answer(assignment, at_start=drawn, double="def double(x): return x"), "x"
        )


def test_a_verdict_and_its_notebook_come_back_as_they_went(graded: Graded) -> None:
    again = unpack(pack(graded))
    assert again == graded
    assert {output.output_type for output in again.notebook.cells[0].outputs} == {
        "stream",
        "display_data",
        "error",
    }


def test_what_is_kept_is_found_and_what_was_damaged_is_not(
    graded: Graded, mini: Assignment, tmp_path: Path
) -> None:
    identity = Identity.of(mini, SETTINGS)
    cache = VerdictCache.of(Course(tmp_path), identity)
    assert cache.get("key") is None
    cache.put("key", pack(graded))
    assert "key" in cache
    assert "other" not in cache
    assert cache.get("key") == graded
    [path] = (tmp_path / ".cache").rglob("key")
    path.write_bytes(path.read_bytes()[:-9])
    assert cache.get("key") is None


def test_verdicts_of_another_state_are_forgotten(graded: Graded, mini: Assignment) -> None:
    course = Course(mini.release_path.parents[2])
    before = VerdictCache.of(course, Identity.of(mini, SETTINGS))
    before.put("key", pack(graded))
    mini.check_file("double").write_text("")
    after = VerdictCache.of(course, Identity.of(mini, SETTINGS))
    assert "key" not in after
    after.forget_other_states()
    assert "key" not in before


@pytest.mark.parametrize(
    ("double", "keeps"),
    [("def double(x): return x", True), ("def double(x):\n    while True: pass", False)],
)
def test_a_verdict_that_a_limit_of_time_made_is_not_settled(
    mini: Assignment, double: str, keeps: bool
) -> None:
    with Grader(mini, Limits(cell_seconds=2, probe_seconds=1)) as grader:
        result = grader.grade(answer(mini, double=double), "x").result
    assert settled(result) is keeps


def test_a_verdict_is_not_kept_when_a_check_changed_meanwhile(
    graded: Graded, mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = Course(mini.release_path.parents[2])
    grader = Mock()
    monkeypatch.setattr("autograder.grading.warm.warm_grader", lambda identity, course: grader)
    repaired = repair(answer(mini), mini.release)

    def edit(repaired: Repaired, name: str) -> Graded:
        mini.check_file("double").write_text("")
        return graded

    for grade, kept in ((edit, 0), (lambda repaired, name: graded, 1)):
        grader.grade_repaired = grade
        assert GradeInBox()._graded(repaired, Identity.of(mini, SETTINGS), course, "x") == graded
        assert len([p for p in (course.root / ".cache").rglob("*") if p.is_file()]) == kept

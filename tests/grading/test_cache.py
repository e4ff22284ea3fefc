"""Verdicts kept under what they depend on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from mini import answer, mini_assignment, write_source

from autograder.course.assignments import Assignment, Course
from autograder.course.limits import Limits
from autograder.course.settings import Settings
from autograder.grading.cache import VerdictCache, pack, settled, unpack
from autograder.grading.grader import Grader
from autograder.grading.identity import Identity
from autograder.intake.submission import repair
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
    cache = VerdictCache(Course(tmp_path), identity)
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
    before = VerdictCache(course, Identity.of(mini, SETTINGS))
    before.put("key", pack(graded))
    mini.check_file("double").write_text("")
    after = VerdictCache(course, Identity.of(mini, SETTINGS))
    assert "key" not in after
    after.forget_other_states()
    assert "key" not in before


def test_all_that_a_verdict_depends_on_is_part_of_its_identity(
    mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def state(settings: Settings = SETTINGS) -> str:
        return Identity.of(mini, settings).state

    states = [state(), state(replace(SETTINGS, limits=Limits(cell_seconds=1.0)))]
    states.append(state(replace(SETTINGS, no_follow_through=("mini",))))
    write_source(mini)
    states.append(state())
    (mini.release_path.parent / "data.csv").write_text("1")
    states.append(state())
    expected = mini.expected_file("double")
    expected.parent.mkdir()
    expected.write_bytes(b"tensor")
    states.append(state())
    misconceptions = mini.misconceptions_file("double")
    misconceptions.parent.mkdir()
    misconceptions.write_text("# one more")
    states.append(state())
    monkeypatch.setattr("autograder.grading.identity.versions", lambda: "torch 1.0")
    states.append(state())
    assert len(set(states)) == len(states)
    assert state() == states[-1]


def test_submissions_with_the_same_cells_and_flags_share_a_verdict(mini: Assignment) -> None:
    identity = Identity.of(mini, SETTINGS)
    first, second = answer(mini), answer(mini)
    second.metadata["title"] = "another"
    second.cells[0].outputs = []
    assert identity.of_content(repair(first, mini.release)) == identity.of_content(
        repair(second, mini.release)
    )
    other = answer(mini, double="def double(x): return x + x")
    edited = answer(mini)
    edited.cells[0].source += "\nimport os"
    keys = {identity.of_content(repair(one, mini.release)) for one in (first, other, edited)}
    assert len(keys) == 3


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

"""An earlier mistake costs only its own points."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import second_runs
from mini import answer, mini_assignment, write_source
from second_runs import FIVE, LIMITS, RESTS, WRONG, scores, wrong_of

from autograder import helper
from autograder.course.assignments import Assignment, Course, Question
from autograder.course.limits import Limits
from autograder.course.settings import read_settings
from autograder.errors import NotDone
from autograder.grading.dependencies import Dependencies
from autograder.grading.follow_through import FollowThrough
from autograder.grading.grader import Grader
from autograder.grading.readiness import ready_grader
from autograder.grading.verdicts import Verdicts
from autograder.results.model import CheckResult, QuestionResult
from autograder.results.text import question_text

mini, grader = second_runs.mini, second_runs.grader  # fixtures


def test_a_right_answer_on_a_wrong_one_keeps_its_points(grader: Grader, mini: Assignment) -> None:
    graded = grader.grade(answer(mini, double=WRONG, triple=RESTS), "x")
    assert scores(graded) == {"double": 0.0, "triple": FIVE}
    verdict = graded.result.question("triple")
    assert (verdict.status, verdict.follow_through) == ("ok", ["double"])
    assert "instructor's answer to `double`" in question_text(verdict)
    assert [check.message for check in verdict.checks] == ["", ""]


@pytest.mark.parametrize(
    "broken",
    [
        "def double(x):\n    raise NotImplementedError()",
        "def double(x):\n    while True: pass",
        "import os\ndef double(x):\n    os._exit(0)",
        "def double(",
        "1 / 0",
        "double = None",
    ],
)
def test_whatever_became_of_the_earlier_answer(
    broken: str, grader: Grader, mini: Assignment
) -> None:
    graded = grader.grade(answer(mini, double=broken, triple=RESTS), "x")
    assert scores(graded) == {"double": 0.0, "triple": FIVE}


def test_a_wrong_answer_on_a_wrong_one_stays_wrong(grader: Grader, mini: Assignment) -> None:
    twice_wrong = "def triple(x):\n    return double(x)"
    verdict = grader.grade(answer(mini, double=WRONG, triple=twice_wrong), "x").result
    assert verdict.question("triple").score == 0.0
    assert verdict.question("triple").follow_through == ["double"]


def test_a_question_that_rests_on_nothing_wrong_is_judged_once(
    grader: Grader, mini: Assignment
) -> None:
    wrong = "def triple(x):\n    return 4 * x"
    result = grader.grade(answer(mini, triple=wrong), "x").result
    assert result.question("triple").follow_through == []
    unanswered = "def triple(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
    result = grader.grade(answer(mini, double=WRONG, triple=unanswered), "x").result
    assert result.question("triple").follow_through == []
    assert result.question("triple").status == "unanswered"


def test_points_earned_the_first_time_are_never_lost(grader: Grader, mini: Assignment) -> None:
    only_with_the_wrong_one = (
        "def triple(x):\n    return 3 * x if bool((double(x) == x).all()) or x.sum() > 0 else x"
    )
    graded = grader.grade(answer(mini, double=WRONG, triple=only_with_the_wrong_one), "x")
    assert scores(graded) == {"double": 0.0, "triple": FIVE}


def test_an_own_mistake_costs_what_it_costs_alone(grader: Grader, mini: Assignment) -> None:
    half = "def triple(x):\n    return double(x) + x if bool((x >= 0).all()) else x"
    alone = grader.grade(answer(mini, triple=half), "x").result.question("triple")
    assert 0 < alone.score < FIVE
    verdict = grader.grade(answer(mini, double=WRONG, triple=half), "x").result.question("triple")
    assert (verdict.score, verdict.status) == (alone.score, "wrong")
    assert verdict.follow_through == ["double"]
    assert [c.passed for c in verdict.checks] == [c.passed for c in alone.checks]
    assert verdict.score == sum(check.points for check in verdict.checks if check.passed)


def test_a_second_version_beside_right_earlier_answers_counts_only_if_it_is_right(
    grader: Grader, mini: Assignment
) -> None:
    """Else each answer would be two guesses, of which either could win a check."""
    mine = "def double(x):\n    'mine'\n    return 2 * x"
    guesses = (
        "def triple(x):\n    mine = double.__doc__ == 'mine'\n"
        "    return 3 * x if (x.sum() < 0) == mine else x"
    )
    alone = grader.grade(answer(mini, double=mine, triple=guesses), "x").result
    assert alone.question("double").score == FIVE
    assert 0 < alone.question("triple").score < FIVE
    assert alone.question("triple").follow_through == []


def test_the_students_own_answer_may_rest_on_more_than_the_instructors(tmp_path: Path) -> None:
    assignment = mini_assignment(tmp_path)
    write_source(assignment)
    with Grader(assignment, LIMITS) as own:
        graded = own.grade(answer(assignment, double=WRONG, triple=RESTS), "x")
    assert scores(graded) == {"double": 0.0, "triple": FIVE}
    assert graded.result.question("triple").follow_through == ["double"]


def test_second_runs_have_no_time_of_their_own(mini: Assignment) -> None:
    """The cell takes three seconds, there are four, and a third of them more."""
    slow = f"import time\ntime.sleep(3)\n{RESTS}"
    limits = Limits(cell_seconds=9, probe_seconds=9, submission_seconds=4)
    with Grader(mini, limits) as brief:
        verdict = brief.grade(answer(mini, double=WRONG, triple=slow), "x").result.question(
            "triple"
        )
    assert (verdict.score, verdict.follow_through) == (0.0, ["double"])


def test_what_has_no_time_left_is_told_as_what_ran_out_of_time(mini: Assignment) -> None:
    right = Dependencies(mini, mini.solved)
    follow = FollowThrough(right, right.of(answer(mini, double=WRONG, triple=RESTS)))
    failed = CheckResult("values", "It holds.", FIVE, False, "0.5 is far from 1.5.", "wrong")
    first = replace(wrong_of("triple"), checks=[failed])
    verdicts = {"double": wrong_of("double"), "triple": first}
    ran = []

    def judged_in(question: Question, cells: object) -> QuestionResult:
        ran.append(cells)
        late = replace(failed, message="It took too long.", status="timeout")
        return replace(first, status="timeout", checks=[late])

    question = mini.question("triple")
    over = follow.verdict(question, verdicts, judged_in, until=time.monotonic() - 1)
    assert not ran
    assert over == follow.verdict(question, verdicts, judged_in)
    assert len(ran) == 1
    assert (over.score, over.follow_through) == (0.0, ["double"])
    assert "1.5" not in over.checks[0].message


def test_cells_are_read_for_second_runs_in_their_time(
    mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 10_000, 3))
    monkeypatch.setattr(
        "autograder.grading.follow_through.time", SimpleNamespace(monotonic=clock.__next__)
    )
    given: list[float] = []

    def late(self: helper.Allowance, *_: object) -> None:
        given.append(self._left)
        raise NotDone("it took too long")

    right = Dependencies(mini, mini.solved)
    students = right.of(answer(mini, double=WRONG, triple=RESTS))
    assert students.earlier_questions("triple") == ["double"]
    assert right.earlier_questions("triple") == ["double"]
    monkeypatch.setattr(helper.Allowance, "run", late)
    verdicts = {"double": wrong_of("double"), "triple": wrong_of("triple")}
    follow = FollowThrough(right, students)
    follow.verdict(mini.question("triple"), verdicts, lambda *_: wrong_of("triple"), until=2)
    assert given
    assert set(given) == {2}


def test_places_of_mistakes_are_looked_for_before_second_runs(
    mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what runs beside the instructor's answer could leave no time for it."""
    order: list[str] = []

    def noting(kind: type, name: str) -> None:
        own = getattr(kind, name)

        def noted(*given: Any) -> Any:
            order.append(name)
            return own(*given)

        monkeypatch.setattr(kind, name, noted)

    noting(Verdicts, "_place")
    noting(FollowThrough, "verdict")
    with Grader(mini, replace(LIMITS, search_seconds=1)) as own:
        own.grade(answer(mini, double="def double(x):\n    return 3 * x", triple=RESTS), "x")
    assert order == ["_place", "verdict", "verdict"]


def test_the_course_can_switch_it_off(mini: Assignment, tmp_path: Path) -> None:
    (tmp_path / "nbgrader_config.py").write_text(
        'c = get_config()\nc.GradeInBox.no_follow_through = ["mini"]\n'
    )
    settings = read_settings(tmp_path)
    with ready_grader(Course(tmp_path), mini, settings) as grader:
        graded = grader.grade(answer(mini, double=WRONG, triple=RESTS), "x")
    assert scores(graded) == {"double": 0.0, "triple": 0.0}


def test_a_course_without_sources_grades_as_well(tmp_path: Path) -> None:
    assignment = mini_assignment(tmp_path)
    with Grader(assignment, LIMITS) as grader:
        graded = grader.grade(answer(assignment, double=WRONG, triple=RESTS), "x")
    assert scores(graded) == {"double": 0.0, "triple": 0.0}

"""A check that does not end costs its own points, not the class its grader."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from mini import answer, mini_assignment, write_source

from autograder.errors import Ungraded
from autograder.grading.grader import Grader
from autograder.grading.patience import Patience, TookTooLong

LOOKS_ON = """
    while float(student.run(run, x=x)["y"].sum()) {}:
        x = x.clone()
        while float(x.sum()) != 1.0:
            pass
    expect_close("""

TRACED = """
import sys
from autograder.grading.patience import Patience

with Patience(60).with_this_thread():
    pass
sys.settrace(lambda *_: None)  # as a debugger does, and what measures coverage
sum(int(number) for number in range(1000))
"""


def test_a_thread_looks_at_its_own_clock_when_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(clock: int) -> float:
        raise AssertionError("asked by its id, which may take longer than the check")

    monkeypatch.setattr("autograder.grading.patience.time.clock_gettime", never)
    with Patience(60).with_this_thread():
        pass


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.grading.judge.CHECK_SECONDS", 0.3)


def grader(folder: Path, condition: str) -> Grader:
    """Of checks whose first one goes on without end where that holds of the sum of its reply."""
    assignment = mini_assignment(folder)
    write_source(assignment)
    path = assignment.checks / "check_double.py"
    text = path.read_text()
    path.write_text(text.replace("\n    expect_close(", LOOKS_ON.format(condition), 1))
    return Grader(assignment)


@pytest.mark.usefixtures("hasty")
def test_a_check_that_does_not_end_over_a_reply_fails(tmp_path: Path) -> None:
    with grader(tmp_path, "!= 6.0") as made:
        wrong = answer(made.assignment, double="def double(x):\n    return 3 * x.abs()")
        double, triple = made.grade(wrong, "wrong").result.questions
        right = made.grade(answer(made.assignment), "right").result
    assert [check.passed for check in double.checks] == [False, False]
    assert "of a kind that cannot be judged here" in double.checks[0].message
    assert triple.score == triple.max_score
    assert right.score == right.max_score


@pytest.mark.usefixtures("hasty")
def test_a_check_that_does_not_end_over_the_solution_is_broken(tmp_path: Path) -> None:
    with (
        grader(tmp_path, "== 6.0") as made,
        pytest.raises(Ungraded, match="values of double is broken: TookTooLong"),
    ):
        made.grade(answer(made.assignment), "right")


def test_who_waits_is_not_hurried() -> None:
    patience = Patience(0.1)
    for _ in range(2):
        with patience.with_this_thread():
            time.sleep(0.4)
        with pytest.raises(TookTooLong), patience.with_this_thread():
            sum(number for number in itertools.count())


def test_what_is_judged_can_be_debugged() -> None:
    subprocess.run([sys.executable, "-c", TRACED], check=True, timeout=60)


def test_what_comes_up_late_comes_up_nowhere_else() -> None:
    patience = Patience(0.0)
    for _ in range(3):
        with suppress(TookTooLong), patience.with_this_thread():
            time.sleep(1.2)  # one call, in which nothing comes up
        assert sum(range(1000)) == 499500
    deadline = time.monotonic() + 1.5
    while time.monotonic() < deadline:
        pass

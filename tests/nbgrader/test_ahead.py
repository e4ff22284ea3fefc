"""`nbgrader autograde` grades the next submission while it records one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from mini_course import MINI, MiniCourse, edit, make_course
from nbformat import NotebookNode

from autograder.course.settings import read_config
from autograder.grading.ahead import LookAhead
from autograder.grading.grader import Grader
from autograder.intake.submission import Repaired
from autograder.nbgrader.running import nbgrader_api
from autograder.results.model import Graded, SubmissionResult

WRONG = "def triple(x):\n    return 4 * x"
HANGS = "def triple(x):\n    while True: pass"
SOON = "c.Execute.timeout = 2\nc.GradeInBox.limits = {'probe_seconds': 2}\n"


class Course:
    """A small course whose submissions this process grades; notes who was graded, and where."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.mini = MiniCourse(make_course(folder))
        self.beside: list[bool] = []
        graded = Grader.grade_repaired

        def noted(grader: Grader, repaired: Repaired, name: str) -> Graded:
            if "student = " in str(repaired.notebook.cells):  # not the solution
                self.beside.append(threading.current_thread() is not threading.main_thread())
            return graded(grader, repaired, name)

        monkeypatch.setattr(Grader, "grade_repaired", noted)

    def autograde(self, *, force: bool = False) -> str:
        root = self.mini.folder
        found = nbgrader_api(read_config(root), root).autograde(MINI, "*", force=force)
        return str(found["log"])


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    return Course(tmp_path / "course", monkeypatch)


def test_each_submission_is_graded_once_and_all_but_the_first_ahead(course: Course) -> None:
    for student, answer in {"demo-a": {}, "demo-b": {"triple": WRONG}, "demo-c": {}}.items():
        course.mini.hand_in(student, **answer)
    course.autograde()
    assert course.beside == [False, True, True]
    assert course.mini.scores() == {"demo-a": 10.0, "demo-b": 5.0, "demo-c": 10.0}
    assert [course.mini.result(f"demo-{x}").submission for x in "abc"] == [
        f"demo-{x}/{MINI}" for x in "abc"
    ]

    course.autograde()  # nobody waits
    assert len(course.beside) == 3
    course.autograde(force=True)  # all verdicts are kept
    assert len(course.beside) == 3


def test_what_another_run_might_change_is_graded_once_as_well(course: Course) -> None:
    with (course.mini.folder / "nbgrader_config.py").open("a") as configuration:
        configuration.write(SOON)
    course.mini.hand_in("demo-a")
    course.mini.hand_in("demo-b", triple=HANGS)
    course.mini.hand_in("demo-c")
    course.autograde()
    assert course.beside == [False, True, True]
    assert course.mini.result("demo-b").question("triple").status == "timeout"


def test_a_submission_that_is_refused_is_passed_over(course: Course) -> None:
    course.mini.hand_in("demo-a")
    course.mini.notebook_path("demo-b").parent.mkdir(parents=True)
    course.mini.notebook_path("demo-b").write_text("this is no notebook")
    course.mini.hand_in("demo-c", triple=WRONG)
    assert "mini.ipynb is not a Jupyter notebook" in course.autograde()
    assert course.beside == [False, True]
    assert course.mini.scores() == {"demo-a": 10.0, "demo-c": 5.0}


def test_a_check_that_changes_meanwhile_counts(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    course.mini.hand_in("demo-a")
    course.mini.hand_in("demo-b", triple=WRONG)
    begin = LookAhead.begin
    checks = course.mini.folder / "checks" / MINI / "check_triple.py"

    def changed(ahead: LookAhead, key: str, work: Callable[[], Graded]) -> None:
        begin(ahead, key, work)
        edit(checks, "points(2)", "points(2.5)")
        edit(checks, "points(3)", "points(2.5)")

    monkeypatch.setattr(LookAhead, "begin", changed)
    course.autograde()
    assert course.beside == [False, True, False]
    points = [check.points for check in course.mini.result("demo-b").question("triple").checks]
    assert points == [2.5, 2.5]


def test_what_work_ahead_raises_is_left_to_who_does_it_again() -> None:
    ahead = LookAhead()
    assert ahead.take("key") is None

    def fails() -> Graded:
        raise OSError("no box")

    ahead.begin("key", fails)
    assert ahead.take("key") is None


def test_as_many_as_are_asked_for_are_begun_each_once_and_told_by_their_keys() -> None:
    ahead, may_end, begun = LookAhead(), threading.Event(), list[str]()
    interval = sys.getswitchinterval()

    def begin(key: str) -> None:
        def waits() -> Graded:
            begun.append(key)
            may_end.wait()
            return Graded(ungraded_named(key), NotebookNode())

        ahead.begin(key, waits)

    def taken(key: str) -> str | None:
        graded = ahead.take(key)
        return graded and graded.result.submission

    for key in ("one", "one", "two", "three"):
        begin(key)
    assert ahead.begun_after("one") == 1
    may_end.set()
    assert taken("one") == "one"
    assert ahead.begun_after("two") == 0
    begin("three")
    assert [taken("two"), taken("three"), taken("four")] == ["two", "three", None]
    assert sorted(begun) == ["one", "three", "two"]
    assert sys.getswitchinterval() == interval


def test_who_asks_for_another_begins_anew() -> None:
    ahead = LookAhead()
    interval = sys.getswitchinterval()
    for key in ("one", "two"):
        ahead.begin(key, lambda: Graded(ungraded_named("one"), NotebookNode()))
    assert ahead.take("other") is None
    assert ahead.begun_after("one") == 0
    assert sys.getswitchinterval() == interval


def ungraded_named(name: str) -> SubmissionResult:
    return SubmissionResult("a", name, "ungraded", 0.0, 0.0, "none", 0.0, [], [])

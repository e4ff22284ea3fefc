"""`autograder batch`: a whole class graded in parallel, recorded, and never run twice."""

from __future__ import annotations

import shutil
from unittest.mock import Mock

import mini_batch
import nbformat
import pytest
from mini_batch import TWO
from mini_course import MINI, MiniCourse, edit

from autograder.batch import run
from autograder.batch.run import Workers, batch
from autograder.farm import local as farm

TRIPLE = "def triple(x):\n    return x * 3"
HANGING = "def double(x):\n    while True:\n        pass"
template, mini = mini_batch.template, mini_batch.mini  # fixtures


def test_who_hands_in_anew_while_a_kept_verdict_is_recorded_is_recorded_too(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini.hand_in("demo-a")
    batch(mini.course, MINI, TWO)
    shutil.rmtree(mini.folder / "autograded")  # so that what the cache keeps is recorded again
    grade = run.Run._grade

    def late(self: run.Run, workers: Workers) -> None:
        assert self.kept == ["demo-a"]
        mini.hand_in("demo-a", triple="def triple(x):\n    return 4 * x")
        grade(self, workers)

    monkeypatch.setattr(run.Run, "_grade", late)
    assert batch(mini.course, MINI, TWO).recorded == ["demo-a"]
    assert mini.scores() == {"demo-a": 5.0}


def test_a_class_is_graded_once_and_again_only_where_something_changed(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini.hand_in("demo-right")
    mini.hand_in("demo-wrong", triple="def triple(x):\n    return 4 * x")
    mini.hand_in("demo-clock", added="import time\ntime.time_ns()")
    assert len(batch(mini.course, MINI, TWO).recorded) == 3
    assert mini.scores() == {"demo-right": 10.0, "demo-wrong": 5.0, "demo-clock": 10.0}
    assert mini.result("demo-wrong").question("triple").status == "wrong"
    assert mini.result("demo-wrong").submission == f"demo-wrong/{MINI}"

    with monkeypatch.context() as patch:
        patch.setattr(farm, "local_farm", Mock(side_effect=AssertionError("nothing may run")))
        again = batch(mini.course, MINI, TWO)
    assert (again.recorded, sorted(again.unchanged)) == ([], sorted(mini.scores()))

    mini.hand_in("demo-wrong", triple=TRIPLE)
    once_more = batch(mini.course, MINI, TWO)
    assert (once_more.recorded, len(once_more.unchanged)) == (["demo-wrong"], 2)
    assert mini.scores()["demo-wrong"] == 10.0

    edit(mini.folder / "checks" / MINI / "check_double.py", "points(2)", "points(1)")
    edit(mini.folder / "checks" / MINI / "check_double.py", "points(3)", "points(4)")
    stamp = _clock(mini)
    assert len(batch(mini.course, MINI, TWO).recorded) == 3
    assert mini.result("demo-right").question("double").checks[0].points == 4.0
    assert _clock(mini) != stamp

    stamp = _clock(mini)
    assert len(batch(mini.course, MINI, TWO, fresh=True).recorded) == 3
    assert _clock(mini) != stamp


def _clock(mini: MiniCourse) -> str:
    """What the cell that tells the time said when it ran."""
    notebook = nbformat.read(mini.notebook_path("demo-clock", "autograded"), as_version=4)
    return str(notebook.cells[-1].outputs[0].data["text/plain"])


def test_recording_takes_the_notebook_that_ran_on_the_worker(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini.hand_in("demo-clock", added="import time\ntime.time_ns()")
    mini.hand_in("demo-hangs", double=HANGING)
    edit(mini.folder / "nbgrader_config.py", "c.Execute.timeout = 20", "c.Execute.timeout = 2")
    monkeypatch.setattr("autograder.grading.warm.ready_grader", Mock(side_effect=AssertionError))
    assert len(batch(mini.course, MINI, TWO).recorded) == 2
    assert mini.result("demo-hangs").question("double").status == "timeout"
    stamp = _clock(mini)

    mini.notebook_path("demo-clock").with_name("timestamp.txt").write_text("2026-05-01 10:00 UTC")
    assert batch(mini.course, MINI, TWO).recorded == ["demo-clock"]
    assert _clock(mini) == stamp
    with mini.gradebook() as gradebook:
        assert gradebook.find_submission(MINI, "demo-clock").timestamp.month == 5


def test_what_was_lost_is_recorded_again_without_running(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini.hand_in("demo-right")
    batch(mini.course, MINI, TWO)
    first = mini.result("demo-right")
    monkeypatch.setattr(farm, "local_farm", Mock(side_effect=AssertionError("nothing may run")))

    with mini.gradebook() as gradebook:
        gradebook.remove_submission(MINI, "demo-right")
    assert batch(mini.course, MINI, TWO).recorded == ["demo-right"]
    shutil.rmtree(mini.folder / "autograded")
    assert batch(mini.course, MINI, TWO).recorded == ["demo-right"]
    assert mini.result("demo-right") == first
    assert mini.scores() == {"demo-right": 10.0}
    shutil.rmtree(mini.folder / ".cache" / "graded")
    assert batch(mini.course, MINI, TWO).unchanged == ["demo-right"]


def test_a_manual_score_and_comment_survive_and_are_flagged(mini: MiniCourse) -> None:
    mini.hand_in("demo-right", triple="def triple(x):\n    return 4 * x")
    mini.hand_in("demo-other")
    batch(mini.course, MINI, TWO)
    with mini.gradebook() as gradebook:
        grade = gradebook.find_grade("check_triple", MINI, MINI, "demo-right")
        grade.manual_score, grade.needs_manual_grade = 4.0, False
        gradebook.find_comment("triple", MINI, MINI, "demo-right").manual_comment = "nearly"
        gradebook.db.commit()

    assert batch(mini.course, MINI, TWO).recorded == ["demo-right"]
    assert batch(mini.course, MINI, TWO).recorded == []
    with mini.gradebook() as gradebook:
        assert not gradebook.find_submission(MINI, "demo-right").needs_manual_grade

    mini.hand_in("demo-right", triple=TRIPLE)
    assert batch(mini.course, MINI, TWO).recorded == ["demo-right"]
    with mini.gradebook() as gradebook:
        grade = gradebook.find_grade("check_triple", MINI, MINI, "demo-right")
        assert (grade.auto_score, grade.manual_score, grade.needs_manual_grade) == (5.0, 4.0, True)
        comment = gradebook.find_comment("triple", MINI, MINI, "demo-right")
        assert comment.manual_comment == "nearly"
        assert not gradebook.find_submission(MINI, "demo-other").needs_manual_grade

"""A process that lives long keeps one grader for each assignment, however often that is edited."""

from __future__ import annotations

import atexit
import gc
import weakref
from pathlib import Path
from typing import Any, cast

import pytest
from mini import mini_assignment

from autograder.course.assignments import Course
from autograder.course.limits import Limits
from autograder.course.settings import Settings
from autograder.grading import warm
from autograder.grading.identity import Identity


class Closable:
    """A grader, as far as it is kept."""

    def __init__(self, *given: Any) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


def test_a_grader_whose_state_is_past_is_closed_and_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "ready_grader", Closable)
    assignment, settings = mini_assignment(tmp_path), Settings(Limits(), trust_notebooks=False)
    course = Course(tmp_path)
    graders: list[Closable] = []
    for state in ("first", "second", "second", "third"):
        found = warm.warm_grader(Identity(assignment, settings, state), course)
        graders.append(cast(Closable, found))
    assert [one.closed for one in graders] == [True, True, True, False]
    assert graders[1] is graders[2]
    atexit.unregister(graders[-1].close)
    warm._graders.clear()
    held = [weakref.ref(one) for one in graders]
    graders.clear()
    del found
    gc.collect()
    assert not any(one() for one in held)

"""An emptied time stamp is as one that was deleted: nothing is late by it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import mini_batch
import pytest
from mini_batch import TWO
from mini_course import MINI, MiniCourse
from warm_commands import run_module

from autograder.batch.run import batch

template, mini = mini_batch.template, mini_batch.mini  # fixtures


def regrade_by_batch(mini: MiniCourse) -> None:
    batch(mini.course, MINI, TWO)


def regrade_by_nbgrader(mini: MiniCourse) -> None:
    done = run_module("nbgrader", "autograde", MINI, "--force", folder=mini.folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("regrade", [regrade_by_batch, regrade_by_nbgrader])
@pytest.mark.parametrize("emptied", ["", " \n", "\ufeff\n"])
def test_an_emptied_time_stamp_takes_the_time_back(
    regrade: Callable[[MiniCourse], None], emptied: str, mini: MiniCourse
) -> None:
    stamp = mini.hand_in("demo-late").with_name("timestamp.txt")
    stamp.write_text("2026-11-06 10:00:00 UTC")
    batch(mini.course, MINI, TWO)
    assert time_of(mini) == datetime(2026, 11, 6, 10)
    stamp.write_text(emptied, encoding="utf-8")
    regrade(mini)
    assert time_of(mini) is None


def time_of(mini: MiniCourse) -> datetime | None:
    with mini.gradebook() as gradebook:
        found: datetime | None = gradebook.find_submission(MINI, "demo-late").timestamp
        return found

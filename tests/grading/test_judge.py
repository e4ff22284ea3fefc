"""The checks in some files, run by pytest in the grader's own process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
import torch

from autograder.checking import Expected, Reply, Student
from autograder.grading.check_package import CheckPackage
from autograder.grading.findings import Findings
from autograder.grading.judge import Judge

CHECKS = """
import torch
from autograder.checking import expect_close, points


@points(1)
def check_first(student):
    expect_close(student.run(None), "y", torch.arange(3.0))


@points(1)
def check_second(student):
    expect_close(student.run(None), "y", torch.arange(3.0))
"""


class Answering:
    """A student whose answer is `factor` times the right one, after `first` was done."""

    def __init__(self, factor: float, first: Callable[[], object] = lambda: None) -> None:
        self._reply = Reply.of({"y": factor * torch.arange(3.0)})
        self._first = first

    def run(self, probe: Any, **inputs: Any) -> Reply:
        self._first()
        return self._reply


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    file = tmp_path / "check_range.py"
    file.write_text(CHECKS)
    return Judge([file], CheckPackage(tmp_path))


def findings(judge: Judge, student: Answering) -> Findings:
    return judge.findings("range", cast(Student, student), lambda slug: Expected({}))


def told(found: Findings) -> list[tuple[bool, int]]:
    return [(check.passed, len(found.compared[check.name])) for check in found.checks]


def test_threads_that_judge_at_a_time_are_told_of_their_own_student(judge: Judge) -> None:
    wrong: list[Findings] = []
    other = threading.Thread(target=lambda: wrong.append(findings(judge, Answering(2.0))))

    def meanwhile() -> None:
        if other.ident is None:
            other.start()
            other.join(timeout=0.5)  # as long as it can do without this thread

    right = findings(judge, Answering(1.0, meanwhile))
    other.join()
    assert told(right) == [(True, 1), (True, 1)]
    assert told(wrong[0]) == [(False, 1), (False, 1)]

"""The checks in some files, run by pytest in the grader's own process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
import torch

from autograder.checking import Expected, Reply, Student
from autograder.errors import Ungraded
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


BATTERY = """
from dataclasses import replace
from autograder.checking import Battery, Domain, points

domain = Domain("mean", {"n": 3, "m": 4}, {"x": "n m"}, {"y": "n"})
battery = Battery(domain, values=2, sizes=1)
"""
OF_ROWS = "Battery(replace(domain, part='{}', inputs={{'x': 'm'}}, returns={{'y': ''}}), values=2)"
OWN = "@points(1)\ndef check_{}(student):\n    pass"


@pytest.mark.parametrize(
    ("clashes", "has_a_name"),
    [
        (f"of_rows = {OF_ROWS.format('')}", f"of_rows = {OF_ROWS.format('rows')}"),
        (OWN.format("sizes"), OWN.format("other_sizes")),
    ],
)
def test_no_check_of_a_battery_hides_another(tmp_path: Path, clashes: str, has_a_name: str) -> None:
    file = tmp_path / "check_mean.py"
    file.write_text(BATTERY + clashes)
    with pytest.raises(Ungraded, match=r"cannot be imported: .* has a check `check_\w+`, and so"):
        Judge([file], CheckPackage(tmp_path))
    file.write_text(BATTERY + has_a_name)
    Judge([file], CheckPackage(tmp_path))


def test_a_check_file_may_be_asked_for_twice_and_name_its_battery_twice(tmp_path: Path) -> None:
    file = tmp_path / "check_mean.py"
    file.write_text(BATTERY + "main = battery")
    package = CheckPackage(tmp_path)
    first = vars(package.module(file))["check_values"]
    assert vars(package.module(file))["check_values"] is first

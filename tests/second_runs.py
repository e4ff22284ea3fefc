"""A tiny assignment whose second question rests on the first, and a warm grader for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mini import mini_assignment, write_source

from autograder.course.assignments import Assignment
from autograder.course.limits import Limits
from autograder.grading.grader import Grader
from autograder.results.model import Graded, QuestionResult

LIMITS = Limits(cell_seconds=2, probe_seconds=2, submission_seconds=20)
SECRET = "two_hundred_and_two"
RESTS = "def triple(x):\n    return double(x) + x"
WRONG = "def double(x):\n    return x"
FIVE = 5.0


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    assignment = mini_assignment(tmp_path_factory.mktemp("course"))
    double = f"def double(x):\n    {SECRET} = 2 * x\n    return {SECRET}"
    write_source(assignment, double=double, triple=RESTS)
    return assignment


@pytest.fixture(scope="module")
def grader(mini: Assignment) -> Iterator[Grader]:
    with Grader(mini, LIMITS) as warm:
        yield warm


def scores(graded: Graded) -> dict[str, float]:
    return {question.slug: question.score for question in graded.result.questions}


def wrong_of(slug: str) -> QuestionResult:
    return QuestionResult(slug, "wrong", 0.0, FIVE)

"""Of two verdicts on one answer that is kept which gives, and knows, more."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import ROOT

from autograder.authoring.notebooks import told_in
from autograder.checking.misconceptions import misconceptions
from autograder.course.assignments import Course
from autograder.course.limits import Limits
from autograder.grading.alone import better
from autograder.grading.grader import Grader
from autograder.results.model import CheckResult, Diagnosis, QuestionResult

NAMED = Diagnosis("misconception", "doubled_twice", "You double twice.")
SEEN = Diagnosis("kind", "forgets", "It remembers.")


def verdict(score: float, diagnosis: Diagnosis | None = None) -> QuestionResult:
    status = "ok" if score == 2 else "wrong"
    checks = [
        CheckResult("values", "Right values.", 1, passed=score == 2, diagnosis=diagnosis),
        CheckResult("care", "Nothing kept.", 1, passed=score > 0),
    ]
    return QuestionResult("double", status, score, 2, checks)


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        (verdict(1), verdict(2), 2),
        (verdict(2), verdict(1, NAMED), 1),
        (verdict(0, NAMED), verdict(1), 2),
        (verdict(1), verdict(1), 1),
        (verdict(1), verdict(1, SEEN), 2),
        (verdict(1, SEEN), verdict(1, NAMED), 2),
        (verdict(1, NAMED), verdict(1, SEEN), 1),
        (verdict(1), replace(verdict(1, NAMED), status="error"), 1),
    ],
)
def test_points_come_before_what_is_known(
    first: QuestionResult, second: QuestionResult, kept: int
) -> None:
    assert better(first, second) is (first, second)[kept - 1]


def test_what_an_answer_keeps_of_the_notebooks_own_calls_hides_no_name() -> None:
    assignment = Course(ROOT).assignment_with_checks("a3_seq2seq_reversal")
    slug, name = "cross_attention", "weights_of_earlier_calls_too"
    (one,) = (one for one in misconceptions(assignment, slug) if one.name == name)
    with Grader(assignment, Limits(), follows_through=False) as grader:
        assert told_in(grader, assignment.question(slug), one, "as the solution") == {name}

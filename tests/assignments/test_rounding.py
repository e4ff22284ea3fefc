"""How scores are rounded on their way decides no check, in whichever question they are used."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest
from conftest import IDS

from autograder.authoring.strength import LIMITS
from autograder.course.assignments import Course
from autograder.course.cells import is_solution
from autograder.grading.grader import Grader

SCORES = "q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])"
ROUNDED = {
    "queries first": "(q * q.shape[-1] ** -0.5) @ k.transpose(-2, -1)",
    "keys first": "q @ (k / math.sqrt(q.shape[-1])).transpose(-2, -1)",
    "both": "(q * q.shape[-1] ** -0.25) @ (k * q.shape[-1] ** -0.25).transpose(-2, -1)",
}


@pytest.fixture(scope="module", params=IDS[:5])
def grader(request: pytest.FixtureRequest, course: Course) -> Iterator[Grader]:
    with Grader(course.assignment(request.param), LIMITS, follows_through=False) as warm:
        yield warm


@pytest.mark.parametrize("how", ROUNDED)
def test_no_question_rests_on_how_scores_are_rounded(how: str, grader: Grader) -> None:
    notebook = copy.deepcopy(grader.assignment.solved)
    answers = [cell for cell in notebook.cells if is_solution(cell) and SCORES in cell.source]
    assert answers
    for cell in answers:
        cell.source = cell.source.replace(SCORES, ROUNDED[how])
    questions = grader.grade(notebook, how).result.questions
    assert [(q.slug, c.name) for q in questions for c in q.checks if not c.passed] == []

"""The checks of every assignment are strong: a short run of what `make mutants` does at length."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import IDS, RULED, GraderOf, read_sample, samples

from autograder.authoring.mutants import NAMED_RATE, out_of_band
from autograder.authoring.mutations.kinds import KINDS
from autograder.authoring.notebooks import STYLES, told_in
from autograder.authoring.strength import LIMITS, try_out, wrong_answers
from autograder.checking.misconceptions import misconceptions
from autograder.course.assignments import Course
from autograder.grading.grader import Grader
from autograder.grading.trial import trial

MUTANTS_PER_ASSIGNMENT = 16
NAMES = 4
OLD_KINDS = ("operator", "constant", "condition", "missing_call", "swapped_arguments")


@pytest.fixture(scope="module", params=IDS)
def grader(request: pytest.FixtureRequest, course: Course) -> Iterator[Grader]:
    with Grader(course.assignment(request.param), LIMITS, follows_through=False) as warm:
        yield warm


def test_every_misconception_loses_points_and_is_told_by_its_name(grader: Grader) -> None:
    named = []
    for question in grader.assignment.questions:
        known = [one for one in wrong_answers(grader, question) if one.name]
        strength = try_out(grader, question, known)
        assert strength.stale == []
        assert strength.unpunished == []
        for one in known:
            assert strength.killed[one.name], f"{question.slug}: {one.name} loses nothing"
            assert strength.named[one.name] <= {one.name}, f"{question.slug}: {one.name}"
            named.append(strength.named[one.name] == {one.name})
        assert out_of_band(strength) == []
    assert sum(named) >= NAMED_RATE * len(named)
    assert len(named) >= 2 * len(grader.assignment.questions)


def test_mechanical_mutants_lose_points(grader: Grader) -> None:
    kinds = KINDS if grader.assignment.id in RULED else OLD_KINDS
    pool = [
        (question, one)
        for question in grader.assignment.questions
        for one in wrong_answers(grader, question)
        if not one.name and set(one.kind.split("+")) <= set(kinds)
    ]
    chosen = random.Random(0).sample(pool, MUTANTS_PER_ASSIGNMENT)
    tried = [try_out(grader, question, [one]) for question, one in chosen]
    assert [label for strength in tried for label in strength.survivors] == []
    assert [label for strength in tried for label in strength.unpunished] == []


def test_solutions_pass_the_visible_checks(grader: Grader) -> None:
    for question in grader.assignment.questions:
        solution = grader.dependencies.source(question.slug)
        assert not trial(grader, question, solution, visibly=True).fails_visibly


@pytest.mark.parametrize("path", [path for name in RULED for path in samples(name, "wrong")])
def test_a_sample_that_fails_a_visible_check_loses_points(path: Path, grader_of: GraderOf) -> None:
    grader = grader_of(path.parents[1].name)
    for question in grader.assignment.questions:
        if answer := read_sample(path).answers.get(question.slug):
            found = trial(grader, question, answer, visibly=True)
            assert found.failed or not found.fails_visibly, question.slug


def test_names_hold_in_whole_notebooks_of_every_style(grader: Grader) -> None:
    pool = [
        (question, one)
        for question in grader.assignment.questions
        for one in misconceptions(grader.assignment, question.slug)
    ]
    for question, one in random.Random(1).sample(
        pool, NAMES if grader.assignment.id in RULED else 0
    ):
        told = {style: told_in(grader, question, one, style) for style in STYLES}
        assert told == {style: {one.name} for style in STYLES}, question.slug


def test_every_large_question_has_misconceptions(grader: Grader) -> None:
    for question in grader.assignment.questions:
        assert question.points < 10 or len(misconceptions(grader.assignment, question.slug)) >= 3


def test_sentences_of_misconceptions_are_short_and_hold_no_code_of_the_solution(
    grader: Grader,
) -> None:
    for question in grader.assignment.questions:
        solution = grader.dependencies.source(question.slug)
        lines = {line.strip() for line in solution.splitlines() if len(line.strip()) > 12}
        for one in misconceptions(grader.assignment, question.slug):
            assert len(re.findall(r"[.?] ", one.sentence)) <= 1, one.name
            assert one.sentence.endswith((".", "?")), one.name
            assert not any(line in one.sentence for line in lines), one.name

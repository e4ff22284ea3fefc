"""The checks of every assignment are strong: `autograder mutants` in a short run."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator

import pytest
from conftest import IDS, ROOT, RULED

from autograder.authoring.mutants import NAMED_RATE, out_of_band
from autograder.authoring.notebooks import STYLES, notebook_with, told_in
from autograder.authoring.strength import LIMITS, known_answers, mutants, try_out
from autograder.checking.kinds import COMMON
from autograder.checking.misconceptions import misconceptions, unwritten
from autograder.course.assignments import Course
from autograder.grading.change_library import Library
from autograder.grading.grader import Grader
from autograder.grading.mutations.kinds import KINDS
from autograder.grading.trial import trial

KNOWN = 12  # misconceptions of each question; whoever stores them sees that each loses points
QUESTIONS, MUTANTS = 4, 4  # of an assignment, and of each of these questions
NAMES = 2
OLD_KINDS = ("operator", "constant", "condition", "missing_call", "swapped_arguments")


@pytest.fixture(scope="module", params=IDS)
def grader(request: pytest.FixtureRequest, course: Course) -> Iterator[Grader]:
    with Grader(course.assignment(request.param), LIMITS, follows_through=False) as warm:
        yield warm


def test_misconceptions_lose_points_and_are_told_by_their_names(grader: Grader) -> None:
    named, chance = [], random.Random(3)
    for question in grader.assignment.questions:
        known = known_answers(grader, question)
        known = chance.sample(known, min(len(known), KNOWN))
        strength = try_out(grader, question, known)
        assert strength.stale == []
        for one in known:
            assert strength.killed[one.name], f"{question.slug}: {one.name} loses nothing"
            assert strength.named[one.name] <= {one.name}, f"{question.slug}: {one.name}"
            named.append(strength.named[one.name] == {one.name})
        assert out_of_band(strength) == []
    assert sum(named) >= NAMED_RATE * len(named)
    assert len(named) >= 2 * len(grader.assignment.questions)


def test_mechanical_mutants_lose_points(grader: Grader) -> None:
    kinds = KINDS if grader.assignment.id in RULED else OLD_KINDS
    chance = random.Random(0)
    for question in chance.sample(grader.assignment.questions, QUESTIONS):
        solution = grader.dependencies.source(question.slug)
        assert not trial(grader, question, solution, visibly=True).fails_visibly
        made = mutants(grader, question)
        pool = [one for one in made if set(one.kind.split("+")) <= set(kinds)]
        strength = try_out(grader, question, chance.sample(pool, min(len(pool), MUTANTS)))
        assert strength.survivors == []
        assert strength.unpunished == []
        assert strength.unknown(Library.load(grader.assignment.kinds_file(question.slug))) == []


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


def test_no_mutant_in_a_whole_notebook_is_told_another_kind(grader: Grader) -> None:
    chance = random.Random(2)
    computed = [q for q in grader.assignment.questions if q.slug != "prediction"]
    for question in chance.sample(computed, NAMES):
        one = chance.choice([one for one in mutants(grader, question) if one.kind in KINDS])
        notebook = notebook_with(grader.assignment, question.slug, one.source, "as the solution")
        checks = grader.grade(notebook, one.kind).result.question(question.slug).checks
        told = {c.diagnosis.name for c in checks if c.diagnosis and c.diagnosis.source == "kind"}
        families = {name for name, (members, _) in COMMON.items() if one.kind in members}
        assert told <= {one.kind} | families, f"{question.slug}: {one.becomes}"


def test_fingerprints_of_all_assignments_are_small() -> None:
    files = list((ROOT / "checks").rglob("kinds/*.safetensors"))
    assert len(files) > 40
    assert sum(path.stat().st_size for path in files) < 3 << 20


def test_every_large_question_has_misconceptions(grader: Grader) -> None:
    for question in grader.assignment.questions:
        assert question.points < 10 or len(misconceptions(grader.assignment, question.slug)) >= 3


def test_no_mistake_has_two_names(grader: Grader) -> None:
    """Of two that reply alike neither could be told."""
    for question in grader.assignment.questions:
        known = known_answers(grader, question)
        meant = {one.name: ast.dump(ast.parse(one.source)) for one in known}
        assert len(set(meant.values())) == len(meant), question.slug


def test_sentences_of_misconceptions_are_short_and_hold_no_code_of_the_solution(
    grader: Grader,
) -> None:
    for question in grader.assignment.questions:
        solution = grader.dependencies.source(question.slug)
        lines = {line.strip() for line in solution.splitlines() if len(line.strip()) > 12}
        for one in misconceptions(grader.assignment, question.slug):
            assert one.sentence, f"{question.slug}: {unwritten(one)}"
            assert len(re.findall(r"[.?] ", one.sentence)) <= 1, one.name
            assert one.sentence.endswith((".", "?")), one.name
            assert not any(line in one.sentence for line in lines), one.name

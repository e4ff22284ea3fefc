"""Sample classes: right answers in many styles earn everything, others what is written there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
from conftest import IDS, ROOT, RULED, GraderOf, build, read_sample, samples
from nbformat import NotebookNode
from sample_class import Sample
from sample_groups import groups, united

from autograder.course.assignments import Assignment, Course
from autograder.course.cells import CHECK_PREFIX, error_in
from autograder.course.pace import Pace
from autograder.grading.grader import Grader
from autograder.results.model import Graded
from autograder.results.text import Said, submission_text

PATHS = [(name, path) for name in IDS for path in samples(name)]
KINDS = ("correct", "wrong", "hostile")
HASTE = 0.4  # of the time that is allowed: ten times the instructor's own


@pytest.fixture(scope="module")
def hasty_grader_of(course: Course, grader_of: GraderOf) -> Iterator[GraderOf]:
    """The same graders with less patience with what hangs."""
    with ExitStack() as stack:

        def made(name: str) -> Grader:
            own = course.assignment(name)
            pace = replace(Pace.load(own.pace_file), slowness=HASTE)
            return stack.enter_context(Grader(own, grader_of(name).limits, pace=pace))

        yield cache(made)


@cache
def secrets(assignment: str) -> frozenset[str]:
    """Lines of the solutions, checks and misconceptions that say something."""
    course = Course(ROOT).assignment(assignment)
    texts = [cell.source for cell in course.solved.cells if cell.cell_type == "code"]
    texts += [path.read_text() for path in course.checks.rglob("*.py")]
    released = {line.strip() for c in course.release.cells for line in c.source.splitlines()}
    lines = {line.strip() for text in texts for line in text.splitlines()}
    return frozenset(line for line in lines - released if len(line) > 16 and line[0] not in "#\"'")


@dataclass(frozen=True)
class Judged:
    """A notebook of sample students, whose answers are those of `sample`."""

    sample: Sample
    notebook: NotebookNode
    graded: Graded

    @property
    def verdicts(self) -> dict[str, tuple[str, float]]:
        questions = self.graded.result.questions
        return {q.slug: (q.status, q.score) for q in questions if q.status != "ok"}

    @property
    def deserved(self) -> dict[str, tuple[str, float]]:
        verdicts = self.sample.verdicts
        return {slug: (what, pytest.approx(own)) for slug, (what, own) in verdicts.items()}


JudgedOf = Callable[[str, Path], Judged]


def judged(grader: Grader, sample: Sample) -> Judged:
    notebook = build(sample, grader.assignment.id)
    return Judged(sample, notebook, grader.grade(notebook, sample.name))


@pytest.fixture(scope="module")
def judged_alone(grader_of: GraderOf, hasty_grader_of: GraderOf) -> JudgedOf:
    return lambda name, path: judged(
        (hasty_grader_of if path.parent.name == "hostile" else grader_of)(name), read_sample(path)
    )


@pytest.fixture(scope="module")
def judged_in_group(grader_of: GraderOf, judged_alone: JudgedOf) -> JudgedOf:
    """Each group is graded once; who is alone in it, as if there were no groups."""

    @cache
    def groups_of(name: str, kind: str) -> list[list[Sample]]:
        return groups(grader_of(name).assignment, kind)

    @cache
    def of_group(name: str, kind: str, place: int) -> Judged:
        points = points_of(grader_of(name).assignment)
        return judged(grader_of(name), united(groups_of(name, kind)[place], points))

    def made(name: str, path: Path) -> Judged:
        kind = path.parent.name
        for place, group in enumerate(groups_of(name, kind)):
            if len(group) > 1 and any(path.stem == sample.name for sample in group):
                return of_group(name, kind, place)
        return judged_alone(name, path)

    return made


@pytest.mark.parametrize(
    ("assignment", "path"), PATHS, ids=lambda v: v if isinstance(v, str) else v.parent.name + v.stem
)
def test_a_sample_student_gets_the_verdict_written_beside_the_answer(
    assignment: str, path: Path, judged_in_group: JudgedOf, judged_alone: JudgedOf
) -> None:
    judged = judged_in_group(assignment, path)
    if path.parent.name != "correct" and judged.verdicts != judged.deserved:
        judged = judged_alone(assignment, path)  # other wrong answers may have got in the way
    result = judged.graded.result
    if assignment in RULED and path.parent.name == "wrong":  # layers in another order are right
        assert unpunished(judged.graded) == []
    assert judged.verdicts == judged.deserved, submission_text(result)
    assert result.score == pytest.approx(judged.sample.score)
    assert [q.slug for q in result.questions if q.status == "ok" and q.score != q.max_score] == []
    said = [Said.of(c) for q in result.questions for c in q.checks]
    own = "\n".join(cell.source for cell in judged.notebook.cells)
    for text in [text for pair in said for text in pair]:
        assert not [line for line in secrets(assignment) if line in text and line not in own]
        numbers = re.findall(r"-?\d+\.\d{3,}", text)
        assert not [number for number in numbers if number not in own], text
    if path.parent.name == "correct":
        assert "misconception" not in json.dumps(result.as_dict()).replace(
            '"misconception": null', ""
        )


def unpunished(graded: Graded) -> list[str]:
    """Questions whose visible check failed and which lost nothing, nor did an earlier one."""
    failed = {cell.id for cell in graded.notebook.cells if error_in(cell)}
    ok = True
    found = []
    for question in graded.result.questions:
        ok = ok and question.status == "ok"
        if ok and CHECK_PREFIX + question.slug in failed:
            found.append(question.slug)
    return found


@pytest.mark.parametrize("assignment", IDS)
def test_the_sample_class_has_what_a_real_class_has(assignment: str, course: Course) -> None:
    kinds = {kind: [read_sample(p) for p in samples(assignment, kind)] for kind in KINDS}
    assert len(kinds["correct"]) >= 8
    points = points_of(course.assignment(assignment))
    assert all(sample.score == points for sample in kinds["correct"])
    answered = {slug for sample in kinds["wrong"] for slug in sample.verdicts}
    for question in course.assignment(assignment).questions:
        assert question.points < 10 or question.slug in answered, question.slug
    assert any(sample.empty for sample in kinds["hostile"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("assignment", IDS)
def test_every_sample_student_is_in_one_group_with_nobody_who_answers_the_same(
    assignment: str, kind: str, course: Course
) -> None:
    found = groups(course.assignment(assignment), kind)
    names = sorted(sample.name for group in found for sample in group)
    assert names == [path.stem for path in samples(assignment, kind)]
    largest = max(found, key=len)
    assert (len(largest) == 1) == (kind == "hostile")
    for group in [group for group in found if len(group) > 1]:
        assert not any(sample.added or sample.empty for sample in group)
        slugs = [slug for sample in group for slug in sample.answers]
        assert len(set(slugs)) == len(slugs)


def points_of(assignment: Assignment) -> float:
    return sum(question.points for question in assignment.questions)

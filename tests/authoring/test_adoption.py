"""Planted mistakes come out of a class of 200 as a group each, and adopted ones are named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import A1, ROOT
from unnamed_class import CLASS, NAME, SIZES, UnnamedClass

from autograder.authoring.notebooks import STYLES, notebook_with
from autograder.authoring.strength import LIMITS
from autograder.cli import main
from autograder.course.assignments import Course, Question
from autograder.grading.grader import Grader
from autograder.pages.class_report.gathering import gather
from autograder.pages.class_report.groups import Group, unnamed
from autograder.results.fingerprint import alike

SLUG = "attention"


def question(grader: Grader, slug: str) -> Question:
    return grader.assignment.question(slug)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the course with one assignment."""
    folder = tmp_path_factory.mktemp("course")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    for step in ("source", "release", "checks"):
        shutil.copytree(ROOT / step / A1, folder / step / A1)
    return folder


@pytest.fixture(scope="module")
def the_class(root: Path) -> UnnamedClass:
    with Grader(Course(root).assignment(A1), LIMITS, follows_through=False) as grader:
        made = UnnamedClass(grader, question(grader, SLUG))
        made.plant()
        made.hand_in(root)
    return made


def groups(root: Path) -> list[Group]:
    return unnamed(gather(Course(root), A1)).groups


def test_each_planted_mistake_is_one_group_and_nothing_else_is_in_it(
    root: Path, the_class: UnnamedClass
) -> None:
    assert len(list((root / "autograded").iterdir())) == CLASS
    assert [len(students) for students in the_class.students] == list(SIZES)
    found = [group.students for group in groups(root)]
    for students in the_class.students:
        assert found.count(students) == 1
    planted = {student for students in the_class.students for student in students}
    assert not [s for s in found if planted & set(s) and s not in the_class.students]


def test_the_report_shows_them_folded_and_without_a_script(
    root: Path, the_class: UnnamedClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    assert main(["report", A1]) == 0
    page = (root / "reports" / f"{A1}.html").read_text()
    assert "<script" not in page
    for size in SIZES:
        assert f"{size} students gave the same numbers" in page
    for place, line in enumerate(page.splitlines()):
        if '<pre class="answer"' in line:
            assert page.splitlines()[place - 1].startswith('<details class="plain">')
    assert page.count("<pre") == len(groups(root)) - page.count("Its notebook is gone")


def test_adopted_ones_are_all_named_at_the_next_run_in_every_style(
    root: Path, the_class: UnnamedClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    by_students = {tuple(group.students): group for group in groups(root)}
    wanted = [by_students[tuple(students)].name for students in the_class.students]
    for name in wanted:
        assert main(["adopt", A1, name]) == 0
    folder = root / "checks" / A1 / "misconceptions" / SLUG
    made = [path.read_text() for path in folder.glob("*.py")]
    assert len(made) == len(SIZES)
    assert not [text for text in made if NAME in text.casefold()]

    with Grader(Course(root).assignment(A1), LIMITS, follows_through=False) as grader:
        again = UnnamedClass(grader, the_class.question, the_class.planted)
        for number, found in again.in_styles():
            label = wanted[number].rpartition("-")[2]
            told = {check.misconception for check in found.checks if not check.passed}
            assert told == {f"adopted_{label}"}
            assert {c.diagnosis.sentence for c in found.checks if c.diagnosis} == {""}
        for other in the_class.others:
            told_others = {check.misconception or "" for check in again.tried(other).checks}
            assert not [one for one in told_others if one.startswith("adopted")]


@pytest.mark.parametrize("slug", ["attention", "masked_attention"])
def test_whole_notebooks_of_every_style_leave_one_fingerprint(
    grader: Grader, the_class: UnnamedClass, slug: str
) -> None:
    wrong = UnnamedClass(grader, question(grader, slug))
    if slug == SLUG:
        wrong.planted = the_class.planted[:1]
    else:
        wrong.plant(most=1, others=0)
    found = {}
    for style in STYLES:
        notebook = notebook_with(grader.assignment, slug, wrong.planted[0], style)
        verdict = grader.grade(notebook, style).result.question(slug)
        assert verdict.fingerprint is not None
        found[style] = verdict.fingerprint
    assert len(alike(found)) == 1

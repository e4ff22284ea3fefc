"""What is checked stands in the notebook: as a rule of the course, or in the question's text."""

from __future__ import annotations

from functools import cache

import pytest
from conftest import ROOT, RULED

from autograder.authoring.oversights import without_markup
from autograder.checking import Battery
from autograder.checking.battery import RULES
from autograder.course.assignments import Assignment, Course
from autograder.grading.check_package import CheckPackage

TITLES = {title for titles in RULES.values() for title in titles}


@cache
def assignment(name: str) -> Assignment:
    return Course(ROOT).assignment(name)


@cache
def text(name: str) -> str:
    """All that a student can read in the released notebook."""
    return without_markup("\n".join(cell.source for cell in assignment(name).release.cells))


@cache
def rules(name: str) -> set[str]:
    """The titles in the notebook's block of rules."""
    (cell,) = [cell for cell in assignment(name).release.cells if cell.get("id") == "rules"]
    return {title for title in TITLES if f"**{title}" in cell.source}


def check_files() -> list[tuple[str, str]]:
    return [(name, q.slug) for name in RULED for q in assignment(name).questions]


def parts(name: str, slug: str) -> tuple[list[Battery], dict[str, dict[str, str]]]:
    """The batteries of a question, and the marks of each check of its own."""
    package = CheckPackage(assignment(name).check_file(slug).parent)
    module = vars(package.module(assignment(name).check_file(slug)))
    batteries = [found for found in module.values() if isinstance(found, Battery)]
    made = {check for battery in batteries for check in battery.checks()}
    own = {
        check: {k: v for mark in function.pytestmark for k, v in mark.kwargs.items()}
        for check, function in module.items()
        if check.startswith("check_") and check not in made
    }
    return batteries, own


@pytest.mark.parametrize(("name", "slug"), check_files())
def test_every_check_names_a_rule_or_a_sentence_of_the_notebook(name: str, slug: str) -> None:
    batteries, own = parts(name, slug)
    for battery in batteries:
        tested = {title for aspect in battery.aspects for title in RULES[aspect]}
        assert tested <= rules(name)
        forbidden = battery.domain.forbidden if "way" in battery.aspects else ()
        assert not forbidden or any(without_markup(word) in text(name) for word in forbidden)
        assert all(without_markup(word) in text(name) for word in battery.domain.attributes)
    for check, marks in own.items():
        assert "text" in marks, f"{check} quotes no sentence that it rests on"
        assert without_markup(marks["text"]) in text(name), check


@pytest.mark.parametrize("name", RULED)
def test_every_rule_of_a_notebook_is_tested(name: str) -> None:
    found = [battery for _, slug in check_files() if _ == name for battery in parts(name, slug)[0]]
    tested = {title for one in found for aspect in one.aspects for title in RULES[aspect]}
    assert rules(name) <= tested

"""Which wrong answers of a class are shown as one group, and how."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.pages.class_report.gathering import ClassResults, Standing
from autograder.pages.class_report.groups import answer_of, unnamed
from autograder.results.fingerprint import Fingerprint
from autograder.results.history import Answer, Attempt
from autograder.results.model import (
    CheckResult,
    Diagnosis,
    QuestionResult,
    Status,
    SubmissionResult,
)

SLUG = "triple"
PRINT = Fingerprint("0a", [1.0, 2.0])
NAMED = Diagnosis("misconception", "late", "Too late.")
KIND = Diagnosis("kind", "constant", "As a right one with another number.")
PLACE = Diagnosis("place", "line", "Look at line 3.")


def verdict(
    printed: Fingerprint | None = PRINT,
    *told: Diagnosis | None,
    status: Status = "wrong",
    said: str = "Wrong.",
) -> QuestionResult:
    checks = [
        CheckResult(f"c{n}", "It holds.", 1.0, False, said, status, one)
        for n, one in enumerate(told or (None,))
    ]
    return QuestionResult(SLUG, status, 0.0, 1.0, checks, fingerprint=printed)


def class_of(*verdicts: QuestionResult) -> ClassResults:
    """A student for each verdict, called by its place."""
    standings, history = [], {}
    for place, one in enumerate(verdicts):
        result = SubmissionResult("ps1", "x", "graded", 0.0, 1.0, "full", 1.0, [], [one])
        standings.append(Standing(str(place), result, None, None))
        history[str(place)] = [Attempt("work", {SLUG: Answer.of(one)})]
    return ClassResults("ps1", standings, {}, {}, history)


def grouped(*verdicts: QuestionResult) -> list[list[str]]:
    return [group.students for group in unnamed(class_of(*verdicts)).groups]


def test_equal_replies_are_a_group_and_the_largest_comes_first() -> None:
    other = replace(PRINT, sums=[1.0, 2.1])
    found = [verdict(other), verdict(), verdict(), verdict(other), verdict(), verdict(None)]
    assert grouped(*found) == [["1", "2", "4"], ["0", "3"]]


def test_one_alone_is_counted_and_not_shown() -> None:
    found = unnamed(class_of(verdict(), verdict(replace(PRINT, digest="0b"))))
    assert (found.groups, found.alone) == ([], 2)


@pytest.mark.parametrize(
    "other",
    [
        verdict(PRINT, NAMED),
        verdict(PRINT, None, KIND),
        verdict(None),
        verdict(status="timeout"),
        verdict(status="unanswered"),
        replace(verdict(), follow_through=["double"]),
    ],
)
def test_who_is_named_or_did_not_reply_or_builds_on_another_mistake_is_in_none(
    other: QuestionResult,
) -> None:
    assert grouped(verdict(), other, verdict(), other) == [["0", "2"]]


def test_a_place_in_the_own_code_is_no_name() -> None:
    assert grouped(verdict(PRINT, PLACE), verdict(PRINT, PLACE)) == [["0", "1"]]


def test_another_error_is_another_group_wherever_it_was_raised() -> None:
    raised = [
        verdict(status="error", said=f"Your code raised {error}.\n  in your cell, line {line}: x")
        for error in ("KeyError", "TypeError")
        for line in (3, 4)
    ]
    assert grouped(*raised) == [["0", "1"], ["2", "3"]]
    assert not any(group.has_replied for group in unnamed(class_of(*raised)).groups)


def test_a_group_keeps_its_name_for_who_has_read_it() -> None:
    noisy = [replace(PRINT, sums=[1.0 + noise, 2.0]) for noise in (0, 1e-6, 2e-6, 3e-6)]
    (small,) = unnamed(class_of(*map(verdict, noisy[2:]))).groups
    (large,) = unnamed(class_of(*map(verdict, noisy))).groups
    assert large.is_called(small.name)
    assert large.is_called(large.name)
    assert not large.is_called("triple-")


def test_a_student_without_a_history_is_in_no_group() -> None:
    found = class_of(verdict(), verdict(), verdict())
    kept = {student: found.history[student] for student in ("0", "2")}
    assert unnamed(replace(found, history=kept)).groups[0].students == ["0", "2"]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"cells": [{"metadata": []}]}', "\xff"])
def test_a_notebook_that_is_gone_or_odd_shows_no_answer(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ps1.ipynb"
    path.write_bytes(text.encode("latin-1"))
    found = replace(class_of(verdict()), autograded={"0": path})
    assert answer_of(found, "0", SLUG) == ""
    assert answer_of(found, "1", SLUG) == ""


def test_the_answer_is_the_cell_of_the_question(tmp_path: Path) -> None:
    path = tmp_path / "ps1.ipynb"
    metadata = {"nbgrader": {"grade_id": SLUG}}
    cells = [{"source": ["a\n", "b"], "metadata": metadata}, {"source": "c", "metadata": {}}]
    path.write_text(json.dumps({"cells": cells}))
    assert answer_of(replace(class_of(), autograded={"0": path}), "0", SLUG) == "a\nb"

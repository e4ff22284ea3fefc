"""Sentences of checks that name a mistake by themselves, and what students read of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import IDS, ROOT
from mini import answer, mini_assignment

from autograder.checking import CheckFailure, Seen, expect
from autograder.checking.kinds import CLAUSES, OBSERVED
from autograder.course.limits import Limits
from autograder.grading.check_package import CheckPackage
from autograder.grading.grader import Grader
from autograder.results.model import Diagnosis

HINT = "Look at what is added."
GROWS = f'''

@points(1)
def check_grows(student: Student) -> None:
    """It does not grow."""
    from autograder.checking import Seen, expect

    expect(False, Seen("It grows.", "grows", "{HINT}"))
'''


def seen(assignment: str) -> dict[str, Seen]:
    """All such sentences of an assignment, by the names that its checks know them by."""
    path = ROOT / "checks" / assignment / "wording.py"
    wording = CheckPackage(path.parent).module(path)
    return {name: one for name, one in vars(wording).items() if isinstance(one, Seen)}


def test_what_fails_carries_the_name_and_the_hint() -> None:
    with pytest.raises(CheckFailure, match="It grows") as failure:
        expect(False, Seen("It grows.", "grows", HINT))
    assert (failure.value.observed, failure.value.hint) == ("grows", HINT)


def test_a_known_name_brings_its_own_hint() -> None:
    assert Seen("Another call, another result.", "forgets").hint == OBSERVED["forgets"]


def test_a_name_that_is_not_known_needs_a_hint() -> None:
    with pytest.raises(KeyError):
        Seen("It grows.", "grows")


def test_students_are_told_it(tmp_path: Path) -> None:
    assignment = mini_assignment(tmp_path)
    path = assignment.check_file("double")
    path.write_text(path.read_text().replace("@points(3)", "@points(2)") + GROWS)
    with Grader(assignment, Limits()) as grader:
        result = grader.grade(answer(assignment), "x").result
    checks = {check.name: check for check in result.question("double").checks}
    assert checks["grows"].diagnosis == Diagnosis("kind", "grows", HINT)


@pytest.mark.parametrize("assignment", IDS)
def test_each_hint_says_something_of_its_own_and_no_number(assignment: str) -> None:
    found = seen(assignment)
    assert found
    own = [one.hint for one in found.values() if one.name not in OBSERVED]
    assert len(set(own)) == len(own)
    for name, one in found.items():
        assert re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", one.name), name
        assert one.name in OBSERVED or one.name not in CLAUSES, name
        assert one.hint != one, name
        assert one.hint[-1] in ".?", name
        assert not re.search(r"\d\.\d{3}", one.hint), name

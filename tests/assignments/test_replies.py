"""Whatever one value of a reply is, the checks judge it: none raises anything but an assertion."""

from __future__ import annotations

import random

import pytest
from conftest import IDS
from reply_mutations import OTHER_VALUES, Checks

from autograder.course.assignments import Course

JUDGED_TOO = 97  # each of so many, with all that pytest and the judge do around a check


@pytest.mark.parametrize("assignment", IDS)
def test_no_value_of_a_reply_makes_a_check_raise(assignment: str, course: Course) -> None:
    checks = Checks(course.assignment(assignment))
    assert all(replies for of_slug in checks.heard.values() for replies in of_slug.values())
    mutations = checks.of_each_kind(2, random.Random(assignment))
    assert len(mutations) >= 2 * len(checks.heard) * len(OTHER_VALUES)
    raised = {str(one): found for one in mutations if (found := checks.raised(one))}
    assert raised == {}
    judged = [checks.judged(one) for one in mutations[::JUDGED_TOO]]
    assert all(found.checks and not found.raised for found in judged)

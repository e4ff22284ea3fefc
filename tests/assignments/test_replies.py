"""Whatever one value of a reply is, the checks judge it: none raises anything but an assertion."""

from __future__ import annotations

import pytest
from conftest import IDS
from reply_mutations import Checks

from autograder.course.assignments import Course

JUDGED_TOO = 97  # each of so many, with all that pytest and the judge do around a check


@pytest.mark.parametrize("assignment", IDS)
def test_no_value_of_a_reply_makes_a_check_raise(assignment: str, course: Course) -> None:
    checks = Checks(course.assignment(assignment))
    mutations = list(checks.mutations())
    assert len(mutations) > 500
    raised = {str(one): found for one in mutations if (found := checks.raised(one))}
    assert raised == {}
    judged = [checks.judged(one) for one in mutations[::JUDGED_TOO]]
    assert all(found.checks and not found.raised for found in judged)

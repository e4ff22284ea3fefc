"""Whatever one value of a reply is, the checks judge it: none raises anything but an assertion."""

from __future__ import annotations

import pytest
from conftest import IDS
from reply_mutations import Checks

from autograder.course.assignments import Course


@pytest.mark.parametrize("assignment", IDS)
def test_no_value_of_a_reply_makes_a_check_raise(assignment: str, course: Course) -> None:
    checks = Checks(course.assignment(assignment))
    mutations = list(checks.mutations())
    assert len(mutations) > 500
    raised = {str(one): found for one in mutations if (found := checks.judged(one).raised)}
    assert raised == {}

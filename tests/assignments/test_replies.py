"""Whatever one value of a reply is, the checks judge it: none raises anything but an assertion."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from conftest import IDS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reply_mutations import Checks, Mutation

from autograder.course.assignments import Course

EXAMPLES = 150


@pytest.fixture(scope="module")
def checks_of(course: Course) -> Callable[[str], tuple[Checks, list[Mutation]]]:
    @cache
    def found(assignment: str) -> tuple[Checks, list[Mutation]]:
        checks = Checks(course.assignment(assignment))
        return checks, list(checks.mutations())

    return found


@pytest.mark.parametrize("assignment", IDS)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_no_value_of_a_reply_makes_a_check_raise(
    assignment: str,
    checks_of: Callable[[str], tuple[Checks, list[Mutation]]],
    data: st.DataObject,
) -> None:
    checks, mutations = checks_of(assignment)
    mutation = data.draw(st.sampled_from(mutations))
    assert checks.judged(mutation).raised == {}, mutation

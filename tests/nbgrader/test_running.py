"""What nbgrader's log tells of a submission that was not recorded, and whose fault that is."""

from __future__ import annotations

import pytest

from autograder.batch.tally import Tally
from autograder.errors import Ungraded, UnreadableSubmission, UsageError
from autograder.nbgrader.running import failure

LOG = "Traceback (most recent call last):\n  File x\nautograder.errors.{}: the sentence\n"


@pytest.mark.parametrize(
    ("log", "kind", "is_the_students"),
    [
        (LOG.format("UnreadableSubmission"), UnreadableSubmission, True),
        (LOG.format("UsageError"), UsageError, False),
        (LOG.format("Ungraded"), Ungraded, False),
        (LOG.format("Unready"), Ungraded, False),
        ("sqlite3.OperationalError: the sentence", Ungraded, False),
        ("nothing that is known: the sentence", Ungraded, False),
    ],
)
def test_what_stood_in_the_way_is_told_as_what_it_is(
    log: str, kind: type[UsageError | Ungraded], is_the_students: bool
) -> None:
    error, tally = failure({"log": log}), Tally()
    assert type(error) is kind
    assert "the sentence" in str(error)
    tally.note("demo-a", error)
    assert bool(tally.refused) is is_the_students
    assert tally.failures == {"demo-a": str(error)}

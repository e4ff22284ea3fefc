"""Replies that several checks of a question look at."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from weakref import WeakKeyDictionary

from autograder.checking.asking import Reply, Student
from autograder.checking.failures import CheckFailure

Ask = Callable[[Student, str], Reply]


def shared(ask: Ask) -> Ask:
    """Has the student's code asked once for each case, by the first check that wants its reply.

    For probes that take long, and are `silent`: each check notes what it looks at, whoever asked
    for it. Where the student's code raises, every check asks again.
    """
    known: WeakKeyDictionary[Student, dict[str, Reply]] = WeakKeyDictionary()

    @wraps(ask)
    def reply(student: Student, case: str) -> Reply:
        replies = known.setdefault(student, {})
        try:
            if case not in replies:
                replies[case] = ask(student, case)
        except CheckFailure as failure:
            student.note({}, {"failure": str(failure).partition("\n")[0]})
            raise
        student.note(*replies[case].parts())
        return replies[case]

    return reply

"""The instructor's answer in place of a student's, to be called and looked into like that one.

What a student wrote is read by the helper, which can be ended.
"""

from __future__ import annotations

from autograder import helper
from autograder.errors import NotDone
from autograder.grading.attributes import known_as
from autograder.grading.parameters import taking_as
from autograder.helper import Allowance


def stand_in(students: str, instructors: str, allowance: Allowance) -> str:
    """The instructor's cell, and below it what makes it like the student's for those who use it.

    Where reading takes longer than the `allowance` leaves, it is the cell alone.

    Raises:
        Ungraded: no helper can be started.
    """
    try:
        like = helper.run(
            "autograder.grading.stand_ins:_likened", students, instructors, allowance=allowance
        )
    except NotDone:
        return instructors
    return f"{instructors}\n\n{like}".rstrip()


def _likened(students: str, instructors: str) -> str:
    """The helper's side."""
    return f"{known_as(students, instructors)}\n\n{taking_as(students, instructors)}".strip()

"""`autograder token`: a signed token, with which a student asks the check service."""

from __future__ import annotations

import argparse

from autograder.commands import GRADED, Commands, need_service
from autograder.course.assignments import Course
from autograder.errors import UsageError

DAYS = 180.0


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    token = commands.add_parser("token", help="make a student's token for the check service")
    token.add_argument("student", metavar="STUDENT")
    token.add_argument(
        "--days", type=float, default=DAYS, metavar="N", help=f"how long it holds ({DAYS:g})"
    )
    token.add_argument("--assignment", metavar="ID", help="default: good for all assignments")
    token.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    need_service()
    from autograder.service.policy import read_policy
    from autograder.service.who import Tokens, key_file, make_key

    course = Course.find()
    if not 0 < options.days <= 3660:
        raise UsageError(f"a token cannot hold for {options.days:g} days: give up to 3660")
    if options.assignment is not None:
        course.assignment_with_checks(options.assignment)
    make_key(key_file(course))
    tokens = Tokens(key_file(course), read_policy(course))
    print(tokens.made(options.student, options.days, options.assignment))
    return GRADED

"""`autograder adopt`: a wrong answer of several students becomes a misconception."""

from __future__ import annotations

import argparse

from autograder.commands import GRADED, Commands
from autograder.course.assignments import Course


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    adopt = commands.add_parser("adopt", help="make a group of wrong answers a misconception")
    adopt.add_argument("assignment", metavar="ASSIGNMENT")
    adopt.add_argument("group", metavar="GROUP", help="its name in the class report")
    adopt.add_argument(
        "--name", metavar="NAME", help="of the misconception; default: adopted_ and the group's"
    )
    adopt.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from autograder.authoring.adoption import adopt

    path = adopt(Course.find(), options.assignment, options.group, options.name)
    print(f"made {path}")
    print("next: read its code, and write its sentence, which is still empty")
    print(f"then: autograder batch {options.assignment}")
    return GRADED

"""`autograder new`: another assignment."""

from __future__ import annotations

import argparse

from autograder.commands import GRADED, Commands
from autograder.course.assignments import Course


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    new = commands.add_parser("new", help="add an assignment to the course")
    new.add_argument("assignment", metavar="ASSIGNMENT", help="its name, as a2_attention")
    new.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from autograder.authoring.new_course import create_assignment
    from autograder.course.configuration import expect_box
    from autograder.course.settings import read_config

    course = Course.find()
    expect_box(read_config(course.root))
    for folder in create_assignment(course, options.assignment):
        print(f"made {folder}")
    print(f"next: nbgrader generate_assignment {options.assignment} --force")
    return GRADED

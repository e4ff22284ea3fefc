"""`autograder init`: a course that runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.commands import GRADED, Commands


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    init = commands.add_parser("init", help="make a small course that runs")
    init.add_argument("course", type=Path, metavar="COURSE", help="a folder that is new or empty")
    init.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from autograder.authoring.new_course import create_course

    course = create_course(options.course)
    print(f"made a course: go on as {course.root / 'README.md'} says")
    return GRADED

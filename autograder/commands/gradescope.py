"""`autograder gradescope`: the zip that Gradescope asks for."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.commands import GRADED, Commands
from autograder.course.assignments import Course
from autograder.course.settings import read_settings
from autograder.results.formats.gradescope import VISIBILITIES


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    gradescope = commands.add_parser("gradescope", help="make the zip that Gradescope asks for")
    gradescope.add_argument("assignment", metavar="ASSIGNMENT")
    gradescope.add_argument("--output", type=Path, metavar="ZIP", required=True)
    gradescope.add_argument(
        "--visibility",
        choices=VISIBILITIES,
        default="visible",
        help="when students see the checks and their score (default: visible, at once)",
    )
    gradescope.add_argument(
        "--index",
        metavar="URL",
        help="a further package index, as one with builds of torch that bring no CUDA",
    )
    gradescope.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from autograder.gradescope.archive import write_zip

    course = Course.find()
    assignment, settings = course.assignment(options.assignment), read_settings(course.root)
    write_zip(assignment, settings, options.output, options.visibility, options.index)
    print(f"upload to Gradescope as the autograder of {assignment.id}: {options.output}")
    return GRADED

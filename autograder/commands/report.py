"""`autograder report`: the class report, or the page of similar submissions."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.commands import GRADED, Commands
from autograder.course.assignments import Course


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    report = commands.add_parser("report", help="write the class report, an HTML page")
    report.add_argument("assignment", metavar="ASSIGNMENT")
    report.add_argument(
        "--similar",
        action="store_true",
        help="write instead which submissions share rare code: reports/ASSIGNMENT-similar.html",
    )
    report.add_argument(
        "--output", type=Path, metavar="FILE", help="default: reports/ASSIGNMENT.html in the course"
    )
    report.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    if options.similar:
        from autograder.pages.similar.page import write_similar

        path = write_similar(Course.find(), options.assignment, options.output)
        print(f"similar submissions: {path}")
        return GRADED
    from autograder.pages.class_report.page import write_report

    path = write_report(Course.find(), options.assignment, options.output)
    print(f"class report: {path}")
    return GRADED

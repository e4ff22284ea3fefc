"""`autograder report`: the class report, the page of similar submissions, or the course report."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.commands import GRADED, Commands, has_service
from autograder.course.assignments import Course
from autograder.errors import UsageError

if TYPE_CHECKING:
    from autograder.pages.class_report.asking import Asking


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    report = commands.add_parser("report", help="write the class report, an HTML page")
    report.add_argument(
        "assignment", metavar="ASSIGNMENT", nargs="?", help="default: a report on the whole course"
    )
    report.add_argument(
        "--similar",
        action="store_true",
        help="write instead which submissions share rare code: reports/ASSIGNMENT-similar.html",
    )
    report.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="default: reports/ASSIGNMENT.html or reports/course.html in the course",
    )
    report.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    if options.assignment is None:
        return _report_on_course(options)
    if options.similar:
        from autograder.pages.similar.page import write_similar

        path = write_similar(Course.find(), options.assignment, options.output)
        print(f"similar submissions: {path}")
        return GRADED
    report_on_class(Course.find(), options.assignment, options.output)
    return GRADED


def report_on_class(course: Course, assignment: str, output: Path | None = None) -> None:
    """Writes the class report with what the class asked the check service, and says where.

    Raises:
        UsageError: nothing has been graded, or the file cannot be written.
    """
    from autograder.pages.class_report.page import write_report

    path = write_report(course, assignment, output, _asked(course, assignment))
    print(f"class report: {path}")


def _asked(course: Course, assignment: str) -> list[Asking]:
    """What the class asked the check service; nothing where that is not installed."""
    if not has_service():
        return []
    from autograder.service.attempts import asked_about
    from autograder.service.policy import read_policy

    return asked_about(course, read_policy(course), assignment)


def _report_on_course(options: argparse.Namespace) -> int:
    from autograder.pages.course_report.page import write_course_report

    if options.similar:
        raise UsageError("--similar compares the submissions of one assignment: name it")
    print(f"course report: {write_course_report(Course.find(), options.output)}")
    return GRADED

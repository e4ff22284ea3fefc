"""`autograder mutants`: how strong the checks of assignments are."""

from __future__ import annotations

import argparse

from autograder.commands import BELOW, GRADED, Commands, cores, jobs, to_author
from autograder.course.assignments import Course
from autograder.errors import UsageError


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    mutants = commands.add_parser("mutants", help="try the checks with wrong answers")
    mutants.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="default: all")
    mutants.add_argument(
        "--question",
        action="append",
        default=[],
        metavar="SLUG",
        help="only this one; may be given several times",
    )
    mutants.add_argument(
        "--store", action="store_true", help="keep what they reply, so that students can be told"
    )
    mutants.add_argument(
        "--jobs", type=jobs, metavar="N", help="questions at a time; default: one a core"
    )
    mutants.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from autograder.authoring.mutants import faults, report, tried_out

    course = Course.find()
    names = options.assignments or course.assignment_ids()
    slugs = {one.slug for name in names for one in course.assignment_with_checks(name).questions}
    if unknown := [slug for slug in options.question if slug not in slugs]:
        raise UsageError(
            f"no question is called {unknown[0]!r}: there are {', '.join(sorted(slugs))}"
        )
    asked = {"questions": options.question, "jobs": options.jobs or cores(), "store": options.store}
    weak = False
    with to_author():
        for name, strengths in tried_out(course, names, **asked):
            found = faults(strengths)
            print(report(name, strengths, found), flush=True)
            weak = weak or bool(found)
    return BELOW if weak else GRADED

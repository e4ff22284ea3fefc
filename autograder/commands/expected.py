"""`autograder expected`: expected tensors, made or compared."""

from __future__ import annotations

import argparse

from autograder.commands import BELOW, GRADED, Commands, progress, to_author
from autograder.course.assignments import Course
from autograder.errors import UsageError


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    expected = commands.add_parser("expected", help="make the expected tensors")
    expected.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="default: all")
    expected.add_argument("--check", action="store_true", help="only say whether they are current")
    expected.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from autograder.authoring.expected import (
        differences,
        measured_pace,
        misconception_differences,
        pace_differences,
        record,
        record_misconceptions,
        write_expected,
        write_misconceptions,
        write_pace,
    )
    from autograder.authoring.oversights import oversights
    from autograder.course.pace import Pace
    from autograder.grading.grader import Grader

    course = Course.find()
    names = options.assignments or course.assignment_ids()
    assignments = [course.assignment_with_checks(name) for name in names]
    if not assignments:
        raise UsageError(
            "no assignment of this course has a release and checks: "
            "run `nbgrader generate_assignment ASSIGNMENT` first"
        )
    stale = False
    faults: list[str] = []
    for assignment in progress(assignments, len(assignments), "expected tensors"):
        with to_author(), Grader(assignment, pace=Pace()) as grader:
            recorders = record(grader)
            if options.check:
                found = differences(assignment, recorders) + misconception_differences(assignment)
                found += pace_differences(assignment) + oversights(assignment)
                stale = stale or bool(found)
                print("\n".join(f"{assignment.id}: {line}" for line in found or ["up to date"]))
                continue
            replies, wrong = record_misconceptions(grader, recorders)
            faults += [f"{assignment.id}: {line}" for line in wrong + oversights(assignment)]
            pace = measured_pace(grader, recorders)
        changed = write_expected(assignment, recorders)
        changed += write_misconceptions(assignment, replies) + write_pace(assignment, pace)
        told = [f"wrote {path.relative_to(course.root)}" for path in changed]
        print("\n".join(told) or f"{assignment.id}: same")
    if faults:
        raise UsageError("\n".join(faults))
    return BELOW if stale else GRADED

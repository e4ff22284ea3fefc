"""`autograder doctor`: whether grading here is safe and true."""

from __future__ import annotations

import argparse

from autograder.commands import BELOW, GRADED, Commands
from autograder.course.assignments import Course
from autograder.course.settings import read_settings


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    doctor = commands.add_parser("doctor", help="tell whether grading here is safe and true")
    doctor.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from autograder.grading.readiness import examine

    course = Course.find()
    sound = True
    for in_order, finding in examine(course, read_settings(course.root)):
        print(f"{'ok  ' if in_order else 'BAD '} {finding}", flush=True)
        sound = sound and in_order
    print("grading here is safe" if sound else "grading here would NOT be safe")
    return GRADED if sound else BELOW

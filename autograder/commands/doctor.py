"""`autograder doctor`: whether grading here is safe and true."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING

from autograder.commands import BELOW, GRADED, Commands
from autograder.course.assignments import Course
from autograder.course.settings import Settings, read_settings
from autograder.errors import AutograderError

if TYPE_CHECKING:
    from autograder.grading.grader import Grader

TOLD = ("nbgrader", "ipython", "safetensors", "pytest")


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    doctor = commands.add_parser("doctor", help="tell whether grading here is safe and true")
    doctor.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    course = Course.find()
    sound = True
    for in_order, finding in _examine(course, read_settings(course.root)):
        print(f"{'ok  ' if in_order else 'BAD '} {finding}", flush=True)
        sound = sound and in_order
    print("grading here is safe" if sound else "grading here would NOT be safe")
    return GRADED if sound else BELOW


def _examine(course: Course, settings: Settings) -> Iterator[tuple[bool, str]]:
    """Findings as they are made: whether each is in order, and what it says."""
    from autograder.grading.grader import Grader
    from autograder.grading.identity import told, versions
    from autograder.grading.readiness import guard_against_drift

    limits = settings.limits
    yield True, f"{told(versions())}, {', '.join(f'{name} {version(name)}' for name in TOLD)}"
    yield True, f"{platform.platform()}, {sys.executable}"
    yield True, "limits: " + ", ".join(f"{k} {v:g}" for k, v in limits.as_dict().items())
    for number, assignment_id in enumerate(course.assignment_ids()):
        try:
            with Grader(course.assignment(assignment_id), limits) as grader:
                if number == 0:
                    yield from _sandbox(course, grader)
                guard_against_drift(course, grader, settings)
        except AutograderError as error:
            yield False, f"{assignment_id}: {error}"
        else:
            yield True, f"{assignment_id}: the solution earns every point"


def _sandbox(course: Course, grader: Grader) -> Iterator[tuple[bool, str]]:
    from autograder.box.outside.canaries import breaches

    tier = grader.zygote.tier
    why = f" ({grader.zygote.reason})" if grader.zygote.reason else ""
    yield tier != "none", f"sandbox: {tier}{why}"
    for name, through in breaches(grader.zygote, course.root, grader.limits):
        yield not through, f"canary {name}: {'GOT THROUGH' if through else 'held'}"

"""Whether grading here would be safe and true: tier, canary attacks, versions, limits, drift."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from importlib.metadata import version

from autograder.authoring import guard_against_drift, versions
from autograder.canaries import breaches
from autograder.course import Course
from autograder.errors import AutograderError
from autograder.grading import Grader
from autograder.limits import Limits

TOLD = ("nbgrader", "ipython", "safetensors", "pytest")


def examine(course: Course, limits: Limits) -> Iterator[tuple[bool, str]]:
    """Findings as they are made: whether each is in order, and what it says."""
    yield True, f"{versions()}, {', '.join(f'{name} {version(name)}' for name in TOLD)}"
    yield True, f"{platform.platform()}, {sys.executable}"
    yield True, "limits: " + ", ".join(f"{k} {v:g}" for k, v in limits.as_dict().items())
    for number, assignment_id in enumerate(course.assignment_ids()):
        try:
            with Grader(course.assignment(assignment_id), limits) as grader:
                if number == 0:
                    yield from _sandbox(course, grader, limits)
                guard_against_drift(course, grader)
        except AutograderError as error:
            yield False, f"{assignment_id}: {error}"
        else:
            yield True, f"{assignment_id}: the solution earns every point"


def _sandbox(course: Course, grader: Grader, limits: Limits) -> Iterator[tuple[bool, str]]:
    tier = grader.zygote.tier
    yield tier != "none", f"sandbox: {tier}"
    for name, through in breaches(grader.zygote, course.root, limits):
        yield not through, f"canary {name}: {'GOT THROUGH' if through else 'held'}"

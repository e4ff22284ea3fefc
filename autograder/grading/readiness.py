"""Whether grading here would be safe and true: tier, canary attacks, versions, limits, drift."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from importlib.metadata import version

from autograder.authoring.expected import guard_against_drift
from autograder.box.outside.canaries import breaches, guard_against_breaches
from autograder.course.assignments import Assignment, Course
from autograder.course.limits import Limits
from autograder.course.settings import Settings
from autograder.errors import AutograderError
from autograder.grading.grader import Grader
from autograder.grading.identity import versions

TOLD = ("nbgrader", "ipython", "safetensors", "pytest")


def ready_grader(course: Course, assignment: Assignment, settings: Settings) -> Grader:
    """A grader that has been seen to be safe and true: the one way to start grading a course.

    Raises:
        Ungraded: it is not.
    """
    follows_through = assignment.id not in settings.no_follow_through
    grader = Grader(assignment, settings.limits, follows_through=follows_through)
    try:
        guard_against_breaches(
            grader.zygote, course.root, settings.limits, trust_notebooks=settings.trust_notebooks
        )
        guard_against_drift(course, grader)
    except AutograderError:
        grader.close()
        raise
    return grader


def examine(course: Course, settings: Settings) -> Iterator[tuple[bool, str]]:
    """Findings as they are made: whether each is in order, and what it says."""
    limits = settings.limits
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
    why = f" ({grader.zygote.reason})" if grader.zygote.reason else ""
    yield tier != "none", f"sandbox: {tier}{why}"
    for name, through in breaches(grader.zygote, course.root, limits):
        yield not through, f"canary {name}: {'GOT THROUGH' if through else 'held'}"

"""`autograder doctor`: whether grading here is safe and true."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from traitlets.config.loader import Config

from autograder.commands import BELOW, GRADED, Commands, to_author
from autograder.course.assignments import CONFIG_NAME, Assignment, Course
from autograder.course.configuration import expect_box
from autograder.course.folders import Folders
from autograder.course.gradebook import known_students
from autograder.course.gradebook_advice import UPGRADE
from autograder.course.settings import Settings, read_config, settings_of
from autograder.errors import AutograderError, Ungraded, UsageError

if TYPE_CHECKING:
    from autograder.course.limits import Limits

TOLD = ("nbgrader", "ipython", "safetensors", "pytest")
SAFE = "grading here is safe"
SAFE_ONLY = "grading here is safe, but not all is in order"
UNSAFE = "grading here would NOT be safe"
STOPS = "TRAITLETS_APPLICATION_RAISE_CONFIG_FILE_ERROR"  # nbgrader's commands, at a file that fails


@dataclass(frozen=True)
class _Finding:
    in_order: bool
    says: str
    of_safety: bool = False
    warns: bool = False

    def __str__(self) -> str:
        mark = "BAD " if not self.in_order else "WARN" if self.warns else "ok  "
        return f"{mark} {self.says}"


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    doctor = commands.add_parser("doctor", help="tell whether grading here is safe and true")
    doctor.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    course = Course.find()
    bad = []
    for finding in _examine(course, read_config(course.root)):
        print(finding, flush=True)
        if not finding.in_order:
            bad.append(finding)
    print(UNSAFE if any(one.of_safety for one in bad) else SAFE_ONLY if bad else SAFE)
    return BELOW if bad else GRADED


def _examine(course: Course, config: Config) -> Iterator[_Finding]:
    """Findings as they are made."""
    from autograder.authoring.expected import misconception_differences, pace_differences
    from autograder.authoring.oversights import oversights
    from autograder.grading.grader import Grader
    from autograder.grading.identity import versions, versions_line
    from autograder.grading.readiness import fails_visibly, guard_against_drift

    settings = settings_of(config)
    limits = settings.limits
    found = [versions_line(versions()), *(f"{name} {version(name)}" for name in TOLD)]
    yield _Finding(True, ", ".join(found))
    yield _Finding(True, f"{platform.platform()}, {sys.executable}")
    found = [f"{name} {value:,}" for name, value in limits.as_dict().items()]
    yield _Finding(True, f"limits: {', '.join(found)}")
    yield _configuration(config)
    yield from _options(config, course)
    if os.environ.get(STOPS, "").lower() not in ("1", "true"):
        yield _Finding(
            True,
            f"{STOPS} is not set: at an error in {CONFIG_NAME} nbgrader's own commands would go on "
            f"without it, and run students' code with your rights: `export {STOPS}=1`",
            warns=True,
        )
    yield _gradebook(course, config)
    yield from _sandbox(course, limits)
    for assignment_id in sorted({*course.assignment_ids(), *course.unreleased_ids()}):
        try:
            assignment = course.assignment(assignment_id)
            assignment.expect_checks_hidden()
            with to_author(), Grader(assignment, limits) as grader:
                guard_against_drift(course, grader, settings)
                failed = fails_visibly(grader)
            yield _Finding(True, f"{assignment_id}: the solution earns every point")
            if failed:
                said = f"{assignment_id}: the solution fails what students see: {failed}"
                yield _Finding(False, said)
            stored = [*misconception_differences(assignment), *pace_differences(assignment)]
            again = [f"{said}: run `autograder expected {assignment_id}`" for said in stored]
            for said in [*oversights(assignment), *again, *_without_kinds(assignment)]:
                yield _Finding(False, f"{assignment_id}: {said}")
            yield _release(course, assignment, settings)
        except AutograderError as error:
            yield _Finding(False, f"{assignment_id}: {error}")


def _without_kinds(assignment: Assignment) -> Iterator[str]:
    slugs = [q.slug for q in assignment.questions if not assignment.kinds_file(q.slug).is_file()]
    if 0 < len(slugs) < len(assignment.questions):
        yield (
            f"no small mistakes are known of {', '.join(slugs)}, so that students are told less: "
            f"run `autograder mutants {assignment.id} --store`"
        )


def _configuration(config: Config) -> _Finding:
    try:
        expect_box(config)
    except UsageError as error:
        return _Finding(False, str(error), of_safety=True)
    return _Finding(True, f"{CONFIG_NAME}: nbgrader grades in a box")


def _options(config: Config, course: Course) -> Iterator[_Finding]:
    """What the configuration sets in vain."""
    from autograder.nbgrader.options import expect_late_rule, misspelt

    wrong = []
    try:
        expect_late_rule(config, course.root)
    except UsageError as error:
        wrong.append(str(error))
    wrong += [said for said in misspelt(config) if said not in wrong]
    if not wrong:
        yield _Finding(True, f"{CONFIG_NAME}: no option looks misspelt")
    yield from (_Finding(False, said) for said in wrong)


def _gradebook(course: Course, config: Config) -> _Finding:
    from autograder.nbgrader.schema import lacking

    url = Folders(course, config, "").db_url
    try:
        students = known_students(url)
    except UsageError as error:
        return _Finding(False, str(error))
    if absent := lacking(url):
        return _Finding(False, f"the gradebook lacks {', '.join(absent)}: {UPGRADE}")
    return _Finding(True, f"the gradebook knows {len(students)} students")


def _release(course: Course, assignment: Assignment, settings: Settings) -> _Finding:
    from autograder.nbgrader.scratch import ScratchCourse

    with ScratchCourse(course, assignment, settings) as scratch:
        outdated = scratch.outdated()
    if not outdated:
        return _Finding(True, f"{assignment.id}: the release is what source/ gives")
    return _Finding(
        False,
        f"{assignment.id}: {', '.join(outdated)} in release/ is not what source/ gives now: "
        f"run `nbgrader generate_assignment {assignment.id} --force`",
    )


def _sandbox(course: Course, limits: Limits) -> Iterator[_Finding]:
    """What confines a box here, whatever becomes of the assignments."""
    from autograder.box.outside.canaries import breaches
    from autograder.box.outside.zygotes import StartedZygote

    try:
        with StartedZygote(hidden=[course.root]) as zygote:
            why = f" ({zygote.reason})" if zygote.reason else ""
            yield _Finding(zygote.tier != "none", f"sandbox: {zygote.tier}{why}", of_safety=True)
            for name, through in breaches(zygote, course.root, limits):
                says = f"canary {name}: {'GOT THROUGH' if through else 'held'}"
                yield _Finding(not through, says, of_safety=True)
    except Ungraded as error:
        yield _Finding(False, f"sandbox: {error}", of_safety=True)

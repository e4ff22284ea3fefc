"""`autograder grade`: notebooks graded without a gradebook."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.commands import BELOW, FAULT, GRADED, USAGE, Commands, complain, progress
from autograder.course.assignments import Assignment, Course
from autograder.course.settings import Settings, read_settings
from autograder.errors import Ungraded, UnreadableSubmission, Unready, UsageError
from autograder.files import expect_folder_of
from autograder.results.formats import FORMATS, GITHUB, GRADESCOPE, write_results
from autograder.results.formats.gradescope import ONE_FOR_GRADESCOPE
from autograder.results.model import SubmissionResult

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from autograder.nbgrader.single import Grade

Work = tuple[str, "NotebookNode", Assignment]
"""The path of a notebook as it was given, what it holds, and the assignment that it is of."""
SHOWN_AT_ONCE = (GRADESCOPE, GITHUB)
"""Formats of places where students read a result, and hand in again, before the deadline."""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    grade = commands.add_parser("grade", help="grade notebooks without a gradebook")
    grade.add_argument("notebooks", nargs="+", type=Path, metavar="NOTEBOOK")
    grade.add_argument("--assignment", metavar="ID", help="default: told from the notebook")
    grade.add_argument("--format", choices=FORMATS, default="text")
    grade.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")
    grade.add_argument("--fail-under", type=_percentage, default=0.0, metavar="PERCENT")
    grade.add_argument(
        "--cache", type=Path, metavar="FOLDER", help="keep verdicts there, and take those that hold"
    )
    grade.set_defaults(run=_run)
    grade.add_argument(
        "--trust-notebooks",
        action="store_true",
        help="grade even where nothing can confine the notebooks' code",
    )


def _run(options: argparse.Namespace) -> int:
    course = Course.find()
    settings = read_settings(course.root)
    if options.trust_notebooks:
        settings = replace(settings, trust_notebooks=True)
    if options.format in SHOWN_AT_ONCE:
        settings = replace(settings, no_follow_through=tuple(course.assignment_ids()))
    if options.output is not None:
        expect_folder_of(options.output)
    if options.cache is not None:
        _expect_cache(options.cache)
    if options.format == GRADESCOPE and len(options.notebooks) > 1:
        raise UsageError(ONE_FOR_GRADESCOPE)
    work, refused = _read(options.notebooks, options.assignment, course, settings)
    results = list(progress(_results(course, work, settings, options.cache), len(work), "grading"))
    if results:
        several = len(options.notebooks) > 1
        write_results(results, options.format, options.output, several=several)
    for why in refused:
        complain(f"autograder: {why}")
    if any(result.status == "ungraded" for result in results):
        return FAULT
    if refused:
        return USAGE
    return BELOW if any(_percent(result) < options.fail_under for result in results) else GRADED


def _read(
    paths: Sequence[Path], wanted: str | None, course: Course, settings: Settings
) -> tuple[list[Work], list[str]]:
    """The notebooks that can be graded, and why the others cannot."""
    from autograder.intake.submission import read_notebook

    work, refused = list[Work](), list[str]()
    for path in paths:
        try:
            notebook = read_notebook(path, settings.limits.notebook_bytes)
            work.append((str(path), notebook, _assignment_of(notebook, path, wanted, course)))
        except UnreadableSubmission as error:
            refused.append(str(error))
    return work, refused


def _expect_cache(folder: Path) -> None:
    """Makes the folder for kept verdicts; a new one, this user alone may read.

    Raises:
        UsageError: it cannot be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(f"--cache {folder} cannot hold verdicts: {error.strerror}") from error


def _percentage(text: str) -> float:
    with suppress(ValueError):
        if 0 <= (number := float(text)) <= 100:
            return number
    raise argparse.ArgumentTypeError(f"{text} is no percentage: give a number from 0 to 100")


def _percent(result: SubmissionResult) -> float:
    return 100 * result.score / result.max_score if result.max_score else 100.0


def _assignment_of(
    notebook: NotebookNode, path: Path, wanted: str | None, course: Course
) -> Assignment:
    """The assignment that `wanted` and the cells of the notebook tell."""
    from autograder.intake.belonging import origin, released_in

    if wanted is not None:
        course.assignment(wanted)
    released = released_in(course)
    if not released:
        raise UsageError(
            f"{course.root / 'release'} holds no release, by which the assignment of {path} could "
            "be told: run `nbgrader generate_assignment ASSIGNMENT` first"
        )
    found = origin(notebook, released, str(path), wanted)
    return course.assignment(found.assignment)


def _results(
    course: Course,
    work: Sequence[Work],
    settings: Settings,
    verdicts: Path | None,
) -> Iterator[SubmissionResult]:
    """Grades in the order given, with one warm zygote for each assignment.

    What makes an assignment unready is looked for once.
    """
    from autograder.nbgrader.single import opened_grader
    from autograder.results.ungraded import ungraded

    graders: dict[str, Grade] = {}
    unready: dict[str, str] = {}
    with ExitStack() as stack:
        for name, notebook, assignment in work:
            if assignment.id in unready:
                yield ungraded(assignment, name, unready[assignment.id])
                continue
            try:
                if assignment.id not in graders:
                    opened = opened_grader(course, assignment, settings, verdicts)
                    graders[assignment.id] = stack.enter_context(opened)
                yield graders[assignment.id](notebook, name)
            except Ungraded as fault:
                if isinstance(fault, Unready) and verdicts is None:  # others may be kept
                    unready[assignment.id] = str(fault)
                yield ungraded(assignment, name, str(fault))

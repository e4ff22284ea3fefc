"""The `autograder` command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import NoReturn, TypeVar

from nbformat import NotebookNode
from tqdm import tqdm

from autograder.course import Assignment, Course
from autograder.errors import AutograderError, Ungraded, UsageError
from autograder.formats import FORMATS, GRADESCOPE, write_results
from autograder.formats.commands import without_commands
from autograder.formats.gradescope import ONE_FOR_GRADESCOPE, VISIBILITIES
from autograder.report import plain
from autograder.results import SubmissionResult
from autograder.settings import Settings, read_settings
from autograder.submission import read_notebook

T = TypeVar("T")

GRADED, BELOW, USAGE, FAULT = 0, 1, 2, 3
BAR_DELAY_SECONDS = 2.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code that the README documents."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except UsageError as error:
        _complain(f"autograder: {error}")
        return USAGE
    except AutograderError as error:
        _complain(f"autograder: ungraded: {error}")
        return FAULT


def _complain(text: str) -> None:
    """Tells of an error, in which a student's file name may stand."""
    print(without_commands(plain(text)), file=sys.stderr)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"autograder: {message} (see `{self.prog} --help`)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="autograder", description="Grade notebooks by hidden checks.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    grade = commands.add_parser("grade", help="grade notebooks without a gradebook")
    grade.add_argument("notebooks", nargs="+", type=Path, metavar="NOTEBOOK")
    grade.add_argument("--assignment", metavar="ID", help="default: told from the notebook")
    grade.add_argument("--format", choices=FORMATS, default="text")
    grade.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")
    grade.add_argument("--fail-under", type=float, default=0.0, metavar="PERCENT")
    grade.set_defaults(run=_grade)
    grade.add_argument(
        "--trust-notebooks",
        action="store_true",
        help="grade even where nothing can confine the notebooks' code",
    )
    report = commands.add_parser("report", help="write the class report, an HTML page")
    report.add_argument("assignment", metavar="ASSIGNMENT")
    report.add_argument(
        "--output", type=Path, metavar="FILE", help="default: reports/ASSIGNMENT.html in the course"
    )
    report.set_defaults(run=_report)
    expected = commands.add_parser("expected", help="make the expected tensors")
    expected.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="default: all")
    expected.add_argument("--check", action="store_true", help="only say whether they are current")
    expected.set_defaults(run=_expected)
    gradescope = commands.add_parser("gradescope", help="make the zip that Gradescope asks for")
    gradescope.add_argument("assignment", metavar="ASSIGNMENT")
    gradescope.add_argument("--output", type=Path, metavar="ZIP", required=True)
    gradescope.add_argument(
        "--visibility",
        choices=VISIBILITIES,
        default="visible",
        help="when students see the checks and their score (default: visible, at once)",
    )
    gradescope.set_defaults(run=_gradescope)
    doctor = commands.add_parser("doctor", help="tell whether grading here is safe and true")
    doctor.set_defaults(run=_doctor)
    return parser


def _grade(options: argparse.Namespace) -> int:
    course = Course.find()
    settings = read_settings(course.root)
    if options.trust_notebooks:
        settings = replace(settings, trust_notebooks=True)
    if options.output is not None and not options.output.parent.is_dir():
        raise UsageError(f"{options.output.parent} is no folder: cannot write {options.output}")
    if options.format == GRADESCOPE and len(options.notebooks) > 1:
        raise UsageError(ONE_FOR_GRADESCOPE)
    work = [
        (str(path), notebook, _assignment_of(notebook, path, options.assignment, course))
        for path in options.notebooks
        for notebook in [read_notebook(path, settings.limits.notebook_bytes)]
    ]
    results = list(_bar(_results(course, work, settings), len(work), "grading"))
    write_results(results, options.format, options.output)
    if any(result.status == "ungraded" for result in results):
        return FAULT
    return BELOW if any(_percent(result) < options.fail_under for result in results) else GRADED


def _percent(result: SubmissionResult) -> float:
    return 100 * result.score / result.max_score if result.max_score else 100.0


def _assignment_of(
    notebook: NotebookNode, path: Path, wanted: str | None, course: Course
) -> Assignment:
    """The assignment that `wanted` or the file's name or the cells of the notebook tell."""
    shared = {name: course.assignment(name).known_in(notebook) for name in course.assignment_ids()}
    if wanted is not None:
        course.assignment(wanted)
    best = max(shared, key=lambda name: (shared[name], name == path.stem), default="")
    chosen = wanted or best
    if not shared.get(chosen):
        raise UsageError(
            f"{path} is no notebook of {wanted or 'this course'}: none of its cells carries the "
            "id of a released cell; start from the notebook in release/"
        )
    if shared[best] > shared[chosen]:
        raise UsageError(f"{path} is a notebook of {best}, not of {chosen}")
    return course.assignment(chosen)


def _results(
    course: Course, work: Sequence[tuple[str, NotebookNode, Assignment]], settings: Settings
) -> Iterator[SubmissionResult]:
    """Grades in the order given, with one warm zygote for each assignment."""
    from autograder.doctor import ready_grader
    from autograder.grading import Grader, ungraded

    graders: dict[str, Grader] = {}
    with ExitStack() as stack:
        for name, notebook, assignment in work:
            try:
                if assignment.id not in graders:
                    grader = ready_grader(course, assignment, settings)
                    graders[assignment.id] = stack.enter_context(grader)
                yield graders[assignment.id].grade(notebook, name).result
            except Ungraded as fault:
                yield ungraded(assignment, name, str(fault))


def _report(options: argparse.Namespace) -> int:
    from autograder.class_report import write_report

    path = write_report(Course.find(), options.assignment, options.output)
    print(f"class report: {path}")
    return GRADED


def _expected(options: argparse.Namespace) -> int:
    from autograder.authoring import (
        differences,
        misconception_differences,
        record,
        record_misconceptions,
        write_expected,
        write_misconceptions,
    )
    from autograder.grading import Grader

    course = Course.find()
    assignments = [course.assignment(i) for i in options.assignments or course.assignment_ids()]
    stale = False
    for assignment in _bar(assignments, len(assignments), "expected tensors"):
        with Grader(assignment) as grader:
            recorders = record(grader)
            replies = None if options.check else record_misconceptions(grader, recorders)
        if replies is None:
            found = differences(assignment, recorders) + misconception_differences(assignment)
            stale = stale or bool(found)
            print("\n".join(f"{assignment.id}: {line}" for line in found or ["up to date"]))
        else:
            changed = write_expected(assignment, recorders)
            changed += write_misconceptions(assignment, replies)
            print("\n".join(f"wrote {path.name}" for path in changed) or f"{assignment.id}: same")
    return BELOW if stale else GRADED


def _gradescope(options: argparse.Namespace) -> int:
    from autograder.gradescope.archive import write_zip

    course = Course.find()
    assignment, settings = course.assignment(options.assignment), read_settings(course.root)
    write_zip(assignment, settings, options.output, options.visibility)
    print(f"upload to Gradescope as the autograder of {assignment.id}: {options.output}")
    return GRADED


def _doctor(options: argparse.Namespace) -> int:
    from autograder.doctor import examine

    course = Course.find()
    sound = True
    for in_order, finding in examine(course, read_settings(course.root)):
        print(f"{'ok  ' if in_order else 'BAD '} {finding}", flush=True)
        sound = sound and in_order
    print("grading here is safe" if sound else "grading here would NOT be safe")
    return GRADED if sound else BELOW


def _bar(things: Iterable[T], total: int, what: str) -> Iterable[T]:
    """A progress bar on standard error, once the work has taken two seconds."""
    return tqdm(things, what, total, file=sys.stderr, delay=BAR_DELAY_SECONDS, disable=None)

"""`autograder batch`: a class graded in parallel and recorded."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from autograder.commands import (
    FAULT,
    GRADED,
    USAGE,
    Commands,
    complain,
    cores,
    expect_dask_settings,
    expect_one_kind_of_workers,
    jobs,
)
from autograder.commands.report import report_on_class
from autograder.course.assignments import Course
from autograder.errors import UsageError
from autograder.results.plain import one_line

if TYPE_CHECKING:
    from autograder.batch.run import Workers
    from autograder.batch.tally import Tally


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    batch = commands.add_parser("batch", help="grade a class in parallel and record it")
    batch.add_argument("assignment", metavar="ASSIGNMENT")
    batch.add_argument("--jobs", type=jobs, metavar="N", help="default: one a core")
    batch.add_argument(
        "--scheduler", metavar="ADDRESS", help="a Dask scheduler, as tls://host:8786"
    )
    batch.add_argument("--fresh", action="store_true", help="grade also what has not changed")
    batch.add_argument("--feedback", action="store_true", help="make feedback pages, too")
    batch.add_argument("--report", action="store_true", help="write the class report, too")
    batch.add_argument(
        "--preview", action="store_true", help="say what would change, and record nothing"
    )
    batch.set_defaults(run=_run, stopped="stopped: run it again to go on from here")


def _run(options: argparse.Namespace) -> int:
    from autograder.batch.run import Workers, batch

    expect_one_kind_of_workers(options.jobs, options.scheduler)
    if options.preview and (options.feedback or options.report):
        raise UsageError(
            "--preview records nothing that --feedback or --report could show: leave them away"
        )
    expect_dask_settings()
    course = Course.find()
    workers = Workers(options.jobs or cores(), options.scheduler)
    pageless: dict[str, str] = {}
    if options.preview:
        tally = _preview(course, options, workers)
    else:
        tally = batch(course, options.assignment, workers, fresh=options.fresh)
        _tell(course, options.assignment, tally)
        pageless = _write_pages(course, options, workers.jobs) if tally.graded else {}
    if tally.ungraded or pageless:
        return FAULT
    return USAGE if tally.refused else GRADED


def _preview(course: Course, options: argparse.Namespace, workers: Workers) -> Tally:
    from autograder.batch.preview import preview, preview_table
    from autograder.pages.preview.page import write_preview

    found, tally = preview(course, options.assignment, workers, fresh=options.fresh)
    _complain_of(tally.failures)
    _complain_of(tally.misplaced)
    print(preview_table(found), end="")
    print(f"preview: {write_preview(course, found)} (nothing was recorded)")
    return tally


def _tell(course: Course, assignment: str, tally: Tally) -> None:
    from autograder.batch.scores import score_table

    _complain_of(tally.failures)
    _complain_of(tally.beside)
    _complain_of(tally.misplaced)
    print(score_table(course, assignment), end="")
    print(
        f"{assignment}: {len(tally.recorded)} graded and recorded, "
        f"{len(tally.unchanged)} unchanged, {len(tally.refused)} refused, "
        f"{len(tally.ungraded)} ungraded"
    )


def _write_pages(course: Course, options: argparse.Namespace, jobs: int) -> dict[str, str]:
    """Writes the pages that were asked for; tells and returns why a student has none."""
    pageless = {}
    if options.feedback:
        from autograder.batch.pages import left_behind, make_pages

        pageless = make_pages(course, options.assignment, jobs)
        _complain_of(left_behind(course, options.assignment))
        _complain_of({student: f"no feedback page: {why}" for student, why in pageless.items()})
    if options.report:
        report_on_class(course, options.assignment)
    return pageless


def _complain_of(failures: Mapping[str, str]) -> None:
    for student, reason in sorted(failures.items()):
        complain(f"autograder: {one_line(student)}: {one_line(reason)}")

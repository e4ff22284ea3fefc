"""`autograder batch`: a class graded in parallel and recorded."""

from __future__ import annotations

import argparse
import os

from autograder.commands import FAULT, GRADED, INTERRUPTED, USAGE, Commands, complain
from autograder.course.assignments import Course
from autograder.errors import UsageError


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Adds the command to the parser's."""
    batch = commands.add_parser("batch", help="grade a class in parallel and record it")
    batch.add_argument("assignment", metavar="ASSIGNMENT")
    batch.add_argument("--jobs", type=_jobs, metavar="N", help="default: one a core")
    batch.add_argument(
        "--scheduler", metavar="ADDRESS", help="a Dask scheduler, as tls://host:8786"
    )
    batch.add_argument("--fresh", action="store_true", help="grade also what has not changed")
    batch.set_defaults(run=_run)


def _jobs(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} workers grade nothing: give at least 1")
    return number


def _expect_dask_settings() -> None:
    """Refuses a DASK_CONFIG that Dask would pass over, or fail at in many lines.

    Raises:
        UsageError: it names no file, or one that Dask cannot read.
    """
    path = os.environ.get("DASK_CONFIG")
    if path is None:
        return
    if not os.path.exists(path):
        raise UsageError(
            f"DASK_CONFIG names {path}, which is not there: name the file with the keys"
        )
    try:
        import dask.config  # noqa: F401
    except (ValueError, OSError) as error:
        said = str(error).strip().partition("\n")[0]
        raise UsageError(f"DASK_CONFIG names {path}, which Dask cannot read: {said}") from error


def _run(options: argparse.Namespace) -> int:
    from autograder.batch.run import Workers, batch
    from autograder.batch.scores import score_table

    if options.jobs is not None and options.scheduler is not None:
        raise UsageError("--jobs counts workers of this machine, --scheduler has its own: give one")
    _expect_dask_settings()
    course = Course.find()
    workers = Workers(options.jobs or len(os.sched_getaffinity(0)), options.scheduler)
    try:
        tally = batch(course, options.assignment, workers, fresh=options.fresh)
    except KeyboardInterrupt:
        complain("autograder: stopped: run it again to go on from here")
        return INTERRUPTED
    for student, reason in sorted(tally.failures.items()):
        complain(f"autograder: {student}: {reason}")
    print(score_table(course, options.assignment), end="")
    print(
        f"{options.assignment}: {len(tally.recorded)} graded and recorded, "
        f"{len(tally.unchanged)} unchanged, {len(tally.refused)} refused, "
        f"{len(tally.ungraded)} ungraded"
    )
    if tally.ungraded:
        return FAULT
    return USAGE if tally.refused else GRADED

"""The commands of `autograder`, one module each: `add` describes it, and `_run` does it.

What a command needs beyond its arguments is imported when it runs: each shall start at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import TypeVar

from tqdm import tqdm

from autograder.errors import BrokenCheck, UsageError
from autograder.results.formats.commands import without_commands
from autograder.results.plain import plain

T = TypeVar("T")
Commands = argparse._SubParsersAction  # what argparse gives no public name

GRADED, BELOW, USAGE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130
UNREAD = 141  # as shells tell of a command that nobody listened to any more
BAR_DELAY_SECONDS = 2.0
SERVICE = ("alembic", "h11", "httpx", "jwt", "prometheus_client", "starlette", "uvicorn")


def complain(text: str) -> None:
    """Tells of an error, in which a student's file name may stand."""
    print(without_commands(plain(text)), file=sys.stderr)


def progress(things: Iterable[T], total: int, what: str) -> Iterable[T]:
    """A progress bar on standard error, once the work has taken two seconds."""
    return tqdm(things, what, total, file=sys.stderr, delay=BAR_DELAY_SECONDS, disable=None)


def has_service() -> bool:
    """Whether the packages of the check service are there."""
    return all(map(find_spec, SERVICE))


def need_service() -> None:
    """Says so where the packages of the check service are missing.

    Raises:
        UsageError: they are.
    """
    if not has_service():
        raise UsageError("the check service needs more: run `pip install 'autograder[service]'`")


@contextmanager
def to_author() -> Iterator[None]:
    """Tells of a broken check all that is known, and as a mistake of whoever runs the command.

    For commands that ask the author's own solution alone.

    Raises:
        UsageError: a check is broken.
    """
    try:
        yield
    except BrokenCheck as error:
        raise UsageError(error.in_full) from error


def jobs(text: str) -> int:
    """How many workers of this machine an argument asks for."""
    with suppress(ValueError):
        if (number := int(text)) >= 1:
            return number
    raise argparse.ArgumentTypeError(f"{text} is no number of workers: give at least 1")


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # macOS, where only what needs no box gets further


def expect_one_kind_of_workers(jobs: int | None, scheduler: str | None) -> None:
    """Refuses workers of this machine and those of a scheduler at a time.

    Raises:
        UsageError: both are asked for.
    """
    if jobs is not None and scheduler is not None:
        raise UsageError("--jobs counts workers of this machine, --scheduler has its own: give one")


def expect_dask_settings() -> None:
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

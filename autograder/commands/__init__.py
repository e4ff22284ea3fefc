"""The commands of `autograder`, one module each: `add` describes it, and `_run` does it.

What a command needs beyond its arguments is imported when it runs: each shall start at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TypeVar

from tqdm import tqdm

from autograder.results.formats.commands import without_commands
from autograder.results.plain import plain

T = TypeVar("T")
Commands = argparse._SubParsersAction  # what argparse gives no public name

GRADED, BELOW, USAGE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130
BAR_DELAY_SECONDS = 2.0


def complain(text: str) -> None:
    """Tells of an error, in which a student's file name may stand."""
    print(without_commands(plain(text)), file=sys.stderr)


def progress(things: Iterable[T], total: int, what: str) -> Iterable[T]:
    """A progress bar on standard error, once the work has taken two seconds."""
    return tqdm(things, what, total, file=sys.stderr, delay=BAR_DELAY_SECONDS, disable=None)

"""The `autograder` command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import autograder.lean  # noqa: F401 - before nbformat
from autograder.commands import (
    FAULT,
    INTERRUPTED,
    UNREAD,
    USAGE,
    adopt,
    attempts,
    batch,
    complain,
    doctor,
    expected,
    grade,
    gradescope,
    init,
    mutants,
    new,
    report,
    serve,
    token,
)
from autograder.errors import AutograderError, UsageError
from autograder.full_disk import full_disk

COMMANDS = (
    grade,
    batch,
    report,
    adopt,
    expected,
    mutants,
    gradescope,
    doctor,
    init,
    new,
    serve,
    token,
    attempts,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code that the README documents."""
    options = _parser().parse_args(arguments)
    try:
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except BaseException as error:
        ended = _told(error, options)
        if ended is None:
            raise
        return ended


def _told(error: BaseException, options: argparse.Namespace) -> int | None:
    """The exit code of a command that ended so, which is told; None if nobody expects that."""
    behind = _chain(error)
    if any(type(one) is KeyboardInterrupt for one in behind):
        complain(f"autograder: {options.stopped}")
        return INTERRUPTED
    if isinstance(error, UsageError):
        complain(f"autograder: {error}")
        return USAGE
    error = full_disk(behind) or error
    if isinstance(error, AutograderError):
        complain(f"autograder: ungraded: {error}")
        return FAULT
    if isinstance(error, BrokenPipeError):  # the reader of standard output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left in it
        return UNREAD
    if isinstance(error, OSError) and error.filename is not None:
        complain(f"autograder: ungraded: {error.filename}: {error.strerror}")
        return FAULT
    return None


def _chain(error: BaseException) -> list[BaseException]:
    """An error and those behind it: also Ctrl-C, while a thread's end was waited for."""
    chain = [error]  # in which one may stand behind itself: `raise first from second`
    for one in chain:
        before = (one.__cause__, one.__context__)
        chain += [other for other in before if other is not None and other not in chain]
    return chain


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"autograder: {message} (see `{self.prog} --help`)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="autograder", description="Grade notebooks by hidden checks.")
    parser.set_defaults(stopped="stopped")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    return parser

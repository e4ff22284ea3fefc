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
    except UsageError as error:
        complain(f"autograder: {error}")
        return USAGE
    except AutograderError as error:
        complain(f"autograder: ungraded: {error}")
        return FAULT
    except BrokenPipeError:  # the reader of standard output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left in it
        return FAULT
    except OSError as error:
        if error.filename is None:
            raise
        complain(f"autograder: ungraded: {error.filename}: {error.strerror}")
        return FAULT


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"autograder: {message} (see `{self.prog} --help`)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="autograder", description="Grade notebooks by hidden checks.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    return parser

"""Commands that a cell runs with `!`."""

from __future__ import annotations

import os
import subprocess
import sys

from IPython.utils.process import system  # type: ignore[attr-defined]


def run_command(command: str) -> int:
    """Runs it, in a terminal of its own where the box has them, and prints what it prints.

    Returns:
        Its exit code.
    """
    code: int = (system if _has_terminals() else _run_by_pipe)(command)
    return code


def _has_terminals() -> bool:
    try:
        ends = os.openpty()
    except OSError:
        return False
    for end in ends:
        os.close(end)
    return True


def _run_by_pipe(command: str) -> int:
    """The same, with a terminal's line ends in what is printed."""
    with subprocess.Popen(
        ["sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line.decode(errors="replace").replace("\n", "\r\n"), end="")
            sys.stdout.flush()
    code = process.returncode
    return 128 - code if code > 128 else code

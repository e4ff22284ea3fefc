"""Zygotes for tests that are about something else: forks of one that is warmed once.

A test process has a lender for each list of imports, in a process of its own, since some tests
fork. Boxes see neither the course of this repository nor what lies where tests write.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from autograder.box.outside.lending import Lender, start_zygote
from autograder.box.outside.zygotes import Zygote

ROOT = Path(__file__).resolve().parent.parent
STARTED_BY = "autograder.grading.runs.start_zygote"


@contextmanager
def lent_zygotes(written: Path) -> Iterator[None]:
    """Graders get lent zygotes meanwhile; tests write below `written`."""
    unseen = (ROOT, written.resolve())

    def lent(imports: Sequence[str], hidden: Sequence[Path], lender: str = "") -> Zygote:
        for folder in hidden:
            path = folder.resolve()
            assert any(own in (path, *path.parents) for own in unseen), f"{path} would be seen"
        return start_zygote(imports, hidden, lender or _address(tuple(imports), unseen))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(STARTED_BY, lent)
        yield


@cache
def _address(imports: tuple[str, ...], unseen: tuple[Path, ...]) -> str:
    """Where a zygote with these imports is lent, until the end of this process."""
    settings = json.dumps([imports, [str(folder) for folder in unseen]])
    process = subprocess.Popen(
        [sys.executable, __file__, settings],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(process.communicate)
    assert process.stdout is not None
    return process.stdout.readline().strip()


def _lend(imports: list[str], unseen: list[str]) -> None:
    """Says where, and lends until the test process closes the channel."""
    with Lender(imports, [Path(folder) for folder in unseen]) as lender:
        print(lender.address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    _lend(*json.loads(sys.argv[1]))

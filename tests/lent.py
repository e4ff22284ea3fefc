"""Zygotes for tests that are about something else: forks of one that is warmed once.

Theory of operation. A test process has one process of lenders, apart from it since some tests fork.
Whoever needs a zygote, a grader here or in a command that a test runs, asks it by a list of imports
where one is lent. Boxes see neither the course of this repository nor what lies where tests write.
"""

from __future__ import annotations

import atexit
import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from threading import Thread

import pytest

from autograder.box.outside.lending import Lender, start_zygote
from autograder.box.outside.zygotes import StartedZygote, Zygote

ROOT = Path(__file__).resolve().parent.parent
STARTED_BY = (
    "autograder.grading.runs.start_zygote",
    "autograder.farm.forkserver.StartedZygote",  # workers of a batch are lent zygotes by its head
    "autograder.farm.warming.StartedZygote",
)
MESSAGE_BYTES = 1 << 16


@dataclass(frozen=True)
class Lent:
    """How zygotes are lent now.

    Attributes:
        unseen: folders that no box of theirs sees.
        channel: the socket at which one asks where.
    """

    unseen: tuple[str, ...]
    channel: str

    def zygote(self, imports: Sequence[str], hidden: Sequence[Path], lender: str = "") -> Zygote:
        """As `start_zygote`."""
        for folder in hidden:
            path = folder.resolve()
            seen = not any(Path(own) in (path, *path.parents) for own in self.unseen)
            assert not seen, f"{path} would be seen"
        return start_zygote(imports, hidden, lender or self._address(imports))

    def _address(self, imports: Sequence[str]) -> str:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
            asking.connect(self.channel)
            asking.send(json.dumps([list(imports), self.unseen]).encode())
            return asking.recv(MESSAGE_BYTES).decode()


_now: list[Lent] = []


@contextmanager
def lent_zygotes(written: Path) -> Iterator[None]:
    """Graders get lent zygotes meanwhile; tests write below `written`."""
    with lent_as(Lent((str(ROOT), str(written.resolve())), _lenders())):
        yield


@contextmanager
def lent_as(lent: Lent) -> Iterator[None]:
    """Graders of this process get zygotes that are lent like that."""
    with pytest.MonkeyPatch.context() as patch:
        for started in STARTED_BY:
            patch.setattr(started, lent.zygote)
        patch.setattr(sys.modules[__name__], "_now", [lent])
        yield


def lent_now() -> dict[str, object] | None:
    """What a command that is run now is to be told, for `Lent`; None where nothing is lent."""
    return asdict(_now[0]) if _now else None


def start_own(patch: pytest.MonkeyPatch) -> None:
    """Has graders, and commands that are run, start zygotes of their own after all."""
    patch.setattr(sys.modules[__name__], "_now", [])
    patch.setattr(STARTED_BY[0], start_zygote)
    for started in STARTED_BY[1:]:
        patch.setattr(started, StartedZygote)


@cache
def _lenders() -> str:
    """The channel to this process' lenders, which end with it."""
    process = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(process.communicate)
    assert process.stdout is not None
    return process.stdout.readline().strip()


def _lend() -> None:
    """Says where to ask, and answers until the test process closes its end."""
    with (
        tempfile.TemporaryDirectory(prefix="lenders-") as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening,
        ExitStack() as ended_with_it,
    ):
        listening.bind(f"{folder}/socket")
        listening.listen()
        Thread(target=_answer, args=(listening, ended_with_it), daemon=True).start()
        print(f"{folder}/socket", flush=True)
        sys.stdin.read()


def _answer(listening: socket.socket, lenders: ExitStack) -> None:
    """Says where zygotes with some imports are lent that do not see some folders."""

    @cache
    def address(imports: tuple[str, ...], unseen: tuple[str, ...]) -> str:
        return lenders.enter_context(Lender(imports, [Path(folder) for folder in unseen])).address

    while True:
        with listening.accept()[0] as asked:
            imports, unseen = json.loads(asked.recv(MESSAGE_BYTES))
            asked.send(address(tuple(imports), tuple(unseen)).encode())


if __name__ == "__main__":
    _lend()

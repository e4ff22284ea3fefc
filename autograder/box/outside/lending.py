"""One warm zygote for several graders of a machine: each is served by a fork of it.

Theory of operation. Warming a zygote takes seconds, forking a warm one milliseconds, and forks
share their memory. A `Lender` has one zygote warmed, at once or when first somebody connects, and
listens in a folder that no other user may enter. Every connection is handed on to the zygote, whose
fork serves it until whoever connected closes it. Those who connect before it is warm wait; where it
cannot be warmed they are turned away, and start one of their own, which says why.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Self

from autograder.box.outside.zygotes import StartedZygote, Zygote, settings
from autograder.errors import Ungraded, UsageError, ZygoteGone

StartZygote = Callable[[Sequence[str], Sequence[Path]], Zygote]
LONGEST_TMPDIR = 70
"""Bytes; a socket's path has 107 at most, and multiprocessing's end in some 30 of their own."""


def expect_room_for_sockets() -> None:
    """Raises UsageError where temporary files lie so deep that no socket can lie among them."""
    folder = tempfile.gettempdir()
    if (length := len(os.fsencode(folder))) > LONGEST_TMPDIR:
        raise UsageError(
            f"the folder for temporary files, {folder}, has a path of {length} bytes, and sockets "
            f"in it can have {LONGEST_TMPDIR}: set TMPDIR to another one, such as /tmp"
        )


def listening_at(address: str) -> socket.socket:
    """A socket at which processes of this machine connect."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening.bind(address)
    listening.listen()
    return listening


class Lender:
    """Lends a zygote to processes of this user. A context manager; nothing is lent after it.

    Attributes:
        address: what `start_zygote` is given for a fork of it.
    """

    def __init__(
        self,
        imports: Sequence[str],
        hidden: Sequence[Path],
        *,
        at_once: bool = True,
        start: StartZygote = StartedZygote,
    ) -> None:
        """Starts it.

        Args:
            imports: as of a `Zygote`.
            hidden: as of a `Zygote`.
            at_once: whether the zygote is warmed before anybody asks for it.
            start: what starts it.
        """
        expect_room_for_sockets()
        self._folder = tempfile.mkdtemp(prefix="lent-")
        self.address = f"{self._folder}/socket"
        self._listening = listening_at(self.address)
        self._start = partial(start, imports, hidden)
        self._thread = Thread(target=self._lend, args=(at_once,), daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the zygote, but none that was lent."""
        with suppress(OSError):  # it could not be warmed
            self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _lend(self, at_once: bool) -> None:
        with self._listening, suppress(Ungraded, OSError):
            waiting = None if at_once else self._listening.accept()[0]
            with self._start() as zygote:
                while True:
                    with waiting or self._listening.accept()[0] as connection:
                        zygote.lend(connection)
                    waiting = None


class LentZygote(Zygote):
    """A fork of a lender's zygote, which ends when it is closed."""

    def __init__(self, address: str) -> None:
        """Waits until it is warm.

        Raises:
            Ungraded: nobody lends there, or no more.
        """
        control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            control.connect(address)
        except OSError as error:
            control.close()
            raise ZygoteGone(f"the zygote is gone: {error}") from error
        super().__init__(control)


class ForkedZygote(Zygote):
    """A zygote that a warmer process than a new one becomes, once it has settings."""

    def __init__(
        self, control: socket.socket, imports: Sequence[str], hidden: Sequence[Path]
    ) -> None:
        """Warms it; see `StartedZygote`. `control`: at whose other end it waits."""
        with suppress(OSError):  # it has ended: the next line says so
            control.send(settings(imports, hidden))
        super().__init__(control)


def start_zygote(imports: Sequence[str], hidden: Sequence[Path], lender: str = "") -> Zygote:
    """A fork of the zygote that is lent at the address `lender`, or else a new one."""
    if lender:
        with suppress(Ungraded):
            return LentZygote(lender)
    return StartedZygote(imports, hidden)

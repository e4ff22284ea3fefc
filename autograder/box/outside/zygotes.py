"""The grader's side of a zygote: starts it, has it fork boxes, and ends it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tarfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from autograder.box.outside import cgroups
from autograder.box.outside.cgroups import BoxGroup
from autograder.box.walls.policy import COPIED_BYTES, Tier
from autograder.box.walls.zygote import MESSAGE_BYTES
from autograder.course.limits import Limits
from autograder.errors import Ungraded, ZygoteGone

if TYPE_CHECKING:  # who only lends zygotes needs no torch
    from autograder.box.outside.client import Box

ZYGOTE = "autograder.box.walls.zygote"
START_SECONDS = 120.0
CONTROL_SECONDS = 20.0
NOTHING_SAID = "it said nothing"
_DONE = {"fork": "made", "lend": "lent", "reap": "ended"}


class Zygote:
    """A warm process to fork boxes from. A context manager; ends with its `with` block.

    Attributes:
        tier: how far its boxes are confined.
        reason: why not further; empty when nothing is missing.
        groups: where the boxes' control groups are made; None when limits hold per process.
        gone: whether it has ended or stopped answering, so that only `close` makes sense.
    """

    def __init__(self, control: socket.socket) -> None:
        """Waits until who is at the other end of `control` is warm.

        Raises:
            ZygoteGone: it has ended before.
        """
        self._control = control
        self._occupied: set[BoxGroup] = set()
        self._asking = threading.Lock()
        self.gone = False
        try:
            ready = self._listen(START_SECONDS)
        except Ungraded:
            self.close()
            raise
        self.tier: Tier = ready["tier"]
        self.reason: str = ready["reason"]
        self.groups = cgroups.find() if self.tier != "none" else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the zygote and every box of it."""
        self._end()
        for group in list(self._occupied):
            self.remove(group)

    def _end(self) -> None:
        with self._control, suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)
            self._control.settimeout(CONTROL_SECONDS)
            while self._control.recv(MESSAGE_BYTES):
                pass

    def lend(self, connection: socket.socket) -> None:
        """Forks a zygote as warm, which serves who is at the other end of `connection`."""
        self._ask({"op": "lend"}, [connection.fileno()])

    def box(self, limits: Limits, assets: Mapping[str, Path], seed: int) -> Box:
        """Forks a box whose working folder holds copies of `assets` (by their name there)."""
        from autograder.box.outside.client import Box

        request = {
            "op": "fork",
            "limits": limits.as_dict(),
            "files": bool(assets),
            "seed": seed,
        }
        with ExitStack() as ours_until_then, ExitStack() as theirs_meanwhile:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
            ours_until_then.callback(ours.close)
            theirs_meanwhile.callback(theirs.close)
            fds = [theirs.fileno()]
            group = self._group(limits)
            if group:
                ours_until_then.callback(self.remove, group)
            try:
                fds += group.open_doors() if group else []
                fds += [_packed(assets)] if assets else []
            except OSError as error:
                raise Ungraded(f"no box for want of a file: {error}") from error
            finally:
                for fd in fds[1:]:
                    theirs_meanwhile.callback(os.close, fd)
            reply = self._ask(request, fds)
            ours_until_then.pop_all()
        return Box(self, ours, int(reply["pid"]), limits, group)

    def reap(self, pid: int, ended: bool) -> dict[str, Any]:
        """Kills what is left of a box.

        Returns its exit code, its peak memory in bytes, and what it took too much of.

        `ended`: the box seems to have ended by itself.
        """
        return self._ask({"op": "reap", "pid": pid, "ended": ended})

    def remove(self, group: BoxGroup) -> None:
        """Removes the group of a box that has ended."""
        self._occupied.discard(group)
        group.remove()

    def _group(self, limits: Limits) -> BoxGroup | None:
        if self.groups is None:
            return None
        try:
            group = self.groups.create(limits.memory_bytes + COPIED_BYTES, limits.processes)
        except OSError as error:
            raise Ungraded(f"no control group for a box: {error}") from error
        self._occupied.add(group)
        return group

    def _ask(self, message: dict[str, Any], fds: Sequence[int] = ()) -> dict[str, Any]:
        with self._asking:
            if self.gone:
                raise ZygoteGone("the zygote is gone")
            try:
                socket.send_fds(self._control, [json.dumps(message).encode()], fds)
            except OSError as error:
                raise self._lost(f"is gone: {error}") from error
            reply = self._listen(CONTROL_SECONDS)
        if "error" in reply:
            raise Ungraded(f"a box could not be {_DONE[message['op']]}: {reply['error']}")
        return reply

    def _listen(self, seconds: float) -> dict[str, Any]:
        self._control.settimeout(seconds)
        try:
            data = self._control.recv(MESSAGE_BYTES)
        except OSError as error:
            raise self._lost(f"does not answer: {error}") from error
        if not data:
            raise self._lost(f"ended: {self._last_words()}")
        reply: dict[str, Any] = json.loads(data)
        return reply

    def _lost(self, how: str) -> ZygoteGone:
        self.gone = True
        return ZygoteGone(f"the zygote {how}")

    def _last_words(self) -> str:
        return NOTHING_SAID


class StartedZygote(Zygote):
    """A zygote that is a process of its own, a child of this one."""

    def __init__(
        self,
        imports: Sequence[str] = (),
        hidden: Sequence[Path] = (),
        at_most: Tier = "full",
    ) -> None:
        """Starts and warms it.

        Args:
            imports: modules that boxes find loaded.
            hidden: folders that its boxes must not see.
            at_most: a lower tier, for tests of that tier.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-m", ZYGOTE, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=zygote_environment(),
                start_new_session=True,
            )
        ours.send(settings(imports, hidden, at_most))
        super().__init__(ours)

    def _end(self) -> None:
        self._control.close()
        try:
            self._process.wait(CONTROL_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr:
            self._process.stderr.close()

    def _last_words(self) -> str:
        self._process.wait()
        said = self._process.stderr.read() if self._process.stderr else b""
        return said.decode(errors="replace").strip().rpartition("\n")[2] or NOTHING_SAID


def settings(imports: Sequence[str], hidden: Sequence[Path], at_most: Tier = "full") -> bytes:
    """What a new zygote is told first; see `StartedZygote`."""
    told = {
        "imports": list(imports),
        "hidden": [str(path.resolve()) for path in hidden],
        "at_most": at_most,
    }
    return json.dumps(told).encode()


def zygote_environment() -> dict[str, str]:
    """The whole environment of a process that becomes a zygote: constants only."""
    single = ("OMP", "MKL", "OPENBLAS", "NUMEXPR")
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONHASHSEED": "0",
        "HF_HUB_OFFLINE": "1",
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",  # a fork copies one entry for a large page
        **{f"{library}_NUM_THREADS": "1" for library in single},
    }


def _packed(assets: Mapping[str, Path]) -> int:
    """A descriptor of an archive of `assets` in memory. Raises OSError."""
    with open(os.memfd_create("assets", os.MFD_CLOEXEC), "wb") as file:
        with tarfile.open(fileobj=file, mode="w", dereference=True) as archive:
            for name, path in assets.items():
                archive.add(path, name, recursive=False)
        file.flush()
        return os.dup(file.fileno())

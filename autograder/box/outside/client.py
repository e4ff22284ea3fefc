"""The grader's side of zygote and box: starts them, asks, and distrusts every answer."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import tarfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import torch

from autograder.box import tensors
from autograder.box.outside import cgroups
from autograder.box.outside.cgroups import BoxGroup
from autograder.box.outside.replies import CellReply, cell_reply, probe_reply
from autograder.box.probes import ProbeRun
from autograder.box.walls.policy import COPIED_BYTES, Tier
from autograder.box.wire import Frame, receive_frame, send_frame
from autograder.course.limits import Limits
from autograder.errors import (
    AutograderError,
    BadReply,
    DeadlinePassed,
    Disconnected,
    Ungraded,
    ZygoteGone,
)
from autograder.results.model import Status

ZYGOTE = "autograder.box.walls.zygote"
START_SECONDS = 120.0
CONTROL_SECONDS = 20.0
REPLY_BYTES = 64 << 20
ESCAPED = 8  # JSON may spell one byte of output with up to six
CONTROL_MESSAGE_BYTES = 64 * 1024


class BoxLost(AutograderError):
    """A box is of no more use: it hung, died, or broke the protocol.

    Attributes:
        status: what the question under way gets for it.
    """

    def __init__(self, status: Status, why: str) -> None:
        super().__init__(why)
        self.status = status


class Zygote:
    """A warm process to fork boxes from. A context manager; ends with its `with` block.

    Attributes:
        tier: how far its boxes are confined.
        reason: why not further; empty when nothing is missing.
        groups: where the boxes' control groups are made; None when limits hold per process.
        gone: whether it has ended or stopped answering, so that only `close` makes sense.
    """

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
        settings = {
            "imports": list(imports),
            "hidden": [str(path.resolve()) for path in hidden],
            "at_most": at_most,
        }
        self._occupied: set[BoxGroup] = set()
        self.gone = False
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = ours
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-m", ZYGOTE, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=_zygote_environment(),
                start_new_session=True,
            )
        ours.send(json.dumps(settings).encode())
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
        self._control.close()
        try:
            self._process.wait(CONTROL_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr:
            self._process.stderr.close()
        for group in list(self._occupied):
            self.remove(group)

    def box(self, limits: Limits, assets: Mapping[str, Path], seed: int) -> Box:
        """Forks a box whose working folder holds copies of `assets` (by their name there)."""
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
        """Kills what is left of a box; returns exit code, CPU seconds and peak memory.

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
        if self.gone:
            raise ZygoteGone("the zygote is gone")
        try:
            socket.send_fds(self._control, [json.dumps(message).encode()], fds)
        except OSError as error:
            raise self._lost(f"is gone: {error}") from error
        reply = self._listen(CONTROL_SECONDS)
        if "error" in reply:
            raise Ungraded(f"a box could not be closed: {reply['error']}")
        return reply

    def _listen(self, seconds: float) -> dict[str, Any]:
        self._control.settimeout(seconds)
        try:
            data = self._control.recv(CONTROL_MESSAGE_BYTES)
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
        self._process.wait()
        said = self._process.stderr.read() if self._process.stderr else b""
        return said.decode(errors="replace").strip().rpartition("\n")[2] or "it said nothing"


def _zygote_environment() -> dict[str, str]:
    single = ("OMP", "MKL", "OPENBLAS", "NUMEXPR")
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONHASHSEED": "0",
        "HF_HUB_OFFLINE": "1",
        **{f"{library}_NUM_THREADS": "1" for library in single},
    }


def _packed(assets: Mapping[str, Path]) -> int:
    """A descriptor of an archive of `assets` in memory. Raises OSError."""
    fd = os.memfd_create("assets", os.MFD_CLOEXEC)
    with (
        open(fd, "wb", closefd=False) as file,
        tarfile.open(fileobj=file, mode="w") as archive,
    ):
        for name, path in assets.items():
            archive.add(path, name, recursive=False)
    return fd


class Box:
    """One box; every method may raise BoxLost, after which only `close` makes sense."""

    def __init__(
        self,
        zygote: Zygote,
        sock: socket.socket,
        pid: int,
        limits: Limits,
        group: BoxGroup | None,
    ) -> None:
        self._zygote = zygote
        self._group = group
        self._socket = sock
        self._pid = pid
        self._limits = limits

    def run_cell(self, source: str, deadline: float) -> CellReply:
        """Runs one cell; `deadline` in seconds of time.monotonic()."""
        output_bytes = self._limits.cell_output_bytes
        deadline = min(deadline, time.monotonic() + self._limits.cell_seconds)
        frame = self._ask(
            {"op": "cell", "output_bytes": output_bytes},
            source.encode("utf-8", errors="replace"),
            deadline,
            ESCAPED * output_bytes,
        )
        try:
            return cell_reply(frame, ESCAPED * output_bytes)
        except BadReply as error:
            raise self._lost(error) from error

    def run_probe(
        self, source: str, name: str, inputs: Mapping[str, Any], deadline: float, seed: int = 0
    ) -> ProbeRun:
        """Runs the probe `name` that `source` defines on tensors and plain values.

        Torch and Python are as in a fresh process then; their random numbers follow from `seed`.
        """
        deadline = min(deadline, time.monotonic() + self._limits.probe_seconds)
        given = {key: v for key, v in inputs.items() if isinstance(v, torch.Tensor)}
        plain = {key: v for key, v in inputs.items() if key not in given}
        request = {"op": "probe", "source": source, "name": name, "values": plain, "seed": seed}
        frame = self._ask(request, tensors.encode(given), deadline, REPLY_BYTES)
        try:
            return probe_reply(frame)
        except BadReply as error:
            raise self._lost(error) from error

    def close(self, ended: bool = False) -> dict[str, Any]:
        """Ends the box; returns exit code, CPU seconds, peak memory. Only once.

        `ended`: it seems to have ended by itself, so that its exit code tells something.
        """
        self._socket.close()
        try:
            end = self._zygote.reap(self._pid, ended)
            if self._group and self._group.out_of_memory():
                end["exceeded"] = "memory"
        finally:
            if self._group:
                self._zygote.remove(self._group)
        return end

    def _ask(self, header: dict[str, Any], body: bytes, deadline: float, reply_bytes: int) -> Frame:
        nonce = secrets.token_hex(8)
        try:
            send_frame(self._socket, {**header, "nonce": nonce}, body, deadline)
            frame = receive_frame(self._socket, body_bytes=reply_bytes, deadline=deadline)
            if frame.header.pop("nonce", None) != nonce:
                raise BadReply("a reply to another request")
        except (BadReply, DeadlinePassed, Disconnected) as error:
            raise self._lost(error) from error
        return frame

    def _lost(self, error: AutograderError) -> BoxLost:
        """Ends the box and says what became of it."""
        if isinstance(error, DeadlinePassed):
            self.close()
            return BoxLost("timeout", "it ran out of time")
        if isinstance(error, BadReply):
            self.close()
            return BoxLost("bad_reply", f"the reply was not understood: {error.reason}")
        end = self.close(ended=True)
        if end["exceeded"] == "memory":
            return BoxLost("memory", "it ran out of memory")
        if end["exceeded"] == "disk":
            return BoxLost("output", "it wrote more files than it may")
        return BoxLost("crash", f"the process ended with code {end['code']}")

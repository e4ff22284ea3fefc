"""The grader's side of a box: asks it, and distrusts every answer."""

from __future__ import annotations

import math
import secrets
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import torch

from autograder.box import tensors
from autograder.box.outside.cgroups import BoxGroup
from autograder.box.outside.processor import Allowed, children, spent
from autograder.box.outside.replies import CellReply, cell_reply, probe_reply
from autograder.box.outside.zygotes import Zygote
from autograder.box.probes import ProbeRun
from autograder.box.wire import Frame, receive_frame, send_frame
from autograder.course.limits import Limits
from autograder.errors import AutograderError, BadReply, DeadlinePassed, Disconnected
from autograder.results.model import Status

ESCAPED = 8  # JSON may spell one byte of output with up to six


class BoxLost(AutograderError):
    """A box is of no more use: it hung, died, or broke the protocol.

    Attributes:
        status: what the question under way gets for it.
        seconds: what the cell or probe might have taken; None when the submission's time is over.
    """

    seconds: float | None = None

    def __init__(self, status: Status, why: str) -> None:
        super().__init__(why)
        self.status = status


class Box:
    """One box; every method may raise BoxLost, after which it has ended.

    Attributes:
        spent: seconds of the processor that the last cell or probe took.
        gone: whether it has ended; of a branch its box says so.
    """

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
        self._pid = self._at_work = pid
        self._limits = limits
        self.spent = 0.0
        self.gone = False

    def run_cell(self, source: str, deadline: float, seconds: float | None = None) -> CellReply:
        """Runs one cell.

        `deadline` is a reading of `time.monotonic()`; `seconds` are of the processor, where it may
        take fewer of them than of the clock.
        """
        output_bytes = self._limits.cell_output_bytes
        allowed = Allowed(deadline, self._limits.cell_seconds, seconds)
        frame = self._ask(
            {"op": "cell", "output_bytes": output_bytes},
            source.encode("utf-8", errors="replace"),
            allowed,
            ESCAPED * output_bytes,
        )
        try:
            return cell_reply(frame, ESCAPED * output_bytes)
        except BadReply as error:
            raise self._lost(error) from error

    def run_probe(
        self,
        source: str,
        name: str,
        inputs: Mapping[str, Any],
        deadline: float,
        seed: int = 0,
        seconds: float | None = None,
    ) -> ProbeRun:
        """Runs the probe `name` that `source` defines on tensors and plain values.

        Torch and Python are as in a fresh process then; their random numbers follow from `seed`.
        `deadline` and `seconds` are as for a cell.
        """
        allowed = Allowed(deadline, self._limits.probe_seconds, seconds)
        given = {key: v for key, v in inputs.items() if isinstance(v, torch.Tensor)}
        plain = {key: v for key, v in inputs.items() if key not in given}
        request = {"op": "probe", "source": source, "name": name, "values": plain, "seed": seed}
        frame = self._ask(request, tensors.encode(given), allowed, tensors.REPLY_BYTES)
        try:
            return probe_reply(frame)
        except BadReply as error:
            raise self._lost(error) from error

    def branch(self) -> Box:
        """A fork of this box, to be asked in its place until it is closed.

        What runs in it leaves nothing here but files. When it is lost, so is this box.
        """
        before = children(self._pid)
        allowed = Allowed(math.inf, self._limits.cell_seconds, None)
        self._ask({"op": "branch"}, b"", allowed, 0)
        return _Branch(self, children(self._pid) - before)

    def close(self) -> None:
        """Ends the box, if it has not ended."""
        if not self.gone:
            self._end()

    def _end(self, ended: bool = False) -> dict[str, Any]:
        """Ends the box; returns what `Zygote.reap` does.

        `ended`: it seems to have ended by itself, so that its exit code tells something.
        """
        self.gone = True
        self._socket.close()
        try:
            end = self._zygote.reap(self._pid, ended)
            if self._group and self._group.out_of_memory():
                end["exceeded"] = "memory"
        finally:
            if self._group:
                self._zygote.remove(self._group)
        return end

    def _ask(
        self, header: dict[str, Any], body: bytes, allowed: Allowed, reply_bytes: int
    ) -> Frame:
        nonce, deadline = secrets.token_hex(8), allowed.deadline
        before = spent(self._at_work)
        try:
            send_frame(self._socket, {**header, "nonce": nonce}, body, deadline)
            allowed.wait(self._socket, self._at_work, before)
            frame = receive_frame(self._socket, body_bytes=reply_bytes, deadline=deadline)
            if frame.header.pop("nonce", None) != nonce:
                raise BadReply("a reply to another request")
        except (BadReply, DeadlinePassed, Disconnected) as error:
            loss = self._lost(error)
            loss.seconds = allowed.told()
            raise loss from error
        after = spent(self._at_work)
        self.spent = after[0] - before[0] if before and after else 0.0
        return frame

    def _lost(self, error: AutograderError) -> BoxLost:
        """Ends the box and says what became of it."""
        if isinstance(error, DeadlinePassed):
            self._end()
            return BoxLost("timeout", "it ran out of time")
        if isinstance(error, BadReply):
            self._end()
            return BoxLost("bad_reply", f"the reply was not understood: {error.reason}")
        end = self._end(ended=True)
        if end["exceeded"] == "memory":
            return BoxLost("memory", "it ran out of memory")
        if end["exceeded"] == "disk":
            return BoxLost("output", "it wrote more files than it may")
        return BoxLost("crash", f"the process ended with code {end['code']}")


class _Branch(Box):
    """A fork of a box, which answers on its socket."""

    def __init__(self, stem: Box, forks: set[int]) -> None:
        """`forks` is the process of it, or nothing where the kernel does not tell."""
        super().__init__(stem._zygote, stem._socket, stem._pid, stem._limits, stem._group)
        self._stem = stem
        self._at_work = min(forks, default=stem._pid)

    def close(self) -> None:
        """Ends it, if its box has not ended, and leaves that as it was when it branched."""
        if self._stem.gone:
            return
        allowed = Allowed(math.inf, self._limits.cell_seconds, None)
        with suppress(BoxLost):
            self._ask({"op": "leave"}, b"", allowed, 0)

    def _end(self, ended: bool = False) -> dict[str, Any]:
        return self._stem._end(ended)

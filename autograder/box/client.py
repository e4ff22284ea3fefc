"""The grader's side of zygote and box: starts them, asks, and distrusts every answer."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import torch

from autograder.box import tensors
from autograder.box.probes import ProbeRun
from autograder.box.replies import CellReply, cell_reply, probe_reply
from autograder.box.wire import Frame, receive_frame, send_frame
from autograder.errors import AutograderError, BadReply, DeadlinePassed, Disconnected, Ungraded
from autograder.limits import Limits
from autograder.results import Status

ZYGOTE = "autograder.box.zygote"
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
    """A warm process to fork boxes from. A context manager; ends with its `with` block."""

    def __init__(self, imports: Sequence[str] = ()) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = ours
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-m", ZYGOTE, str(theirs.fileno()), *imports],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=_zygote_environment(),
                start_new_session=True,
            )
        try:
            self._listen(START_SECONDS)
        except Ungraded:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
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

    def box(self, limits: Limits, assets: Mapping[str, Path], seed: int) -> Box:
        """Forks a box whose working folder holds copies of `assets` (by their name there)."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        request = {
            "op": "fork",
            "limits": limits.as_dict(),
            "assets": [(str(path), name) for name, path in assets.items()],
            "seed": seed,
        }
        try:
            with theirs:
                reply = self._ask(request, [theirs.fileno()])
        except Ungraded:
            ours.close()
            raise
        return Box(self, ours, int(reply["pid"]), limits)

    def reap(self, pid: int) -> dict[str, Any]:
        """Kills what is left of a box; returns its exit code, CPU seconds and peak memory."""
        return self._ask({"op": "reap", "pid": pid})

    def _ask(self, message: dict[str, Any], fds: Sequence[int] = ()) -> dict[str, Any]:
        try:
            socket.send_fds(self._control, [json.dumps(message).encode()], fds)
        except OSError as error:
            raise Ungraded(f"the zygote is gone: {error}") from error
        return self._listen(CONTROL_SECONDS)

    def _listen(self, seconds: float) -> dict[str, Any]:
        self._control.settimeout(seconds)
        try:
            data = self._control.recv(CONTROL_MESSAGE_BYTES)
        except OSError as error:
            raise Ungraded(f"the zygote does not answer: {error}") from error
        if not data:
            raise Ungraded(f"the zygote ended: {self._last_words()}")
        reply: dict[str, Any] = json.loads(data)
        return reply

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


class Box:
    """One box; every method may raise BoxLost, after which only `close` makes sense."""

    def __init__(self, zygote: Zygote, sock: socket.socket, pid: int, limits: Limits) -> None:
        self._zygote = zygote
        self._socket = sock
        self._pid = pid
        self._limits = limits
        self._closed = False

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
        self, source: str, name: str, inputs: Mapping[str, Any], deadline: float
    ) -> ProbeRun:
        """Runs the probe `name` that `source` defines on tensors and plain values."""
        deadline = min(deadline, time.monotonic() + self._limits.probe_seconds)
        given = {key: v for key, v in inputs.items() if isinstance(v, torch.Tensor)}
        plain = {key: v for key, v in inputs.items() if key not in given}
        request = {"op": "probe", "source": source, "name": name, "values": plain}
        frame = self._ask(request, tensors.encode(given), deadline, REPLY_BYTES)
        try:
            return probe_reply(frame)
        except BadReply as error:
            raise self._lost(error) from error

    def close(self) -> dict[str, Any]:
        """Ends the box; returns exit code, CPU seconds and peak memory. Only once."""
        self._closed = True
        self._socket.close()
        return self._zygote.reap(self._pid)

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
        code = self.close()["code"]
        return BoxLost("crash", f"the process ended with code {code}")

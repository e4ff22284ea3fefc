"""The loop that a box runs: one request frame in, one reply frame out, until the socket closes.

Asked to branch, the box forks. The child answers from then on, as things stand, and the parent
waits. When the child is asked to leave, the parent goes on as if nothing had been asked since; when
it ends otherwise, so does the box.

The process belongs to the student from the first cell on; nothing here defends the verdict. What
it sends is parsed as hostile by `autograder.box.outside.client`.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.synchronize import SemLock
from typing import Any

from autograder.box import probes, tensors
from autograder.box.inside import state
from autograder.box.inside.answer import forget_traces
from autograder.box.inside.shell import BoxShell
from autograder.box.wire import HEADER_BYTES, Frame, receive_frame, send_frame
from autograder.errors import Disconnected

PROCESS_EVENTS = frozenset(
    {
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.spawn",
        "os.system",
        "subprocess.Popen",
    }
)
REQUEST_BYTES = 1 << 30  # requests come from the grader, which is trusted
LONG_TEXT = 2000  # characters
LEFT = 77  # exit code of a branch that was asked to leave


def serve(sock: socket.socket, shell: BoxShell, seed: int) -> None:
    """Answers requests on `sock` until the grader closes it."""
    state.begin(seed)
    while True:
        try:
            request = receive_frame(sock, body_bytes=REQUEST_BYTES)
        except Disconnected:
            return
        if request.header["op"] == "branch":
            child = os.fork()
            if child:
                _await(child)
                continue
            shell.own_process()
        header, body = _answer(request, shell)
        if _exhausted():
            os._exit(1)
        nonce = {"nonce": request.header["nonce"]}
        try:
            send_frame(sock, {**header, **nonce}, body)
        except (TypeError, ValueError) as error:  # a value that cannot cross: NaN, a long text
            send_frame(sock, {**_header(probes.ProbeRun(error=probes.describe(error))), **nonce})
        if request.header["op"] == "leave":
            os._exit(LEFT)


def _await(branch: int) -> None:
    """Waits until a branch has left; ends this process when it has ended otherwise."""
    _, status = os.waitpid(branch, 0)
    if os.waitstatus_to_exitcode(status) != LEFT:
        os._exit(1)


def refuse_processes(why: str) -> None:
    """Says `why` no process starts where the filter refuses them with a bare error."""

    def tell(event: str, _: object) -> None:
        if event in PROCESS_EVENTS:
            raise PermissionError(why)

    def no_lock(*_: object, **__: object) -> None:
        raise PermissionError(why)

    sys.addaudithook(tell)
    SemLock.__init__ = no_lock  # type: ignore[method-assign] # what pools make before processes


def _exhausted() -> bool:
    """Whether no file can be opened any more: such a box would fail at every later question."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        return True
    return False


def _answer(request: Frame, shell: BoxShell) -> tuple[dict[str, Any], bytes]:
    if request.header["op"] == "cell":
        return _run_cell(request, shell)
    if request.header["op"] == "probe":
        return _run_probe(request, shell)
    return {}, b""


def _run_cell(request: Frame, shell: BoxShell) -> tuple[dict[str, Any], bytes]:
    forget_traces()
    run = shell.run_source(request.body.decode("utf-8"), request.header["output_bytes"])
    state.leave_missing_device()
    header = {
        "count": run.execution_count,
        "error": run.error,
        "truncated": run.truncated,
        "did_without": run.did_without,
    }
    text = json.dumps({"outputs": run.outputs}, ensure_ascii=False)
    return header, text.encode("utf-8", errors="replace")


def _run_probe(request: Frame, shell: BoxShell) -> tuple[dict[str, Any], bytes]:
    state.begin(request.header["seed"])
    inputs = {**request.header["values"], **tensors.decode(request.body)}
    run = probes.run_probe(request.header["source"], request.header["name"], shell.user_ns, inputs)
    try:
        long = {name: v for name, v in run.values.items() if _is_long(v)}
        texts = {name: tensors.of_text(str(text)) for name, text in long.items()}
        if (size := sum(map(len, texts.values()))) > tensors.TEXT_BYTES:
            raise ValueError(f"{size} bytes of text came back, of {tensors.TEXT_BYTES} allowed")
        body = tensors.encode({**run.tensors, **texts}, most=tensors.REPLY_BYTES - HEADER_BYTES)
    except Exception as error:  # a tensor that cannot be read out: meta, sparse, a broken subclass
        return _header(probes.ProbeRun(error=probes.describe(error))), b""
    short = {name: v for name, v in run.values.items() if name not in texts}
    return _header(replace(run, values=short), [*texts]), body


def _is_long(value: probes.Scalar) -> bool:
    """Whether it is a text that had better not travel in a header, which has little room."""
    return isinstance(value, str) and len(value) > LONG_TEXT


def _header(run: probes.ProbeRun, texts: Sequence[str] = ()) -> dict[str, Any]:
    return {"values": run.values, "kinds": run.kinds, "error": run.error, "texts": list(texts)}

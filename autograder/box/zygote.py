"""The warm process that forks a box for each submission.

Theory of operation. The grader starts one zygote with a control socket (SOCK_SEQPACKET, one JSON
object a message). The zygote imports what the assignment's notebook imports, makes the shell, and
then only forks: "fork" comes with one end of a socketpair, which becomes the box's only channel;
"reap" ends a box with everything in its session and says how it ended. The zygote never reads what
a box writes, holds no secret, and starts no thread, since a fork copies only the calling one. It
ends when the grader closes the control socket, and its boxes end with it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import shutil
import signal
import socket
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.limits import Limits

if TYPE_CHECKING:
    from autograder.box.shell import BoxShell

MESSAGE_BYTES = 64 * 1024


def main(control_fd: int, imports: list[str]) -> None:
    """Warms up, says so, and serves the grader until it closes the socket."""
    control = socket.socket(fileno=control_fd)
    base = tempfile.mkdtemp(prefix="zygote-")
    try:
        _Zygote(control, warm(imports, base), base).serve()
    finally:
        shutil.rmtree(base, ignore_errors=True)


def warm(imports: list[str], directory: str) -> BoxShell:
    """Imports and touches everything slow; returns the shell that every box starts with."""
    import torch

    from autograder.box import worker  # noqa: F401 - a box must find it loaded
    from autograder.box.shell import make_shell

    for name in imports:
        with contextlib.suppress(ImportError):  # the notebook itself says what is missing
            importlib.import_module(name)
    parameter = torch.nn.Parameter(torch.zeros(1))
    parameter.sum().backward()  # type: ignore[no-untyped-call]
    torch.optim.Adam([parameter]).step()
    if "matplotlib" in sys.modules:
        _draw_once()
    shell = make_shell(directory)
    gc.collect()
    gc.freeze()
    return shell


def _draw_once() -> None:
    """Loads the fonts and the renderer."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_title("Warm $x$")
    axes.plot([0, 1], label="x")
    axes.legend()
    figure.savefig(io.BytesIO(), format="png", bbox_inches="tight")


class _Zygote:
    def __init__(self, control: socket.socket, shell: BoxShell, base: str) -> None:
        self._control = control
        self._shell = shell
        self._base = base
        self._folders: dict[int, str] = {}

    def serve(self) -> None:
        threads = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1
        self._say({"ready": True, "threads": threads})
        while True:
            data, fds, _, _ = socket.recv_fds(self._control, MESSAGE_BYTES, 1)
            if not data:
                break
            request = json.loads(data)
            if request["op"] == "fork":
                self._say(self._fork(request, fds[0]))
            else:
                self._say(self._reap(request["pid"]))
        for pid in list(self._folders):
            self._reap(pid)

    def _say(self, message: dict[str, Any]) -> None:
        self._control.send(json.dumps(message).encode())

    def _fork(self, request: dict[str, Any], fd: int) -> dict[str, Any]:
        folder = tempfile.mkdtemp(prefix="box-", dir=self._base)
        for source, name in request["assets"]:
            target = Path(folder, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        pid = os.fork()
        if pid == 0:
            self._become_box(request, fd, folder)
        os.close(fd)
        self._folders[pid] = folder
        return {"pid": pid}

    def _become_box(self, request: dict[str, Any], fd: int, folder: str) -> None:
        from autograder.box import isolation, worker

        try:
            isolation.enter(Limits(**request["limits"]), folder, keep_fd=fd)
            worker.serve(socket.socket(fileno=fd), self._shell, request["seed"])
        finally:
            os._exit(0)

    def _reap(self, pid: int) -> dict[str, Any]:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        shutil.rmtree(self._folders.pop(pid), ignore_errors=True)
        return {
            "code": os.waitstatus_to_exitcode(status),
            "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "memory_bytes": usage.ru_maxrss * 1024,
        }


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])

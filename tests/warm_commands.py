"""Commands in processes of their own, which need not import what the last one has imported.

Theory of operation. One process imports what most commands import and then only forks: each child
goes to the folder and takes the environment of whoever asks, has its output in files, and becomes
`python -m MODULE ARGUMENTS...`. It takes with it what has been imported, and nothing else. What a
command imports, and when, is tested with interpreters that start empty.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import gradebooks  # noqa: F401 - changes those that commands open
import nbgrader.api
from lent import Lent, lent_as, lent_now

IMPORTED = (
    "autograder.cli",
    "autograder.grading.readiness",
    "autograder.nbgrader.ordinary",
    "autograder.nbgrader.preprocessors",
    "autograder.pages.feedback.exporter",
    "nbgrader.apps.nbgraderapp",
    "pytest",
    "sqlalchemy.dialects.sqlite",
)
MESSAGE_BYTES = 1 << 16


def run_module(
    module: str, *arguments: str, folder: Path, timeout: float | None = 300
) -> subprocess.CompletedProcess[str]:
    """What `python -m module arguments...` says in `folder`; killed after `timeout` seconds.

    Raises:
        subprocess.TimeoutExpired: it was.
    """
    command = [sys.executable, "-m", module, *arguments]
    with tempfile.TemporaryDirectory() as own:
        files = [Path(own, name) for name in ("stdout", "stderr")]
        request = {
            "module": module,
            "arguments": arguments,
            "folder": str(folder),
            "environment": dict(os.environ),
            "lent": lent_now(),
            "files": [str(path) for path in files],
        }
        Path(own, "request").write_text(json.dumps(request))
        server = _server()
        server.send(str(Path(own, "request")).encode())
        pid = int(server.recv(MESSAGE_BYTES))
        server.settimeout(timeout)
        try:
            code = int(server.recv(MESSAGE_BYTES))
        except TimeoutError as late:
            os.kill(pid, signal.SIGKILL)
            server.settimeout(None)
            server.recv(MESSAGE_BYTES)
            raise subprocess.TimeoutExpired(command, timeout or 0) from late
        said = [path.read_text() for path in files]
    return subprocess.CompletedProcess(command, code, *said)


@cache
def _server() -> socket.socket:
    """The channel to this process' server, which ends when it is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1"},  # who forks has one thread
        )
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


def _serve(channel: socket.socket) -> None:
    """Forks a child for each request, until the channel is closed; returns in each child."""
    for name in IMPORTED:
        importlib.import_module(name)
    nbgrader.api.get_alembic_version()  # is asked once, before the first fork
    gc.freeze()
    while path := channel.recv(MESSAGE_BYTES):
        request = json.loads(Path(path.decode()).read_text())
        pid = os.fork()
        if pid == 0:
            channel.close()
            _become(**request)
            return
        channel.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        channel.send(str(os.waitstatus_to_exitcode(status)).encode())


def _become(
    module: str,
    arguments: list[str],
    folder: str,
    environment: dict[str, str],
    lent: dict[str, Any] | None,
    files: list[str],
) -> None:
    """Runs a module as a command does, in this process; its graders may be lent zygotes."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, name in enumerate(files, start=1):
        with open(name, "wb") as file:
            os.dup2(file.fileno(), number)
    sys.argv, sys.path[0] = [module, *arguments], folder
    with lent_as(Lent(**lent)) if lent else nullcontext():
        runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    with contextlib.closing(socket.socket(fileno=int(sys.argv[1]))) as control:
        _serve(control)

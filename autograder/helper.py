"""Work on a student's text, done in a child process that can be ended.

Theory of operation. What parses, cleans, colours or converts text may have an input on which it
takes for ever, and its authors do not know that input. So the process that grades or records a
class asks its *helper*: the name of a function and its arguments go there as JSON, and what it
returns comes back as JSON. A helper that has not answered by the deadline is killed, and the next
call starts another. It is a new process and no fork, because its parent may have torch and threads;
it is started once and stays warm. It ends when its parent does, and while it works an alarm of its
own sees to that. Its memory is bounded, and so is what it returns.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import autograder.lean  # noqa: F401 - before nbformat
from autograder.errors import NotDone, Ungraded, UnreadableSubmission

PIECE_SECONDS = 5.0  # one cell or output
NOTEBOOK_SECONDS = 20.0  # all of a notebook
LOAD_SECONDS = 120.0  # to start and import, on a machine with much else to do
END_SECONDS = 5.0
ALARM_SECONDS = 1.0  # later than the deadline
MEMORY_BYTES = 2 << 30  # beyond the interpreter's own
REPLY_BYTES = 64 << 20


class Allowance:
    """The time that the work on one notebook may take together."""

    def __init__(self, seconds: float = NOTEBOOK_SECONDS) -> None:
        self._left = seconds

    def run(self, function: str, *arguments: Any) -> Any:
        """See `run`; also raises NotDone when nothing is left."""
        if self._left <= 0:
            raise NotDone("the notebook's other parts have used up the time for it")
        load(function.partition(":")[0])
        with _lock:
            helper = _warm()
            helper.settle()
            started = time.monotonic()
            try:
                return helper.run(function, arguments, min(PIECE_SECONDS, self._left))
            finally:
                self._left -= time.monotonic() - started


def run(
    function: str,
    *arguments: Any,
    seconds: float = PIECE_SECONDS,
    allowance: Allowance | None = None,
) -> Any:
    """What `function`, as `package.module:name`, returns for arguments that JSON can carry.

    `allowance`: from which the time is taken, instead of `seconds` of its own.

    Raises:
        NotDone: it took longer than that, or raised.
        UnreadableSubmission: the function raised it.
        Ungraded: no helper can be started.
    """
    return (allowance or Allowance(seconds)).run(function, *arguments)


def load(*modules: str) -> None:
    """Starts the helper, unless it runs, and has it import `modules` meanwhile."""
    with _lock:
        _warm().load(modules)


_lock = threading.RLock()
_helpers: dict[int, _Helper] = {}  # by process: a forked child must not use its parent's


def _warm() -> _Helper:
    helper = _helpers.get(os.getpid())
    if helper is None or helper.gone:
        helper = _helpers[os.getpid()] = _Helper()
        atexit.register(helper.close)
    return helper


class _Helper:
    """The parent's side of one helper."""

    def __init__(self) -> None:
        self.gone = False
        self._parent = os.getpid()
        self._loaded: set[str] = set()
        self._owed = 0  # answers to `load` that have yet to be read
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-I", "-m", "autograder.helper", str(theirs.fileno())]
            self._process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        self._connection = Connection(ours.detach())

    def load(self, modules: tuple[str, ...]) -> None:
        for module in modules:
            if module not in self._loaded:
                self._loaded.add(module)
                with suppress(OSError):  # it has ended: `settle` says so
                    self._say({"load": module})
                self._owed += 1

    def settle(self) -> None:
        """Waits until all is loaded."""
        while self._owed:
            if "error" in self._heard(LOAD_SECONDS, Ungraded("the helper process does not start")):
                raise Ungraded("the helper process lacks a module: install autograder again")
            self._owed -= 1

    def run(self, function: str, arguments: tuple[Any, ...], seconds: float) -> Any:
        with suppress(OSError):
            self._say({"run": function, "arguments": arguments, "seconds": seconds})
        reply = self._heard(seconds, NotDone(f"it took longer than {seconds:g} s"))
        if "refused" in reply:
            raise UnreadableSubmission(reply["refused"])
        if "error" in reply:
            raise NotDone(reply["error"])
        return reply["result"]

    def _say(self, request: dict[str, Any]) -> None:
        self._connection.send_bytes(json.dumps(request).encode())

    def _heard(self, seconds: float, too_late: NotDone | Ungraded) -> dict[str, Any]:
        try:
            if self._connection.poll(seconds):
                reply: dict[str, Any] = json.loads(self._connection.recv_bytes())
                return reply
        except (OSError, EOFError):
            too_late = type(too_late)("the helper process has ended")
        self._process.kill()
        self.close()
        raise too_late

    def close(self) -> None:
        """Ends the helper, which ends by itself once the connection is closed."""
        if not self.gone and os.getpid() == self._parent:
            self.gone = True
            self._connection.close()
            try:
                self._process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            atexit.unregister(self.close)


def _serve(connection: Connection) -> None:
    """The helper's side: answers until its parent closes the connection."""
    with suppress(EOFError, OSError):
        while True:
            request = json.loads(connection.recv_bytes())
            if "run" in request:
                # whose signal ends it; its parent, if there is one, has ended it before
                signal.setitimer(signal.ITIMER_REAL, request["seconds"] + ALARM_SECONDS)
            reply = _answer(request)
            signal.setitimer(signal.ITIMER_REAL, 0)
            connection.send_bytes(reply)


def _answer(request: dict[str, Any]) -> bytes:
    try:
        if "load" in request:
            import_module(request["load"])
            return b"{}"
        module, _, name = request["run"].partition(":")
        made = getattr(import_module(module), name)(*request["arguments"])
        reply = json.dumps({"result": made}).encode()
    except UnreadableSubmission as error:
        return json.dumps({"refused": str(error)}).encode()
    except Exception as error:  # whatever odd text makes a parser raise
        return json.dumps({"error": type(error).__name__}).encode()
    return reply if len(reply) <= REPLY_BYTES else b'{"error": "it made too much of it"}'


def _bound_memory() -> None:
    with suppress(ImportError, OSError, ValueError):  # not on every system
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent answers Ctrl-C
    _bound_memory()
    _serve(Connection(int(sys.argv[1])))

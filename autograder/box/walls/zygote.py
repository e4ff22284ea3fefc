"""The warm process that forks a box for each submission.

Theory of operation. The grader starts one zygote with a control socket (SOCK_SEQPACKET, one JSON
object a message). The zygote first gives up its view of the file system and its rights (see
`isolation`), then imports what the assignment's notebook imports, makes the shell, and from then on
only forks: "fork" comes with one end of a socketpair, which becomes the box's only channel, with
the doors of its control group and an archive of the assignment's files, all opened by the grader;
it is answered when the box is closed, or with the reason why it could not be. "reap" ends a box
with everything in it and says how it ended. "lend" comes with a control socket for another grader,
which a fork of the zygote then serves. The zygote never reads what a box writes, holds no
secret, and starts no thread, since a fork copies only the calling one. It ends when the grader
closes the control socket, and its boxes end with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import socket
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from autograder.box.walls import folders, isolation, policy, watching
from autograder.box.walls.excuse import Excuse
from autograder.box.walls.warming import warm
from autograder.course.limits import Limits
from autograder.results import sentences

if TYPE_CHECKING:
    from autograder.box.inside.shell import BoxShell

MESSAGE_BYTES = 64 * 1024
MESSAGE_FDS = 8
CONFINED = b"confined"
ENDING_SECONDS = 0.3
WATCH_SECONDS = 0.2


def main(control_fd: int) -> None:
    """Warms up, says so, and serves the grader until it closes the socket.

    Its settings come through the socket: boxes can read the command line.
    """
    control = socket.socket(fileno=control_fd)
    settings = json.loads(control.recv(MESSAGE_BYTES))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started us may ignore it
    confinement = isolation.prepare(settings["hidden"], settings["at_most"])
    os.umask(0o077)
    with _own_folder() as base:
        os.environ.update(MPLCONFIGDIR=base, TORCHINDUCTOR_CACHE_DIR=base, IPYTHONDIR=base)
        _Zygote(control, confinement, warm(settings["imports"], base), base).serve()


@contextlib.contextmanager
def _own_folder() -> Iterator[str]:
    folder = tempfile.mkdtemp(prefix="zygote-")
    try:
        yield folder
    finally:
        folders.remove(folder)


@dataclass
class _Live:
    """A box that has not been reaped.

    Attributes:
        folder: on the machine's disk, if it has one.
        counted: whether a control group counts its memory.
        exceeded: what it took too much of, "disk" or "memory".
    """

    limits: Limits
    folder: str | None
    counted: bool
    exceeded: str | None = None

    @property
    def watched(self) -> bool:
        return not self.exceeded and (self.folder is not None or not self.counted)

    def takes_too_much(self, pid: int) -> str | None:
        """What the box whose first process is `pid` takes too much of."""
        if self.folder and watching.too_full(self.folder, pid, self.limits):
            return "disk"
        most = self.limits.memory_bytes + policy.COPIED_BYTES
        return "memory" if not self.counted and watching.too_much_memory(pid, most) else None


class _Zygote:
    def __init__(
        self, control: socket.socket, confinement: isolation.Isolation, shell: BoxShell, base: str
    ) -> None:
        self._control = control
        self._isolation = confinement
        self._shell = shell
        self._base = base
        self._boxes: dict[int, _Live] = {}
        self._lent: list[int] = []

    def serve(self) -> None:
        threads = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1
        tier, reason = self._isolation.tier, self._isolation.reason
        self._say({"ready": True, "threads": threads, "tier": tier, "reason": reason})
        while True:
            self._watch()
            data, fds, _, _ = socket.recv_fds(self._control, MESSAGE_BYTES, MESSAGE_FDS)
            if not data:
                break
            self._say(self._answer(json.loads(data), fds))
            for fd in fds:
                os.close(fd)
        for pid in list(self._boxes):
            self._reap(pid, ended=False)

    def _answer(self, request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        if request["op"] == "reap":
            return self._reap(request["pid"], request["ended"])
        try:
            return self._lend(fds[0]) if request["op"] == "lend" else self._fork(request, fds)
        except OSError as error:  # the machine has no room for one more; other boxes go on
            return {"error": f"{type(error).__name__}: {error}"}

    def _say(self, message: dict[str, Any]) -> None:
        self._control.send(json.dumps(message).encode())

    def _watch(self) -> None:
        """Until the grader says something, ends boxes that take too much of what is shared."""
        while any(box.watched for box in self._boxes.values()):
            if select.select([self._control], [], [], WATCH_SECONDS)[0]:
                return
            for pid, box in self._boxes.items():
                if box.watched:
                    box.exceeded = box.takes_too_much(pid)
                    if box.exceeded:
                        os.kill(pid, signal.SIGKILL)

    def _lend(self, connection: int) -> dict[str, Any]:
        """Forks a zygote with a control socket and a folder of its own. Raises OSError."""
        self._lent = [pid for pid in self._lent if not os.waitpid(pid, os.WNOHANG)[0]]
        pid = os.fork()
        if pid == 0:
            try:
                self._control.close()  # else the grader would not hear that this one has ended
                own = socket.socket(fileno=connection)
                with _own_folder() as base:
                    _Zygote(own, self._isolation, self._shell, base).serve()
            finally:
                os._exit(0)
        self._lent.append(pid)
        return {"pid": pid}

    def _fork(self, request: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        """Forks a box, and waits until it is confined. Raises OSError when nothing was forked."""
        told, telling = os.pipe()
        with open(told, "rb") as pipe, open(telling, "wb") as end, Excuse() as excuse:
            pid, folder = self._forked()
            if pid == 0:
                self._become_box(request, fds, folder or policy.HOME, telling, excuse)
            end.close()
            counted = len(fds) > 1 + request["files"]
            self._boxes[pid] = _Live(Limits(**request["limits"]), folder, counted)
            if pipe.read() == CONFINED:
                return {"pid": pid}
            said = excuse.read()
        self._reap(pid, ended=False)
        return {"error": said or "the box ended at once"}

    def _forked(self) -> tuple[int, str | None]:
        """A new process, 0 in it, and the folder on the machine's disk that it may need."""
        if self._isolation.tier == "full":
            return self._isolation.fork(), None
        folder = tempfile.mkdtemp(prefix="box-", dir=self._base)
        try:
            return self._isolation.fork(), folder
        except OSError:
            os.rmdir(folder)
            raise

    def _become_box(
        self, request: dict[str, Any], fds: list[int], home: str, telling: int, excuse: Excuse
    ) -> NoReturn:
        try:
            from autograder.box.inside import worker

            groups, files = (fds[1:-1], fds[-1]) if request["files"] else (fds[1:], None)
            limits, keep = Limits(**request["limits"]), [fds[0], telling]
            channel, telling = isolation.FIRST_FREE, isolation.FIRST_FREE + 1
            self._isolation.enter(
                limits,
                home,
                keep,
                groups,
                fill=lambda at: _unpack(files, at),
                ready=lambda: self._shell.recorder.capture(limits.cell_output_bytes),
            )
            excuse.close()
            os.write(telling, CONFINED)
            os.close(telling)
        except Exception as error:
            excuse.say(error)
            os._exit(1)
        try:
            if self._isolation.tier == "restricted":
                worker.refuse_processes(sentences.no_processes())
            worker.serve(socket.socket(fileno=channel), self._shell, request["seed"])
        finally:
            os._exit(0)

    def _reap(self, pid: int, ended: bool) -> dict[str, Any]:
        """Ends a box; one that has `ended` by itself gets a moment to say how."""
        box = self._boxes.pop(pid, None)
        if box is None:  # its number may be another process's by now
            return {"error": f"there is no box {pid}"}
        status, usage = _wait(pid, ENDING_SECONDS if ended else 0.0)
        if box.folder:
            folders.remove(box.folder)
        return {
            "code": os.waitstatus_to_exitcode(status),
            "memory_bytes": usage.ru_maxrss * 1024,
            "exceeded": box.exceeded,
        }


def _unpack(archive_fd: int | None, folder: str) -> None:
    if archive_fd is None:
        return
    os.lseek(archive_fd, 0, os.SEEK_SET)
    with (
        open(archive_fd, "rb", closefd=False) as file,
        tarfile.open(fileobj=file, mode="r:") as archive,
    ):
        archive.extractall(folder)  # the grader packed it


def _wait(pid: int, grace_seconds: float) -> tuple[int, resource.struct_rusage]:
    until = time.monotonic() + grace_seconds
    while time.monotonic() < until:
        gone, status, usage = os.wait4(pid, os.WNOHANG)
        if gone:
            _end_session(pid)
            return status, usage
        time.sleep(0.002)
    _end_session(pid)
    os.kill(pid, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    return status, usage


def _end_session(pid: int) -> None:
    """Ends what a box without a process table of its own has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


if __name__ == "__main__":
    main(int(sys.argv[1]))

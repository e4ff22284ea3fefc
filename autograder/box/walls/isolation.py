"""What a forked child gives up before student code runs in it.

Theory of operation. `prepare` runs in the zygote first of all: it finds the tier by confining
a child for real, enters the view (see `view`), and gives up uid 0 and every capability. For each
box the zygote calls `fork`, and the child `enter`, before it reads its first request. The order
matters, since each step needs a right that a later one takes away: namespaces (by the fork itself),
death with the zygote, control group, user and group maps, own mounts, the assignment's files,
descriptors, session, environment, rlimits, capabilities, NO_NEW_PRIVS, Landlock, seccomp.

In tier `full` the student's process is the first of its pid namespace: a fork of a process with
torch loaded costs more than everything else here, so there is no second one for an init. When it
ends, the kernel ends whatever it started. Signals by which it would only kill itself do nothing,
but for SIGKILL, which the filter turns into its end.

Tier `restricted` shares the mounts and the process table with the machine. There Landlock hides
the files, the filter refuses processes, sockets and signals, and each box has one folder to write.
As root without the right to mount, uid 0 is given up when Python can be read without it; else
Landlock alone stands between uid 0 and the files.
"""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, NoReturn

from autograder.box.walls import calls, landlock, policy, seccomp, syscalls, view
from autograder.box.walls.excuse import Excuse
from autograder.box.walls.policy import Layers, Tier
from autograder.box.walls.syscall_numbers import MACHINES
from autograder.course.limits import Limits
from autograder.files import PACKAGE

FIRST_FREE: Final = 3
FIRST_PID: Final = 1


class Isolation:
    """How the boxes of this process are confined.

    Attributes:
        tier: what this machine allows.
        reason: why it is not a higher one; empty for `full`.
    """

    def __init__(self, tier: Tier, reason: str, shown: Layers) -> None:
        self.tier = tier
        self.reason = reason
        self._shown = shown
        self._rights = [] if tier == "none" else policy.file_rights(tier, shown)
        self._filter: list[seccomp.Instruction] = []
        if tier == "full":
            self._filter = seccomp.assemble(calls.system_call_rules(tier, FIRST_PID))
        self._ids = (os.geteuid(), os.getegid())

    def fork(self) -> int:
        """Forks a process that can be confined; 0 in the child. Raises OSError."""
        self._ids = (os.geteuid(), os.getegid())
        return syscalls.fork_into(policy.NAMESPACES) if self.tier == "full" else os.fork()

    def enter(
        self,
        limits: Limits,
        home: str,
        keep: Sequence[int],
        groups: Iterable[int] = (),
        fill: Callable[[str], None] = lambda _: None,
        ready: Callable[[], None] = lambda: None,
    ) -> None:
        """Confines the calling process for good. Raises OSError.

        Args:
            home: the box's own folder; in tier `full` the policy's.
            keep: descriptors to keep; they become 3, 4, ... in this order.
            groups: the open doors of the box's control group.
            fill: puts the assignment's files into the folder it is called with.
            ready: does what limits and filter refuse, when the box has its descriptors.
        """
        if sys.platform.startswith("linux"):
            syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
            # else, after a change of user, /proc/<pid> is root's: no ids mapped, no memory read
            syscalls.prctl(syscalls.PR_SET_DUMPABLE, 1)
        for group in groups:
            os.write(group, b"0")
        if self.tier == "full":
            _map_ids(policy.BOX_ID, self._ids)
            syscalls.unshare(syscalls.CLONE_NEWCGROUP)  # its group is the root that it sees
            view.furnish_box(limits.disk_bytes, limits.files, self._shown)
            socket.sethostname("box")
        os.umask(0o077)
        fill(home)
        os.chdir(home)
        keep_only(keep)
        os.setsid()
        full = self.tier == "full"
        os.environ.clear()
        os.environ.update(policy.environment(home, policy.TEMPORARY if full else home))
        tempfile.tempdir = None  # the zygote's, if it has asked for one
        ready()
        own_count = policy.counts_processes_per_box(self.tier)
        for which, most in policy.rlimits(limits, _address_space_bytes(), own_count).items():
            hard = resource.getrlimit(which)[1]
            limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(which, (limit, limit))
        if self.tier != "none":
            self._lock(home)

    def _lock(self, home: str) -> None:
        syscalls.drop_capabilities()
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        pid = os.getpid()
        program = self._filter or seccomp.assemble(calls.system_call_rules(self.tier, pid))
        landlock.restrict([*self._rights, *policy.own_file_rights(self.tier, home, pid)])
        seccomp.load(program)


def prepare(hidden: Sequence[str] = (), at_most: Tier = "full") -> Isolation:
    """Makes this process, which must have one thread, ready to fork boxes.

    Args:
        hidden: folders that no box may see.
        at_most: a lower tier for tests of that tier.
    """
    readable = [*policy.SYSTEM, *policy.python_paths()]
    links, shown = view.resolve(readable, hidden)
    reason = f"tier {at_most} was asked for"
    if at_most == "full":
        reason = _attempt(lambda: _try_full(links, shown))
        if not reason:
            return _full(links, shown)
    if at_most != "none":
        refused = _attempt(lambda: _try_restricted(shown))
        if not refused:
            _give_up_root(_readable_without_rights())
            return Isolation("restricted", reason, shown)
        reason += f"; {refused}"
    return Isolation("none", reason, [])


def _full(links: dict[str, str], shown: Layers) -> Isolation:
    if os.geteuid() == 0:
        syscalls.unshare(syscalls.CLONE_NEWNS)
    else:
        ids = os.geteuid(), os.getegid()
        syscalls.unshare(syscalls.CLONE_NEWUSER | syscalls.CLONE_NEWNS)
        _map_ids(policy.BOX_ID, ids)
    view.build(links, shown)
    _give_up_root(True)
    return Isolation("full", "", shown)


def _try_full(links: dict[str, str], shown: Layers) -> None:
    isolation = _full(links, shown)
    refused = _attempt(lambda: isolation.enter(Limits(), policy.HOME, []), isolation.fork)
    if refused:
        raise OSError(refused)


def _try_restricted(shown: Layers) -> None:
    if not landlock.version():
        raise OSError("this kernel has no Landlock")
    isolation = Isolation("restricted", "", shown)
    _give_up_root(_readable_without_rights())
    isolation.enter(Limits(), "/", [])


def _attempt(trial: Callable[[], None], fork: Callable[[], int] = os.fork) -> str:
    """Runs `trial` in a child; why it failed, or nothing."""
    if not sys.platform.startswith("linux") or os.uname().machine not in MACHINES:
        return f"{sys.platform} on {os.uname().machine} is not supported"
    with Excuse() as excuse:
        pid = fork()
        if pid == 0:
            _end_with(trial, excuse)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        said = excuse.read()
    return said or (f"the trial ended with code {status}" if status else "")


def _end_with(trial: Callable[[], None], excuse: Excuse) -> NoReturn:
    code = 1
    try:
        trial()
        code = 0
    except Exception as error:
        excuse.say(error)
    finally:
        os._exit(code)


def _give_up_root(change_user: bool) -> None:
    if os.geteuid() == 0 and change_user:
        other = policy.UNPRIVILEGED_ID
        try:
            os.setgroups([])
            os.setresgid(other, other, other)
            os.setresuid(other, other, other)
        except OSError:
            if os.geteuid() != 0:
                raise
    syscalls.drop_capabilities()
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)


def _readable_without_rights() -> bool:
    """Whether another user could run this Python: decided in a child that becomes one."""
    files = [os.__file__, str(PACKAGE / "__init__.py"), sys.executable, *map(_any_file, sys.path)]

    def open_all() -> None:
        _give_up_root(True)
        for path in filter(None, files):
            with open(path, "rb"):
                pass

    return os.geteuid() != 0 or not _attempt(open_all)


def _any_file(folder: str) -> str:
    inside = sorted(Path(folder).glob("*.py")) if os.path.isdir(folder) else []
    return str(inside[0]) if inside else ""


def _address_space_bytes() -> int | None:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return None
    return pages * resource.getpagesize()


def _map_ids(inside: int, outside: tuple[int, int]) -> None:
    """Gives the new user namespace its one user and group."""
    user, group = outside
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{inside} {user} 1"),
        ("gid_map", f"{inside} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def keep_only(keep: Sequence[int]) -> None:
    """Moves the descriptors to keep to 3 and up, closes the rest, and silences the first three."""
    end = FIRST_FREE + len(keep)
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, end) for fd in keep]
    for place, fd in enumerate(high, FIRST_FREE):
        os.dup2(fd, place, inheritable=False)
    try:
        syscalls.close_from(end)
    except (OSError, ValueError):  # an older or another kernel
        os.closerange(end, os.sysconf("SC_OPEN_MAX"))
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(FIRST_FREE):
        os.dup2(null, standard)
    os.close(null)

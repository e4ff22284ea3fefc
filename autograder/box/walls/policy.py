"""What a box may see and use: data, and pure functions of data.

Theory of operation. A box of tier `full` has namespaces of its own: its root folder is an empty
one in which only `readable` paths appear, read-only, so that refusing system calls and Landlock
are a second and third wall. In tier `restricted` there are no namespaces, so Landlock must hide
the files. What a box may ask of the kernel stands in `calls`. Nothing here touches the system,
except to ask where Python lies.
"""

from __future__ import annotations

import os
import resource
import site
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal

from autograder.box.walls import landlock, syscalls
from autograder.course.limits import Limits
from autograder.files import PACKAGE

Tier = Literal["full", "restricted", "none"]
Layers = list[tuple[str, bool]]
"""Paths with whether they are shown (True) or covered (False), outermost first."""

NAMESPACES: Final = (
    syscalls.CLONE_NEWUSER
    | syscalls.CLONE_NEWNS
    | syscalls.CLONE_NEWPID
    | syscalls.CLONE_NEWNET
    | syscalls.CLONE_NEWIPC
    | syscalls.CLONE_NEWUTS
)
"""Those that a box is born in; that of its control group begins when it is in the group."""

UNPRIVILEGED_ID: Final = 65534
"""User and group of the zygote when the grader is root."""

BOX_ID: Final = 1000
HOME: Final = "/box"
TEMPORARY: Final = "/tmp"
SHARED_MEMORY: Final = "/dev/shm"
OPEN_FILES: Final = 256
COPIED_BYTES: Final = 256 << 20
"""What a box may change of the memory that it shares with the zygote."""

ZYGOTE_TEMPORARY_BYTES: Final = 64 << 20

SYSTEM: Final = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"),
    *("/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime"),
)
ZEROS: Final = "/dev/zero"
"""A device to be read only: written to memory, it is memory that belongs to no process."""
DEVICES: Final = ("/dev/null", ZEROS, "/dev/full", "/dev/random", "/dev/urandom")
FACTS: Final = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu")
"""What libraries ask about the machine; readable in tier `restricted`."""

KNOWN_OF_THE_SYSTEM: Final = frozenset(
    {
        *("cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "uptime", "version"),
        *("mounts", "net", "self", "thread-self"),  # links into the box's own part
    }
)
"""What a box of tier `full` sees in `/proc` beside its processes: the rest is the machine's."""

EMPTY: Final = "/empty"
"""A folder of the view that covers others."""

KNOWN_OF_ITSELF: Final = (
    *("auxv", "comm", "exe", "fd", "fdinfo", "io", "limits", "maps", "oom_score"),
    *("stat", "statm", "status"),
)
"""What a box of tier `restricted` sees of its own process: nothing of mounts, groups, commands, nor
of who else has the same pages of a file in memory (`pagemap`, `smaps`, `numa_maps`)."""

MADE_FILES: Final = {
    "/etc/passwd": f"student:x:{BOX_ID}:{BOX_ID}::{HOME}:/bin/sh\n"
    f"nobody:x:{UNPRIVILEGED_ID}:{UNPRIVILEGED_ID}::/:/bin/sh\n",
    "/etc/group": f"student:x:{BOX_ID}:\nnogroup:x:{UNPRIVILEGED_ID}:\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "/etc/hosts": "127.0.0.1 localhost\n",
}
"""Files of the view's own, with their text."""

PENDING_SIGNALS: Final = 256
"""Queued signals and timers, of which a user has some ten thousand in all processes together."""

NO_CORE_BYTES: Final = 1
"""The one limit that the kernel heeds also where a program of the machine takes core dumps."""

KERNEL_WITH_OWN_PROCESS_COUNTS: Final = (5, 14)


def python_paths() -> list[str]:
    """Where this interpreter and its libraries lie."""
    searched = [*site.getsitepackages(), *filter(None, sys.path)]
    return [sys.prefix, sys.base_prefix, *searched, str(PACKAGE)]


def layers(readable: Iterable[str], hidden: Iterable[str]) -> Layers:
    """Which paths to show (True) or cover (False), outermost first, without what changes nothing.

    The nearest rule above a path decides about it; hidden wins over readable on the same path.
    """
    marks = {Path(path): True for path in readable} | {Path(path): False for path in hidden}
    needed: dict[Path, bool] = {}
    for path in sorted(marks, key=lambda p: len(p.parts)):
        above = next((needed[p] for p in path.parents if p in needed), False)
        if marks[path] != above:
            needed[path] = marks[path]
    return [(str(path), shown) for path, shown in needed.items()]


def file_rights(tier: Tier, shown: Layers) -> list[tuple[str, int]]:
    """Landlock's rules that all boxes share."""
    written = [(path, landlock.USE_DEVICE) for path in DEVICES if path != ZEROS]
    devices = [(ZEROS, landlock.READ), *written]
    if tier == "restricted":
        facts = [(path, landlock.READ) for path in FACTS]
        return [*_without_hidden(dict(shown)), *facts, *devices]
    paths = [(path, landlock.READ) for path, visible in shown if visible]
    around = [("/proc", landlock.READ), ("/etc", landlock.READ)]
    return [*around, *paths, *devices]


def own_file_rights(tier: Tier, home: str, pid: int) -> list[tuple[str, int]]:
    """Landlock's rules for the box of process `pid` with the folder `home`."""
    if tier == "restricted":
        own = [(f"/proc/{pid}/{name}", landlock.READ) for name in KNOWN_OF_ITSELF]
        return [
            *((path, right) for path, right in own if os.path.exists(path)),
            (home, landlock.WRITE),
        ]
    return [(path, landlock.WRITE) for path in (home, TEMPORARY, SHARED_MEMORY)]


def _without_hidden(shown: dict[str, bool]) -> list[tuple[str, int]]:
    """Landlock cannot take back: a folder with something hidden below it is split up."""
    hidden = [Path(path) for path, visible in shown.items() if not visible]
    rules: list[tuple[str, int]] = []
    pending = [Path(path) for path, visible in shown.items() if visible]
    while pending:
        path = pending.pop()
        if path in hidden:
            continue
        if any(path in secret.parents for secret in hidden):
            pending += [child for child in path.iterdir() if not child.is_symlink()]
        else:
            rules.append((str(path), landlock.READ))
    return rules


def environment(home: str, temporary: str) -> dict[str, str]:
    """The whole environment of a box: constants only."""
    return {
        "HOME": home,
        "TMPDIR": temporary,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PATH": f"{os.path.dirname(sys.executable)}:/usr/local/bin:/usr/bin:/bin",
        "TERM": "dumb",
        "USER": "student",
        "LOGNAME": "student",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": temporary,
        "OMP_NUM_THREADS": "1",
        "TORCHDYNAMO_DISABLE": "1",  # compiling takes longer than an answer may
        "TORCHINDUCTOR_CACHE_DIR": temporary,
        "HF_HUB_OFFLINE": "1",
        "NBGRADER_EXECUTION": "autograde",
    }


def rlimits(limits: Limits, used_bytes: int | None, own_process_count: bool) -> dict[int, int]:
    """Resource limits of a box.

    Args:
        used_bytes: address space at the fork; None where it is unknown.
        own_process_count: the kernel counts the box's processes apart from others of its user.
    """
    most = {
        resource.RLIMIT_CORE: NO_CORE_BYTES,
        resource.RLIMIT_CPU: int(limits.submission_seconds) + 1,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_MEMLOCK: 0,
    }
    if sys.platform.startswith("linux"):
        most |= {resource.RLIMIT_SIGPENDING: PENDING_SIGNALS, resource.RLIMIT_MSGQUEUE: 0}
    if used_bytes is not None:
        most[resource.RLIMIT_AS] = used_bytes + limits.memory_bytes
    if own_process_count:
        most[resource.RLIMIT_NPROC] = limits.processes
    return most


def counts_processes_per_box(tier: Tier) -> bool:
    """Whether RLIMIT_NPROC in a user namespace leaves other boxes of the user alone."""
    release = os.uname().release.split(".")
    version = tuple(int(part) for part in release[:2] if part.isdigit())
    return tier == "full" and version >= KERNEL_WITH_OWN_PROCESS_COUNTS

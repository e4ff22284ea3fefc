"""What a box takes of the machine, looked at from outside while it runs.

Where the kernel does not count for a box as a whole, the zygote does, a few times a second: the
files in a folder on the machine's disk, and, without a control group, the memory of all processes
of a box together. Looking is cheap as long as a box is far from its limit: what its processes and
the zygote share is then counted for each of them. Near the limit the kernel is asked for each
page's share. Between two looks a box may take more, by as much as it can fill in that time.

A file without a name takes room as long as it is open or mapped, and memory can be held by what is
no process. What could not be found here a box cannot get: its filter refuses to send descriptors
or to have tables of them for single threads (tier `restricted`), memory that is a file or shared
without one, and pages given to a pipe (see `calls`).
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from autograder.box.walls import folders
from autograder.course.limits import Limits

_HELD = re.compile(rb"^(?:RssAnon|RssShmem|VmSwap):\s*(\d+) kB", re.MULTILINE)
_SHARE = re.compile(rb"^(?:Pss_Anon|Pss_Shmem|SwapPss):\s*(\d+) kB", re.MULTILINE)
_SOCKETS = re.compile(rb"^sockets: used (\d+)")
_BUFFER = Path("/proc/sys/net/core/wmem_default")
_NAMELESS = b" (deleted)"
_MEMORY_FILE = "/memfd:"


def too_much_memory(pid: int, most_bytes: int) -> bool:
    """Whether the processes of the box whose first is `pid` hold more than `most_bytes`.

    What each shares with the zygote counts by its share, which is looked up only near the limit.
    """
    pids, waiting = _processes(pid), _waiting(pid)
    if waiting + sum(map(_held, pids)) <= most_bytes:
        return False
    return waiting + sum(map(_share, pids)) > most_bytes


def too_full(folder: str, pid: int, limits: Limits) -> bool:
    """Whether the box of process `pid` has more files, or larger ones, than it may have.

    They are those below `folder` and those without a name that it still holds. A folder that
    cannot be looked through is too full, whatever it holds.
    """
    sizes: dict[int, int] = {}
    try:
        for count, file in enumerate(folders.below(folder), 1):
            sizes[file.st_ino] = file.st_blocks * 512
            if count > limits.files:
                return True
    except folders.Unseen:
        return True
    open_files = _open_nameless(pid)
    mapped = _mapped_nameless(pid, os.path.realpath(folder)) - {*sizes, *open_files}
    held = sum(sizes.values()) + sum(open_files.values())
    return held + len(mapped) * limits.file_bytes > limits.disk_bytes  # nobody tells their sizes


def _processes(pid: int) -> list[int]:
    """A process and all that it, or they, have started."""
    found = [pid]
    for one in found:
        for thread in _threads(one):
            with contextlib.suppress(OSError):
                found += map(int, Path(thread, "children").read_text().split())
    return found


def _threads(pid: int) -> Iterator[str]:
    """Where the kernel tells of the threads of a process; its first may end before the others."""
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            yield f"/proc/{pid}/task/{thread}"


def _held(pid: int) -> int:
    """Bytes in memory or swapped out; 0 once it has ended."""
    for thread in _threads(pid):
        with contextlib.suppress(OSError):
            if found := _HELD.findall(Path(thread, "status").read_bytes()):
                return 1024 * sum(map(int, found))
    return 0


def _share(pid: int) -> int:
    """Bytes that it holds, of each page its share; all of them where its shares are not told."""
    try:
        found = _SHARE.findall(Path(f"/proc/{pid}/smaps_rollup").read_bytes())
        return 1024 * sum(map(int, found))
    except OSError:
        return _held(pid)


def _waiting(pid: int) -> int:
    """Bytes that may wait in all sockets of a box with a network of its own, else 0."""
    for thread in _threads(pid):
        with contextlib.suppress(OSError):
            if os.stat(f"{thread}/ns/net").st_ino == os.stat("/proc/self/ns/net").st_ino:
                return 0
            sockets = _SOCKETS.search(Path(thread, "net/sockstat").read_bytes())
            return int(sockets[1]) * int(_BUFFER.read_bytes()) if sockets else 0
    return 0


def _open_nameless(pid: int) -> dict[int, int]:
    """Bytes of the files on a disk without a name that a process has open, by inode."""
    found: dict[int, int] = {}
    for at in _open(pid):
        with contextlib.suppress(OSError):
            file = os.stat(at)
            nameless = stat.S_ISREG(file.st_mode) and not file.st_nlink
            if nameless and not os.readlink(at).startswith(_MEMORY_FILE):
                found[file.st_ino] = file.st_blocks * 512
    return found


def _open(pid: int) -> list[str]:
    """The descriptors of a process, which all threads of it have in common."""
    for thread in _threads(pid):
        with contextlib.suppress(OSError):
            if fds := os.listdir(f"{thread}/fd"):
                return [f"{thread}/fd/{fd}" for fd in fds]
    return []


def _mapped_nameless(pid: int, folder: str) -> set[int]:
    """Inodes of the files without a name, once in `folder`, that a process has mapped."""
    below = os.fsencode(folder) + b"/"
    for thread in _threads(pid):
        with contextlib.suppress(OSError):
            if maps := Path(thread, "maps").read_bytes():
                lines = [m.split(None, 5) for m in maps.split(b"\n") if m.endswith(_NAMELESS)]
                return {int(inode) for *_, inode, at in lines if at.startswith(below)}
    return set()

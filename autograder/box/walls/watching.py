"""What a box takes of the machine, looked at from outside while it runs.

Where the kernel does not count for a box as a whole, the zygote does, a few times a second: the
files in a folder on the machine's disk, and, without a control group, the memory of all processes
of a box together. Looking is cheap as long as a box is far from its limit: what its processes and
the zygote share is then counted for each of them. Near the limit the kernel is asked for each
page's share. Between two looks a box may take more, by as much as it can fill in that time.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from autograder.course.limits import Limits

_RESIDENT = re.compile(rb"^Rss(?:Anon|Shmem):\s*(\d+) kB", re.MULTILINE)
_SHARE = re.compile(rb"^Pss_(?:Anon|Shmem):\s*(\d+) kB", re.MULTILINE)
MEMORY_FILE = "/memfd:"


def too_much_memory(pid: int, most_bytes: int) -> bool:
    """Whether the processes of the box whose first is `pid` hold more than `most_bytes`.

    What each shares with the zygote counts by its share, which is looked up only near the limit.
    """
    pids = list(_processes(pid))
    files = sum(_memory_files(pids).values())
    if files + sum(_resident(one) for one in pids) <= most_bytes:
        return False
    return files + sum(_share(one) for one in pids) > most_bytes


def too_full(folder: str, limits: Limits) -> bool:
    """Whether the files below `folder` are more, or larger, than a box may have."""
    count = size = 0
    for at, folders, names in os.walk(folder):
        count += len(folders) + len(names)
        for name in names:
            with contextlib.suppress(OSError):
                size += os.lstat(os.path.join(at, name)).st_blocks * 512
        if count > limits.files or size > limits.disk_bytes:
            return True
    return False


def _processes(pid: int) -> Iterator[int]:
    """A process and all that it, or they, have started."""
    yield pid
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split():
                yield from _processes(int(child))


def _resident(pid: int) -> int:
    """Bytes in memory; 0 once it has ended."""
    try:
        return _sum(_RESIDENT, Path(f"/proc/{pid}/status").read_bytes())
    except OSError:
        return 0


def _share(pid: int) -> int:
    """Bytes in memory, of each page its share; all of them where it hides its shares."""
    try:
        return _sum(_SHARE, Path(f"/proc/{pid}/smaps_rollup").read_bytes())
    except OSError:
        return _resident(pid)


def _sum(lines: re.Pattern[bytes], text: bytes) -> int:
    return 1024 * sum(map(int, lines.findall(text)))


def _memory_files(pids: list[int]) -> dict[int, int]:
    """Bytes of the files in memory that are open in these processes, by inode."""
    found: dict[int, int] = {}
    for pid in pids:
        folder = f"/proc/{pid}/fd"
        with contextlib.suppress(OSError):
            for fd in os.listdir(folder):
                with contextlib.suppress(OSError):
                    if os.readlink(f"{folder}/{fd}").startswith(MEMORY_FILE):
                        file = os.stat(f"{folder}/{fd}")
                        found[file.st_ino] = file.st_blocks * 512
    return found

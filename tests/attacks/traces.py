"""What an attack could leave behind, and how much memory this process holds."""

from __future__ import annotations

import ctypes
import gc
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from attacks.world import MARKER
from autograder.box.outside import cgroups

SETTLE_SECONDS = 10.0  # a killed process takes a moment to vanish


@dataclass(frozen=True)
class Traces:
    """What an attack could leave behind."""

    processes: frozenset[int]
    mounts: frozenset[str]
    cgroups: frozenset[str]
    files: frozenset[str]

    @classmethod
    def now(cls) -> Traces:
        return cls(_processes(), _mounts(), _cgroups(), _files())

    def __sub__(self, before: Traces) -> Traces:
        """What came since, and mounts that went.

        A process that ended meanwhile may be one of an earlier test.
        """
        return Traces(
            self.processes - before.processes,
            self.mounts ^ before.mounts,
            self.cgroups - before.cgroups,
            self.files - before.files,
        )


NOTHING = Traces(frozenset(), frozenset(), frozenset(), frozenset())


def left_since(before: Traces) -> Traces:
    """What came since, once all of it has vanished or has had its time to vanish."""
    end = time.monotonic() + SETTLE_SECONDS
    while (left := Traces.now() - before) != NOTHING and time.monotonic() < end:
        time.sleep(0.02)
    return left


def _processes() -> frozenset[int]:
    """Descendants of this process, and every process that carries the marker."""
    parents: dict[int, int] = {}
    marked = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(stat[1])
            if MARKER.encode() in (folder / "cmdline").read_bytes():
                marked.add(int(folder.name))
        except OSError:
            continue
    own = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in own} - own:
        own |= more
    return frozenset(own | marked)


def _mounts() -> frozenset[str]:
    return frozenset(Path("/proc/self/mountinfo").read_text().splitlines())


def _cgroups() -> frozenset[str]:
    """Control groups that this process has made."""
    return folders_below("/sys/fs/cgroup", f"{cgroups.PREFIX}-{os.getpid()}-")


def folders_below(root: str | Path, prefix: str) -> frozenset[str]:
    """Folders whose names start so; those of others may go while one looks."""
    walked = ((at, folders) for at, folders, _ in os.walk(root))
    return frozenset(
        os.path.join(at, name) for at, names in walked for name in names if name.startswith(prefix)
    )


def _files() -> frozenset[str]:
    """Files with the marker in their names where any user may write."""
    folders = {tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm", str(Path.home()), os.getcwd()}
    return frozenset(str(path) for folder in folders for path in Path(folder).glob(f"*{MARKER}*"))


def resident_bytes() -> int:
    """What this process holds; what the allocator kept of what was freed goes back before."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return _status_bytes("VmRSS")


def peak_bytes() -> int:
    """Most memory this process has held since `forget_peak`."""
    return _status_bytes("VmHWM")


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _status_bytes(field_name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field_name + ":"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"no {field_name} in /proc/self/status")

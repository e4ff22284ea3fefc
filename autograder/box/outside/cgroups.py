"""Memory and process limits of a whole box, by control groups made on the trusted side.

Theory of operation. The grader makes one group per box below (or beside) its own, and hands the
box, which has no rights to it, an open file by which it joins (see `DOORS`). After the box has
ended the grader reads whether the kernel had to kill for memory, and removes the group. Where
groups cannot be made, `find` returns None: limits then hold per process (see `policy.rlimits`).
Both generations of the interface are served; of the first, memory and pids are two hierarchies.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PREFIX: Final = "autograder"
CONTROLLERS: Final = ("memory", "pids")
REMOVE_SECONDS: Final = 2.0
FILES: Final = {
    1: ("memory.limit_in_bytes", "memory.oom_control"),
    2: ("memory.max", "memory.events"),
}
"""Generation: where the memory limit and the count of kills stand."""

DOORS: Final = {1: "tasks", 2: "cgroup.procs"}
"""Generation: the file by which a process of one thread joins. To move one that may have more the
kernel stops all forks of the machine, for which it waits up to 10 ms; only the first generation has
a file without."""

NO_SWAP: Final = {1: "memory.memsw.limit_in_bytes", 2: "memory.swap.max"}


@dataclass(frozen=True)
class BoxGroup:
    """The group of one box: a folder per hierarchy (one in the second generation)."""

    generation: int
    folders: tuple[Path, ...]

    def open_doors(self) -> list[int]:
        """Descriptors of the files by which a process joins; the caller closes them."""
        door, flags = DOORS[self.generation], os.O_WRONLY | os.O_CLOEXEC
        return [os.open(folder / door, flags) for folder in self.folders]

    def out_of_memory(self) -> bool:
        """Whether the kernel killed a process of the box for want of memory."""
        text = _read(self.folders[0] / FILES[self.generation][1])
        found = re.search(r"^oom_kill (\d+)", text, re.MULTILINE)
        return found is not None and int(found[1]) > 0

    def remove(self) -> None:
        """Removes the folders; the box's processes must have been killed."""
        until = time.monotonic() + REMOVE_SECONDS
        for folder in self.folders:
            while folder.exists() and not _removed(folder) and time.monotonic() < until:
                time.sleep(0.01)


@dataclass(frozen=True)
class Groups:
    """Where groups of boxes can be made."""

    generation: int
    bases: tuple[Path, ...]

    def create(self, memory_bytes: int, processes: int) -> BoxGroup:
        """A new, empty group with these limits. Raises OSError."""
        name = f"{PREFIX}-{os.getpid()}-{secrets.token_hex(4)}"
        group = BoxGroup(self.generation, tuple(base / name for base in self.bases))
        memory, pids = group.folders[0], group.folders[-1]
        try:
            for folder in group.folders:
                folder.mkdir()
            (memory / FILES[self.generation][0]).write_text(str(memory_bytes))
            (pids / "pids.max").write_text(str(processes))
            with contextlib.suppress(OSError):  # where swap is not accounted there is no file
                no_more = memory_bytes if self.generation == 1 else 0
                (memory / NO_SWAP[self.generation]).write_text(str(no_more))
        except OSError:
            group.remove()
            raise
        return group


def find() -> Groups | None:
    """Where this process can make groups and move others into them; None where it cannot."""
    for groups in _candidates():
        if _works(groups):
            for base in groups.bases:
                _sweep(base)
            return groups
    return None


def _candidates() -> list[Groups]:
    mounts = _mounts(_read(Path("/proc/self/mountinfo")))
    own: dict[str, Path] = {}
    for line in _read(Path("/proc/self/cgroup")).splitlines():
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            if name in mounts:
                root, at = mounts[name]
                own[name] = at / os.path.relpath(path, root)
    found = []
    if all(name in own for name in CONTROLLERS):
        found.append(Groups(1, tuple(own[name] for name in CONTROLLERS)))
    if "" in own:  # above the mount there are no groups, but maybe folders that look like some
        bases = [base for base in (own[""], own[""].parent) if base.is_relative_to(mounts[""][1])]
        found += [Groups(2, (base,)) for base in bases]
    return found


def _mounts(mountinfo: str) -> dict[str, tuple[str, Path]]:
    """Controller ("" for the second generation): root within the hierarchy, mount point."""
    mounts: dict[str, tuple[str, Path]] = {}
    for line in mountinfo.splitlines():
        fields, _, rest = line.partition(" - ")
        kind, _, options = rest.split(" ", 2)
        root, at = fields.split()[3:5]
        if kind == "cgroup2":
            mounts.setdefault("", (root, Path(at)))
        elif kind == "cgroup":
            for name in options.split(","):
                mounts.setdefault(name, (root, Path(at)))
    return mounts


def _works(groups: Groups) -> bool:
    """Tries it with a sleeping process."""
    try:
        group = groups.create(1 << 26, 8)
    except OSError:
        return False
    try:
        with subprocess.Popen(["/bin/sleep", "9"], env={}) as sleeper:
            try:
                for folder in group.folders:
                    (folder / DOORS[groups.generation]).write_text(str(sleeper.pid))
            finally:
                sleeper.kill()
    except OSError:
        return False
    finally:
        group.remove()
    return True


def _sweep(base: Path) -> None:
    """Removes what graders that were killed left behind."""
    for folder in base.glob(f"{PREFIX}-*-*"):
        pid = folder.name.split("-")[1]
        if not os.path.exists(f"/proc/{pid}"):
            _removed(folder)


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except OSError:
        return False
    return True


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""

"""The zygote's view of the file system: an empty root with what Python needs in it, read-only.

Theory of operation. Before anything heavy is imported, the zygote takes a mount namespace (and,
when it is not root, a user namespace to be allowed to), builds a new root on a tmpfs, swaps it for
the old one, and gives up all rights. Hidden checks, the course and everybody's homes are then out
of reach of the zygote itself, and every box inherits mounts that it cannot undo. Paths keep their
names, and the folders above them are empty ones that anybody may enter, so a Python below a
private home works too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from autograder.box.walls import policy, syscalls
from autograder.box.walls.policy import Layers
from autograder.box.walls.syscalls import MS_NODEV, MS_NOEXEC, MS_NOSUID

SCAFFOLDS = ("/sys", "/mnt", "/srv", "/media")
"""Folders that hold no Python: one of them carries the new root while it is built."""

READ_ONLY = syscalls.MOUNT_ATTR_RDONLY | syscalls.MOUNT_ATTR_NOSUID | syscalls.MOUNT_ATTR_NODEV
DEVICE = syscalls.MOUNT_ATTR_RDONLY | syscalls.MOUNT_ATTR_NOSUID | syscalls.MOUNT_ATTR_NOEXEC
"""Read-only is a device's file, with its times that every box sees, and not the device."""
PROC = MS_NOSUID | MS_NODEV | MS_NOEXEC


def follow(path: str) -> tuple[dict[str, str], str]:
    """The symbolic links on the way to `path` (link: target) and where it really lies."""
    links: dict[str, str] = {}
    here = Path("/")
    pending = list(Path(os.path.abspath(path)).parts[1:])
    while pending:
        step = here / pending.pop(0)
        if step.is_symlink() and str(step) not in links:
            target = os.readlink(step)
            links[str(step)] = target
            pending = [*Path(os.path.normpath(here / target)).parts[1:], *pending]
            here = Path("/")
        else:
            here = step
    return links, str(here)


def resolve(readable: Iterable[str], hidden: Iterable[str]) -> tuple[dict[str, str], Layers]:
    """The links that a view needs, and its layers (see `policy.layers`) by their real paths."""
    links: dict[str, str] = {}
    real: list[str] = []
    for path in readable:
        if os.path.exists(path):
            on_the_way, at = follow(path)
            links |= on_the_way
            real.append(at)
    covered = [os.path.realpath(path) for path in hidden]
    return links, policy.layers(real, covered)


def build(links: dict[str, str], layers: Layers) -> None:
    """Makes the view and enters it; needs the right to mount. Raises OSError."""
    root = next(path for path in SCAFFOLDS if os.path.isdir(path))
    os.umask(0o022)  # whoever the zygote becomes, it must be able to enter
    syscalls.mount("", "/", "", syscalls.MS_REC | syscalls.MS_PRIVATE)
    syscalls.mount("tmpfs", root, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=4m")
    temporary = root + policy.TEMPORARY
    os.mkdir(temporary)
    size = f"mode=1777,size={policy.ZYGOTE_TEMPORARY_BYTES}"
    syscalls.mount("tmpfs", temporary, "tmpfs", MS_NOSUID | MS_NODEV, size)
    for path, shown in layers:
        if shown:
            _place(path, root + path)
            syscalls.bind(path, root + path)
        elif os.path.isdir(root + path):
            syscalls.mount("tmpfs", root + path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m")
    _furnish(root, links)
    syscalls.set_mount_attributes(root, READ_ONLY, recursive=True)
    syscalls.set_mount_attributes(temporary, 0, drop=syscalls.MOUNT_ATTR_RDONLY)
    for device in policy.DEVICES:
        syscalls.bind(device, root + device)
        syscalls.set_mount_attributes(root + device, DEVICE)
    syscalls.bind("/proc", root + "/proc")
    syscalls.swap_root(root)


def _place(source: str, target: str) -> None:
    """Makes an empty file or folder to mount `source` on, with the folders above it."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        Path(target).touch()


def _furnish(root: str, links: dict[str, str]) -> None:
    """Puts links, made files and mount points where no bind has brought them."""
    for folder in ("/proc", policy.HOME, policy.SHARED_MEMORY, policy.EMPTY):
        os.makedirs(root + folder, exist_ok=True)
    for link, target in links.items():
        if not os.path.lexists(root + link):
            os.makedirs(os.path.dirname(root + link), exist_ok=True)
            os.symlink(target, root + link)
    for name, text in policy.MADE_FILES.items():
        os.makedirs(os.path.dirname(root + name), exist_ok=True)
        Path(root + name).write_text(text, encoding="utf-8")
    for device in policy.DEVICES:
        Path(root + device).touch()


def furnish_box(disk_bytes: int, files: int, layers: Layers) -> None:
    """Mounts what each box has for itself: its files, all on one bounded tmpfs, and its /proc."""
    flags = MS_NOSUID | MS_NODEV
    here = policy.TEMPORARY
    covered = [path for path, shown in layers if shown and Path(here) in Path(path).parents]
    kept = {path: os.open(path, os.O_PATH) for path in covered}
    syscalls.mount("tmpfs", here, "tmpfs", flags, f"mode=755,size={disk_bytes},nr_inodes={files}")
    for name in (policy.HOME, policy.SHARED_MEMORY, policy.TEMPORARY):  # the last covers the rest
        part = f"{here}/{os.path.basename(name)}"
        os.mkdir(part, 0o700)
        syscalls.bind(part, name)
    for path, fd in kept.items():
        _place(f"/proc/self/fd/{fd}", path)
        syscalls.bind(f"/proc/self/fd/{fd}", path)
    syscalls.mount("proc", "/proc", "proc", PROC | syscalls.MS_RDONLY)
    for name in os.listdir("/proc"):
        if not name.isdecimal() and name not in policy.KNOWN_OF_THE_SYSTEM:
            place = f"/proc/{name}"
            syscalls.bind(policy.EMPTY if os.path.isdir(place) else "/dev/null", place)

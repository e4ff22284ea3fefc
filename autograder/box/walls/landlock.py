"""Landlock: rights that a process gives up by itself, also where no namespace is to be had.

Theory of operation. A ruleset takes away every right that this kernel knows (files, TCP, signals
and abstract sockets to processes outside) and each rule gives some back below one path. Rights
come with versions of the interface; what a kernel does not know is left to the other layers.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from typing import Final

from autograder.box.walls.syscalls import call

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MAKE_CHAR, MAKE_BLOCK = 1 << 6, 1 << 11
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
ON_FILES: Final = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV

READ: Final = EXECUTE | READ_FILE | READ_DIR
USE_DEVICE: Final = READ_FILE | WRITE_FILE | TRUNCATE
WRITE: Final = 0xFFFF & ~(MAKE_CHAR | MAKE_BLOCK)

FILE_RIGHTS: Final = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
ALL_FILE_RIGHTS: Final = (1 << 16) - 1
BIND_AND_CONNECT_TCP: Final = 3
SCOPE_SOCKETS_AND_SIGNALS: Final = 3
VERSION: Final = 1  # flag: ask for the version
PATH_BENEATH: Final = 1


def version() -> int:
    """The version of the interface; 0 where the kernel has none or does not let us."""
    try:
        return call("landlock_create_ruleset", None, 0, VERSION)
    except OSError:
        return 0


def restrict(rules: Iterable[tuple[str, int]]) -> None:
    """Leaves this process only the rights of `rules` (path, rights), for good. Raises OSError.

    Paths that do not exist are skipped. NO_NEW_PRIVS must be set.
    """
    known = version()
    files = FILE_RIGHTS.get(known, ALL_FILE_RIGHTS)
    network = BIND_AND_CONNECT_TCP if known >= 4 else 0
    scoped = SCOPE_SOCKETS_AND_SIGNALS if known >= 6 else 0
    attributes = struct.pack("=QQQ", files, network, scoped)
    size = 8 if known < 4 else 16 if known < 6 else 24
    ruleset = call("landlock_create_ruleset", attributes[:size], size, 0)
    try:
        for path, rights in rules:
            _allow(ruleset, path, rights & files)
        call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):
            rights &= ON_FILES
        call("landlock_add_rule", ruleset, PATH_BENEATH, struct.pack("=Qi", rights, folder), 0)
    finally:
        os.close(folder)

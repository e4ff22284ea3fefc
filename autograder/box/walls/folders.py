"""A folder that student code has filled, looked through and removed from outside.

Theory of operation. Nothing is taken for granted of its shape: folders may be nested deeper than a
path or a recursion can reach, may be closed to their owner, and may change while one looks. So
each is opened by its name from the one above, links are never followed, and looking leaves no time
of access behind that would tell the box when it is looked at. What cannot be looked through is
said to be `Unseen`. Removing goes on until all is gone: a folder below another is opened for its
owner, moved to the top, and emptied there, so that neither paths nor stacks grow.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

DEEPEST: Final = 32
"""Folders below each other that are looked through; no package that is installed has as many."""

_LOOK: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NOATIME | os.O_CLOEXEC


class Unseen(Exception):
    """A folder is closed, or lies too deep, so that nobody can say what it holds."""


def below(folder: str) -> Iterator[os.stat_result]:
    """All files and folders below `folder`, but for what goes while one looks. Raises Unseen."""
    return _below(folder, None, DEEPEST)


def _below(name: str, parent: int | None, levels: int) -> Iterator[os.stat_result]:
    if not levels:
        raise Unseen
    try:
        with _opened(name, _LOOK, parent) as fd, os.scandir(fd) as entries:
            for entry in entries:
                found = _status(entry.name, fd)
                if found:
                    yield found
                    if stat.S_ISDIR(found.st_mode):
                        yield from _below(entry.name, fd, levels - 1)
    except OSError as error:
        if error.errno == errno.EACCES:
            raise Unseen from error


def _status(name: str, parent: int) -> os.stat_result | None:
    """What `name` is; None once it has gone."""
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None


@contextmanager
def _opened(name: str, flags: int, parent: int | None) -> Iterator[int]:
    fd = os.open(name, flags, dir_fd=parent)
    try:
        yield fd
    finally:
        os.close(fd)


def remove(folder: str) -> None:
    """Removes `folder`, whose processes have ended, and all below; what resists stays."""
    with suppress(OSError), _owned(folder, None) as top:
        left = _empty(top, None)
        while left:
            name = left.pop()
            with suppress(OSError):
                with _owned(name, top) as fd:
                    left += _empty(fd, top)
                os.rmdir(name, dir_fd=top)
    with suppress(OSError):
        os.rmdir(folder)


@contextmanager
def _owned(name: str, parent: int | None) -> Iterator[int]:
    """A folder that its owner may read, change and move from now on."""
    os.chmod(name, 0o700, dir_fd=parent)
    with _opened(name, _LOOK, parent) as fd:
        yield fd


def _empty(folder: int, top: int | None) -> list[str]:
    """Removes what is no folder, and moves the folders to `top`; their names there."""
    moved = []
    for name in os.listdir(folder):
        with suppress(OSError):
            if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                os.unlink(name, dir_fd=folder)
            elif top is None:
                moved.append(name)
            else:
                with _owned(name, folder):
                    new = secrets.token_hex(16)
                    os.rename(name, new, src_dir_fd=folder, dst_dir_fd=top)
                    moved.append(new)
    return moved

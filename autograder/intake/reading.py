"""Reading files that students handed in."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from autograder.errors import UnreadableSubmission
from autograder.results.plain import plain

STAMP_BYTES = 1024  # of a time stamp


def read_stamp(path: Path) -> bytes:
    """The bytes of a time stamp.

    Raises:
        UnreadableSubmission: it is nothing of the kind.
    """
    try:
        return read_bytes(path, STAMP_BYTES)
    except UnreadableSubmission as error:
        raise UnreadableSubmission(
            f"{plain(str(path))} holds no time: write one as 2026-11-04 12:00:00 UTC, or delete it"
        ) from error


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """The bytes of a notebook, a regular file of at most `max_bytes`, never following a link.

    Raises:
        UnreadableSubmission: there is no such file, or it is something else.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UnreadableSubmission(f"{path} is a link: submit the notebook itself") from error
        raise UnreadableSubmission(f"cannot read {path}: {error.strerror}") from error
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        os.close(fd)
        raise UnreadableSubmission(f"{path} is not a regular file: give a notebook (.ipynb)")
    with os.fdopen(fd, "rb") as file:
        if found.st_size > max_bytes:
            raise UnreadableSubmission(
                f"{path} has {found.st_size:,} bytes, more than the limit of {max_bytes:,}: "
                "clear its outputs"
            )
        return file.read(max_bytes)

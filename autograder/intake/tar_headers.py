"""A tar archive whose headers are of bounded size, member by member.

Theory of operation. In front of a member there may be headers of any number and length, which
tarfile reads whole, keeps, and searches in the square of their digits (CVE-2024-6232). It asks for
them at the same file as for what members hold. So while it looks for the next member, that file
gives it a bounded number of bytes and no long number; what members hold is read without a bound.
"""

from __future__ import annotations

import math
import re
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from autograder.errors import UnreadableSubmission

HEADER_BYTES = 64 << 10  # of all that stands before one member
GLOBAL_FIELDS = 100  # which tarfile applies to every later member
_LONG_NUMBER = re.compile(rb"\d{100}")


class _Bounded:
    """The file that tarfile reads from."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.left: float = HEADER_BYTES
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int) -> bytes:
        if size > self.left:
            raise UnreadableSubmission(f"a file in it has a header of over {HEADER_BYTES:,} bytes")
        self.left -= size
        data = self._file.read(size)
        if self.left < math.inf and _LONG_NUMBER.search(data):
            raise UnreadableSubmission("a file in it has a header with a number of 100 digits")
        return data


@contextmanager
def opened(file: IO[bytes]) -> Iterator[tuple[tarfile.TarFile, Iterator[tarfile.TarInfo]]]:
    """An archive without compression, and its members one after the other.

    What a member holds is to be read before the next one is asked for.

    Raises:
        UnreadableSubmission: it is no tar archive, or its headers are too large.
        tarfile.TarError: it is damaged.
    """
    bounded = _Bounded(file)
    with _tar(bounded) as archive:
        yield archive, _members(archive, bounded)


def _tar(file: _Bounded) -> tarfile.TarFile:
    try:
        return tarfile.open(fileobj=file, mode="r:")  # type: ignore[call-overload, no-any-return]
    except tarfile.TarError as error:
        raise UnreadableSubmission("it is no zip and no tar archive") from error


def _members(archive: tarfile.TarFile, bounded: _Bounded) -> Iterator[tarfile.TarInfo]:
    while (info := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined]  # which tarfile keeps, and nobody asks for again
        if len(archive.pax_headers) > GLOBAL_FIELDS:
            raise UnreadableSubmission(f"it has over {GLOBAL_FIELDS} headers for all its files")
        bounded.left = math.inf
        yield info
        bounded.left = HEADER_BYTES

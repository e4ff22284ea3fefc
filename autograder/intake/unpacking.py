"""Unpacks what was downloaded: archives that students made are opened as hostile input.

Theory of operation. `nbgrader zip_collect` unpacks `downloaded/<assignment>/archive/` into
`extracted/` beside it: the archive of a whole class, and in it what single students archived. Here
a member's name never leads out of the folder it belongs to, a link or a device is never made, two
members never share a file, and bytes and files are counted against a budget before they are
written. All that a student's own archive holds, archives inside it included, has a budget of its
own. What is refused is named in the log and stays in `archive/`; everything else is unpacked.
"""

from __future__ import annotations

import gzip
import mmap
import os
import re
import shutil
import stat
import tarfile
import tempfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO

from nbgrader.plugins import ExtractorPlugin
from traitlets import Integer, List, Unicode

from autograder.course.limits import MIB
from autograder.errors import UnreadableSubmission
from autograder.intake import MOST_LEVELS, tar_headers
from autograder.results.plain import plain

DEEPEST = 3  # archives in archives
NAME_BYTES = 240  # of one part of a path, with room for a number behind it
MOST_CHARACTERS = 2 * NAME_BYTES  # of one with its accents apart: three characters for two bytes
NEEDS_A_PASSWORD = 1  # a zip member's flag
LATEST = 2.0**32  # seconds since 1970; a tar archive may name any time
GZIP_START = b"\x1f\x8b"
TAR_MAGIC = b"ustar"  # in the header of the first member
ENTRY_SIGNATURE = b"PK\x01\x02"  # each entry of a zip's directory begins with it
_A_LINK = "it is a link or a device"
_TOO_DEEP = f"its folders lie in folders more than {MOST_LEVELS} deep"


@dataclass
class Budget:
    """What may still be unpacked: bytes and files."""

    bytes: int
    files: int

    def take(self, size: int) -> None:
        """Counts a file of `size` bytes.

        Raises:
            UnreadableSubmission: that is more than is left.
        """
        if self.files < 1 or size > self.bytes:
            raise UnreadableSubmission("it unpacks to more bytes or files than allowed")
        self.files -= 1
        self.bytes -= size


@dataclass(frozen=True)
class Member:
    """A file in an archive.

    Attributes:
        name: as the archive has it, with its folders.
        size: bytes that `open` gives at most.
        modified: seconds since 1970; a zip tells no time zone, so UTC is assumed.
        refusal: why it must not be unpacked; empty if it may.
    """

    name: str
    size: int
    modified: float
    refusal: str
    open: Callable[[], IO[bytes]]


class SafeExtractor(ExtractorPlugin):  # type: ignore[misc]
    """The extractor plugin of `nbgrader zip_collect`."""

    zip_ext = List(Unicode(), [".zip", ".gz", ".tgz", ".tar"], help="How archives' names end.").tag(
        config=True
    )
    max_bytes = Integer(8192 * MIB, help="Bytes that a downloaded archive may unpack to.").tag(
        config=True
    )
    max_files = Integer(100_000, help="Files that a downloaded archive may hold.").tag(config=True)
    max_inner_bytes = Integer(
        256 * MIB, help="Bytes that an archive inside a downloaded one may unpack to."
    ).tag(config=True)
    max_inner_files = Integer(
        1000, help="Files that an archive inside a downloaded one may hold."
    ).tag(config=True)

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Unpacks archives and copies other files; called by nbgrader once a run."""
        source, target = Path(archive_path), Path(extracted_path)
        for path in self._files(source):
            try:
                place = target / _normal(str(path.relative_to(source)))
                if self._is_archive(path):
                    budget = Budget(self.max_bytes, self.max_files)
                    self._unpack(path, place.parent / self._stem(place), budget, depth=1)
                else:
                    place.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(path, _free(place))
            except Exception as error:  # one student's file keeps nobody else's from being unpacked
                self._refuse(path, _said_by(error))

    def _files(self, source: Path) -> list[Path]:
        """The files that were downloaded, as deep as folders may lie in folders."""
        found, level = [], [source]
        for _ in range(MOST_LEVELS):
            inside = sorted(path for folder in level for path in folder.iterdir())
            for link in [path for path in inside if path.is_symlink()]:
                self._refuse(link, _A_LINK)
            own = [path for path in inside if not path.is_symlink()]
            found += [path for path in own if path.is_file()]
            level = [path for path in own if path.is_dir()]
        for folder in level:
            self._refuse(folder, _TOO_DEEP)
        return sorted(found)

    def _unpack(self, archive: Path, folder: Path, budget: Budget, depth: int) -> None:
        """Unpacks an archive into `folder`, and after it the archives found in it."""
        inner = []
        try:
            with _members(archive, budget) as members:
                for member in members:
                    path = self._write(member, folder, budget, archive)
                    if path is not None and self._is_archive(path):
                        inner.append(path)
        except Exception as error:  # which zipfile and tarfile raise on odd archives, of any kind
            self._refuse(archive, _said_by(error))
        for path in inner:
            if depth == DEEPEST:
                self._refuse(path, f"archives lie in archives {DEEPEST} deep")
                continue
            if depth == 1:
                budget = Budget(self.max_inner_bytes, self.max_inner_files)
            self._unpack(path, path.parent / self._stem(path), budget, depth + 1)

    def _write(self, member: Member, folder: Path, budget: Budget, archive: Path) -> Path | None:
        """Where the member was written; None where it was refused."""
        parts, refusal = safe_parts(member.name), member.refusal
        if member.size > self.max_inner_bytes:
            refusal = (
                f"it has {member.size:,} bytes, more than the limit of {self.max_inner_bytes:,}"
            )
        if parts is None:
            refusal = "its name leads out of the archive or is no name for a file"
        elif len(parts) > MOST_LEVELS:
            refusal = _TOO_DEEP
        shown = plain(member.name[:NAME_BYTES])
        if parts is None or refusal:
            self._refuse(archive, f"{shown}: {refusal}")
            return None
        budget.take(member.size)
        try:
            return _copied(member, folder.joinpath(*parts))
        except Exception as error:  # as above: the other files are unpacked
            self._refuse(archive, f"{shown}: {_said_by(error)}")
            return None

    def _refuse(self, archive: Path, reason: str) -> None:
        self.log.error("Refused in %s: %s", plain(archive.name), plain(reason))

    def _is_archive(self, path: Path) -> bool:
        return path.suffix.lower() in self.zip_ext

    @staticmethod
    def _stem(path: Path) -> str:
        return re.sub(r"\.tar$", "", path.stem, flags=re.IGNORECASE)


def safe_parts(name: str) -> list[str] | None:
    """A member's name as folders and file below the archive's own; None if it leads elsewhere."""
    name = name.replace("\\", "/")
    if any(len(part) > MOST_CHARACTERS for part in name.split("/")):
        return None
    name = _normal(name).replace("\\", "/")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    outside = name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in parts
    odd = any(unicodedata.category(c) in ("Cc", "Cs") for c in name)
    long = any(len(part.encode(errors="replace")) > NAME_BYTES for part in parts)
    return None if outside or odd or long or not parts else parts


def _normal(name: str) -> str:
    """One spelling for what reads the same: macOS takes accents apart.

    That takes the square of the number of accents on a letter.
    """
    return unicodedata.normalize("NFC", name)


def _said_by(error: Exception) -> str:
    return str(error) or type(error).__name__


def _free(path: Path) -> Path:
    """The path itself, or one with a number behind its name when there is a file already."""
    taken, number = path, 1
    while os.path.lexists(path):
        number += 1
        path = taken.with_name(f"{taken.stem}~{number}{taken.suffix}")
    return path


def _copied(member: Member, place: Path) -> Path:
    """Where a member was written: at `place`, or beside what is there already."""
    place.parent.mkdir(parents=True, exist_ok=True)
    path = _free(place)
    try:
        with member.open() as source, path.open("xb") as file:
            shutil.copyfileobj(source, file)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    os.utime(path, (member.modified, member.modified))
    return path


@contextmanager
def _members(archive: Path, budget: Budget) -> Iterator[Iterator[Member]]:
    """The files of an archive, in its order."""
    if _is_zip(archive):
        if _directory_entries(archive) > budget.files:
            raise UnreadableSubmission("it holds more files than allowed")
        with zipfile.ZipFile(archive) as opened:
            yield _zip_members(opened)
    else:
        with tempfile.TemporaryFile() as plain_tar:
            _decompress(archive, plain_tar, budget.bytes)
            with tar_headers.opened(plain_tar) as (tar, infos):
                yield _tar_members(tar, infos)


def _is_zip(archive: Path) -> bool:
    """Whether it is one itself: a tar archive whose last file is a zip ends as one, too."""
    with archive.open("rb") as file:
        head = file.read(512)
    is_tar = head.startswith(GZIP_START) or head[257:].startswith(TAR_MAGIC)
    return not is_tar and zipfile.is_zipfile(archive)


def _directory_entries(archive: Path) -> int:
    """At least as many as a zip has; Python holds all of them in memory, once it is opened."""
    count = at = 0
    with archive.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        while (at := data.find(ENTRY_SIGNATURE, at)) >= 0:
            count, at = count + 1, at + len(ENTRY_SIGNATURE)
    return count


def _decompress(archive: Path, target: IO[bytes], most: int) -> None:
    """A tar archive without its compression: tarfile holds some headers in memory, of any size."""
    with archive.open("rb") as file:
        packed = file.read(2) == GZIP_START
    with gzip.open(archive, "rb") if packed else archive.open("rb") as source:
        for chunk in iter(lambda: source.read(MIB), b""):
            target.write(chunk)
            if target.tell() > most:
                raise UnreadableSubmission("it unpacks to more bytes than allowed")
    target.seek(0)


def _zip_members(archive: zipfile.ZipFile) -> Iterator[Member]:
    for info in archive.infolist():
        if info.is_dir():
            continue
        kind = stat.S_IFMT(info.external_attr >> 16)
        refusal = _A_LINK if kind not in (0, stat.S_IFREG) else ""
        if info.flag_bits & NEEDS_A_PASSWORD:
            refusal = "it needs a password"
        opening = partial(archive.open, info)
        yield Member(_zip_name(info), info.file_size, _zip_time(info), refusal, opening)


def _zip_name(info: zipfile.ZipInfo) -> str:
    """A member's name: where a program wrote UTF-8 without saying so, Python takes it for cp437."""
    name = info.orig_filename
    if info.flag_bits & 0x800:
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _zip_time(info: zipfile.ZipInfo) -> float:
    try:
        return datetime(*info.date_time, tzinfo=UTC).timestamp()
    except ValueError:  # a zip may name a month 0
        return 0.0


def _tar_members(archive: tarfile.TarFile, infos: Iterator[tarfile.TarInfo]) -> Iterator[Member]:
    for info in infos:
        if not info.isdir():
            refusal = "" if info.isreg() else _A_LINK
            modified = min(max(info.mtime, 0.0), LATEST)
            opening = partial(_tar_open, archive, info)
            yield Member(info.name, info.size, modified, refusal, opening)


def _tar_open(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    found = archive.extractfile(info)
    assert found is not None  # a regular file's
    return found

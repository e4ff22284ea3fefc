"""What a verdict depends on, as digests: equal digests promise equal verdicts.

Theory of operation. The *state* stands for all that the instructor's side brings: the release and
its files, the instructor's notebook, checks, expected tensors, misconceptions, this package, the
versions of all that it declares to need, and the settings. Files count by their names and what they
hold. The *content* stands for what of a submission runs, and for the part that each cell plays.
A state is asked for with every submission, so what a file holds is read again only when the file
has changed. Nothing heavy is imported here: most runs only find out that nothing has changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from autograder.course.assignments import Assignment
from autograder.course.cells import grade_id
from autograder.course.settings import Settings
from autograder.files import PACKAGE, contents

if TYPE_CHECKING:  # loading nbformat takes longer than finding out that nothing has changed
    from autograder.intake.submission import Repaired

DISTRIBUTION = "autograder"
TOLD = ("Python", "torch", "numpy")
SETTLED_NS = 2_000_000_000  # a file changed later than this may change again unseen
KEPT_FILES = 4096

_NAME = re.compile(r"[A-Za-z0-9._-]+")


def versions() -> dict[str, str]:
    """Of Python and of each distribution that this package declares to need, extras aside.

    Where this package lies without being installed, of all that is installed.
    """
    installed = tuple((entry, _changed(entry)) for entry in sys.path)
    return {"Python": platform.python_version(), **_installed(metadata.version, installed)}


def _changed(entry: str) -> int | None:
    """When something was last put into a folder that Python imports from, or taken from it."""
    try:
        return os.stat(entry or os.curdir).st_mtime_ns
    except OSError:
        return None


@lru_cache(maxsize=1)
def _installed(
    version: Callable[[str], str], installed: tuple[tuple[str, int | None], ...]
) -> Mapping[str, str]:
    """Versions by name, looked up anew whenever something was `installed`."""
    try:
        needed = [text for text in metadata.requires(DISTRIBUTION) or [] if "extra ==" not in text]
        names = {found[0] for text in needed if (found := _NAME.match(text))}
    except metadata.PackageNotFoundError:
        names = {one.name for one in metadata.distributions()}
    found_versions = {}
    for name in sorted(names, key=str.lower):
        try:
            found_versions[name] = version(name)
        except metadata.PackageNotFoundError:
            found_versions[name] = "missing"
    return found_versions


def versions_line(found: Mapping[str, str]) -> str:
    """The versions that people ask for first."""
    return ", ".join(f"{name} {found[name]}" for name in TOLD if name in found)


def differences(one: Mapping[str, str], other: Mapping[str, str]) -> str:
    """Which versions differ, for people; nothing when none does."""
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    return ", ".join(f"{name} {one.get(name)} and {other.get(name)}" for name in names)


def package_digest() -> str:
    """Of the code that grades and all that lies with it, wherever it is installed."""
    return _digest_of_json(_held(contents(PACKAGE)))


@cache
def _package_as_loaded() -> str:
    """As `package_digest`, when this process first asked: what runs in it does not change."""
    return package_digest()


def state_digest(assignment: Assignment, settings: Settings) -> str:
    """Of everything but the submission that a verdict rests on."""
    source = assignment.source_path
    return _digest_of_json(
        {
            "package": [_package_as_loaded(), package_digest()],
            "versions": versions(),
            "machine": [platform.platform(), platform.processor()],
            "settings": repr(settings),
            "source": _held([("", source)] if source.is_file() else []),
            "release": _held(contents(assignment.release_path.parent)),
            "checks": _held(contents(assignment.checks)),
        }
    )


@dataclass(frozen=True)
class Identity:
    """By what the verdicts on one assignment are told apart.

    Attributes:
        state: the digest of everything but the submission.
    """

    assignment: Assignment
    settings: Settings
    state: str

    @classmethod
    def of(cls, assignment: Assignment, settings: Settings) -> Self:
        """The identity of verdicts made here and now."""
        return cls(assignment, settings, state_digest(assignment, settings))

    def of_content(self, repaired: Repaired) -> str:
        """What the verdict on a repaired submission is kept under."""
        cells = [
            (cell.cell_type, cell.id, grade_id(cell), cell.source, cell.get("attachments"))
            for cell in repaired.notebook.cells
        ]
        return _digest_of_json([self.state, cells, repaired.flags, sorted(repaired.unanswered)])

    def of_submission(self, *parts: bytes) -> str:
        """Of a submission as it was handed in, in `parts`: equal ones need no second look."""
        whole = hashlib.sha256(self.state.encode())
        for part in parts:
            whole.update(hashlib.sha256(part).digest())
        return whole.hexdigest()


def _held(files: Iterable[tuple[str, Path]]) -> dict[str, str]:
    """The digest of what each file holds, by its name; without those that are gone by now."""
    found = {}
    for name, path in files:
        with suppress(FileNotFoundError):
            found[name] = _held_by(path)
    return found


def _held_by(path: Path) -> str:
    found = path.stat()
    if time.time_ns() - found.st_ctime_ns < SETTLED_NS:
        return _read(path)
    return _read_once(
        path, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
    )


@lru_cache(maxsize=KEPT_FILES)
def _read_once(path: Path, *signature: int) -> str:
    """The digest of a file that has not changed for a while, as its `signature` tells."""
    return _read(path)


def _read(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _digest_of_json(found: Any) -> str:
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()

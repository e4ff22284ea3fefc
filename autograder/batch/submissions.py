"""What has been handed in, told apart by what it holds."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from traitlets.config.loader import Config

from autograder.course.assignments import CONFIG_NAME
from autograder.course.folders import TIMESTAMP
from autograder.course.gradebook import Entry
from autograder.grading.identity import Identity
from autograder.intake.finding import expect_plain_name, notebook_in, notebooks_in
from autograder.intake.reading import read_bytes, read_stamp
from autograder.intake.seen import files_digest


@dataclass(frozen=True)
class Submission:
    """One student's work on an assignment.

    Attributes:
        digest: of the notebook and the assignment's state: on what the verdict depends.
        notebook: the bytes of the notebook.
        handed_in: what its time stamp says; empty without one.
        beside: other notebooks in its folder.
    """

    student: str
    path: Path
    digest: str
    notebook: bytes
    handed_in: bytes
    beside: Sequence[str] = ()

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.student}/{self.path.name}"

    def entry(self, rules: str, due: str, recorded: Entry | None) -> str:
        """The digest of all that its entry in the gradebook depends on.

        Args:
            rules: the digest of the rules of recording.
            due: the due date of the assignment.
            recorded: what the gradebook holds of it: a person's scores, and time granted.
        """
        told = [recorded.extension, recorded.by_hand] if recorded else ["", []]
        return _digest(self.digest, self.handed_in.hex(), rules, due, told)


def read_ordinary(
    student: str, folder: Path, identity: Identity, inspect: Callable[[Path], None]
) -> Submission:
    """What lies in a student's folder, of an assignment that the tests in its cells grade.

    Args:
        inspect: raises UnreadableSubmission unless the folder holds plain files only.
    """
    expect_plain_name(student, folder)
    inspect(folder)
    release = identity.assignment.release_path.parent
    source = identity.assignment.source_path.parent
    told = [files_digest(place).encode() for place in (folder, release, source)]
    return Submission(student, folder, identity.of_submission(*told), b"", _stamp(folder))


def recording_digest(root: Path, config: Config) -> str:
    """The digest of the rules by which verdicts are recorded, as late penalties.

    They are what `nbgrader_config.py` sets, and the classes in files beside it.
    """
    set_there = json.dumps(config, sort_keys=True, default=_plain)
    files = [path for path in sorted(root.glob("*.py")) if path.name != CONFIG_NAME]
    return _digest(set_there, [(path.name, path.read_bytes().hex()) for path in files])


def _plain(value: object) -> object:
    """What stands for a set, class or function in the configuration, alike in every process."""
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return str(getattr(value, "__qualname__", type(value).__qualname__))


def _digest(*told: object) -> str:
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def read_submission(student: str, folder: Path, identity: Identity) -> Submission:
    """What lies in a student's folder.

    Raises:
        UnreadableSubmission: the notebook is missing, is no regular file, or is too large, or
            nbgrader would take another student's for it.
    """
    expect_plain_name(student, folder)
    path = notebook_in(folder, identity.assignment.id)
    notebook = read_bytes(path, identity.settings.limits.notebook_bytes)
    digest = identity.of_submission(notebook)
    beside = [name for name in notebooks_in(folder) if name != path.name]
    return Submission(student, path, digest, notebook, _stamp(folder), beside)


def _stamp(folder: Path) -> bytes:
    """What the time stamp of a submission says; empty without one."""
    path = folder / TIMESTAMP
    return read_stamp(path) if os.path.lexists(path) else b""

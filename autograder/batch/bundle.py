"""An assignment as bytes: all that a worker needs to grade it, for machines without the course."""

from __future__ import annotations

import io
import tarfile
from dataclasses import dataclass
from pathlib import Path

from autograder.course.assignments import Assignment

_RELEASE, _SOURCE, _CHECKS = "release", "source", "checks"


@dataclass(frozen=True)
class Bundle:
    """A packed assignment.

    Attributes:
        data: a tar archive of its release, the instructor's notebook and its checks.
    """

    assignment_id: str
    data: bytes


def pack(assignment: Assignment) -> Bundle:
    """Packs an assignment and nothing else of the course: no submission, no gradebook."""
    name = assignment.id
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        archive.add(assignment.release_path.parent, f"{_RELEASE}/{name}", filter=_plain)
        if assignment.source_path.is_file():
            archive.add(assignment.source_path, f"{_SOURCE}/{name}/{name}.ipynb")
        archive.add(assignment.checks, f"{_CHECKS}/{name}", filter=_plain)
    return Bundle(name, buffer.getvalue())


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    wanted = "__pycache__" not in member.name and ".ipynb_checkpoints" not in member.name
    return member if wanted and (member.isfile() or member.isdir()) else None


def unpack(bundle: Bundle, folder: Path) -> Assignment:
    """The assignment, unpacked below `folder`, which only its owner may enter from then on."""
    folder.mkdir(mode=0o700)
    with tarfile.open(fileobj=io.BytesIO(bundle.data)) as archive:
        archive.extractall(folder, filter="data")
    name = bundle.assignment_id
    return Assignment(name, folder / _RELEASE / name / f"{name}.ipynb", folder / _CHECKS / name)

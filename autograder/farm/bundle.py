"""An assignment as bytes: all that a worker needs to grade it, for machines without the course."""

from __future__ import annotations

import io
import tarfile
from dataclasses import dataclass
from pathlib import Path

from autograder.course.assignments import Assignment
from autograder.files import contents
from autograder.intake.belonging import Released
from autograder.nbgrader.finishing import Carried

_RELEASE, _SOURCE, _CHECKS = "release", "source", "checks"


@dataclass(frozen=True)
class Bundle:
    """A packed assignment.

    Attributes:
        data: a tar archive of its release, the instructor's notebook and its checks.
        released: by what notebooks of the course's assignments are told apart.
        finishing: what a `Finisher` has to know; None where nbgrader does its work.
    """

    assignment_id: str
    data: bytes
    released: tuple[Released, ...]
    finishing: Carried | None


def pack(
    assignment: Assignment, released: tuple[Released, ...], finishing: Carried | None = None
) -> Bundle:
    """Packs an assignment and nothing else of the course: no submission, no gradebook."""
    name = assignment.id
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        archive.dereference = True
        for inner, path in contents(assignment.release_path.parent):
            archive.add(path, f"{_RELEASE}/{name}/{inner}")
        if assignment.source_path.is_file():
            archive.add(assignment.source_path, f"{_SOURCE}/{name}/{name}.ipynb")
        for inner, path in contents(assignment.checks):
            archive.add(path, f"{_CHECKS}/{name}/{inner}")
    return Bundle(name, buffer.getvalue(), released, finishing)


def unpack(bundle: Bundle, folder: Path) -> Assignment:
    """The assignment, unpacked below `folder`, which only its owner may enter from then on."""
    folder.mkdir(mode=0o700)
    with tarfile.open(fileobj=io.BytesIO(bundle.data)) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # since Python 3.11.4
        archive.extractall(folder)
    name = bundle.assignment_id
    return Assignment(name, folder / _RELEASE / name / f"{name}.ipynb", folder / _CHECKS / name)

"""Expected tensors made from, and compared with, what the instructor's solution does today."""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
from pathlib import Path

import nbformat
import numpy as np
import torch
from nbformat import NotebookNode

from autograder.checking import ATOL, RTOL, CheckFailure, compare
from autograder.course import Assignment, Course
from autograder.errors import Ungraded, UsageError
from autograder.expected import Expected, Recorder
from autograder.grading import Grader
from autograder.report import question_text
from autograder.results import SubmissionResult
from autograder.submission import repair

INSTRUCTOR_TAG = "instructor"


def versions() -> str:
    """What the values of expected tensors depend on."""
    return f"Python {platform.python_version()}, torch {torch.__version__}, numpy {np.__version__}"


def solution(course: Course, assignment: Assignment) -> NotebookNode:
    """The instructor's notebook as a submission would hold it.

    Raises:
        UsageError: the course has no source of this assignment.
    """
    path = course.source_path(assignment.id)
    if not path.is_file():
        raise UsageError(f"{path} is missing: the instructor's notebook makes the expected tensors")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [c for c in notebook.cells if INSTRUCTOR_TAG not in c.metadata.get("tags", [])]
    return notebook


def record(course: Course, grader: Grader) -> dict[str, Recorder]:
    """The expected tensors of every question, by slug.

    Raises:
        UsageError: the instructor's own solution fails a check.
    """
    assignment = grader.assignment
    recorders: dict[str, Recorder] = {}

    def recorder(slug: str) -> Recorder:
        return recorders.setdefault(slug, Recorder({}))

    repaired = repair(solution(course, assignment), assignment.release)
    result = grader.grade_repaired(repaired, "solution", recorder).result
    if failed := _failures(result):
        raise UsageError(f"the solution of {assignment.id} fails its own checks:\n{failed}")
    return {slug: found for slug, found in recorders.items() if found.tensors}


def write_expected(assignment: Assignment, recorders: dict[str, Recorder]) -> list[Path]:
    """Stores the expected tensors, drops those of questions that have none; returns the changed."""
    folder = assignment.checks / "expected"
    folder.mkdir(exist_ok=True)
    changed = []
    for slug, found in recorders.items():
        path, data = assignment.expected_file(slug), found.as_bytes()
        if not path.is_file() or path.read_bytes() != data:
            _replace(path, data)
            changed.append(path)
    for path in folder.glob("*.safetensors"):
        if path.stem not in recorders:
            path.unlink()
            changed.append(path)
    return changed


def differences(assignment: Assignment, recorders: dict[str, Recorder]) -> list[str]:
    """How the stored expected tensors differ from `recorders`, one sentence each."""
    stored = {p.stem for p in (assignment.checks / "expected").glob("*.safetensors")}
    found = [f"{slug} has no expected tensors" for slug in sorted(recorders.keys() - stored)]
    found += [
        f"{slug} has expected tensors it does not use" for slug in sorted(stored - set(recorders))
    ]
    for slug in sorted(stored & set(recorders)):
        wanted = Expected.load(assignment.expected_file(slug)).tensors
        made = recorders[slug].tensors
        found += [f"{slug}: the case {key} changed" for key in sorted(wanted.keys() ^ made.keys())]
        for key in sorted(wanted.keys() & made.keys()):
            try:
                compare(key, made[key], wanted[key], atol=ATOL, rtol=RTOL)
            except CheckFailure as failure:
                found.append(f"{slug}: {failure}")
    return found


def guard_against_drift(course: Course, grader: Grader) -> None:
    """Grades the instructor's solution: with this torch it must still earn every point.

    A success is remembered until the solution, the release, a check, an expected tensor or a
    version changes.

    Raises:
        Ungraded: it does not, so no verdict of this run could be trusted.
    """
    assignment = grader.assignment
    digest = state_digest(course, assignment)
    memory = course.root / ".cache" / "drift" / digest
    if memory.is_file():
        return
    result = grader.grade(solution(course, assignment), "solution").result
    if failed := _failures(result):
        raise Ungraded(
            f"the expected tensors of {assignment.id} do not fit the instructor's solution under "
            f"{versions()}; run `autograder expected {assignment.id} --check`:\n{failed}"
        )
    memory.parent.mkdir(parents=True, exist_ok=True)
    memory.touch()


def _failures(result: SubmissionResult) -> str:
    return "\n".join(question_text(q) for q in result.questions if q.status != "ok")


def state_digest(course: Course, assignment: Assignment) -> str:
    """Of everything that the solution's verdict rests on."""
    package = Path(__file__).parent
    files = [course.source_path(assignment.id), assignment.release_path, *assignment.assets()]
    files += sorted(p for p in assignment.checks.rglob("*") if p.suffix in (".py", ".safetensors"))
    files += sorted(package.glob("*.py")) + sorted(package.glob("box/*.py"))
    digest = hashlib.sha256(f"{versions()} {platform.platform()} {platform.processor()}".encode())
    for path in files:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _replace(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)

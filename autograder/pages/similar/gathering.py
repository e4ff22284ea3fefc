"""The code that the students of an assignment wrote, and what of it counts for nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course.assignments import Course
from autograder.course.folders import Folders
from autograder.course.settings import read_config, settings_of
from autograder.errors import UnreadableSubmission
from autograder.files import contents
from autograder.intake.reading import read_bytes
from autograder.pages.class_report.gathering import ClassResults, Standing, gather
from autograder.pages.similar.pairs import Work
from autograder.pages.similar.winnowing import Hashes, names_told, pieces
from autograder.results.fingerprint import Fingerprint, alike
from autograder.results.model import QuestionResult

# What reading raises of a notebook that is none, or of brackets within brackets.
_DAMAGED = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Cell:
    """A cell of code that a student wrote.

    Attributes:
        slug: of the question it answers; empty where it was added.
    """

    slug: str
    source: str


@dataclass(frozen=True)
class Coder:
    """A student whose code is compared."""

    standing: Standing
    cells: list[Cell]
    work: Work


@dataclass(frozen=True)
class Coders:
    """All that is compared.

    Attributes:
        coders: by student.
        common: the pieces of the release and of the solution, which count for nothing.
        left_out: students without a verdict, or whose notebook is damaged.
    """

    coders: Mapping[str, Coder]
    common: Hashes
    left_out: list[str]


def gather_code(course: Course, assignment: str) -> Coders:
    """The code of the graded submissions of `assignment`.

    Raises:
        UsageError: there is no such assignment, or the gradebook cannot be read.
    """
    found = gather(course, assignment)
    config = read_config(course.root)
    folders = Folders(course, config, assignment)
    limits = settings_of(config).limits
    most = limits.notebook_bytes + limits.submission_output_bytes
    released = list(_given(course.root / "release" / assignment))
    told = names_told(released)
    autograded, names = folders.of("autograded"), folders.notebooks()
    replies = wrong_replies(found)
    coders, left_out = {}, [*found.ungraded]
    for one in found.standings:
        cells = _written(autograded[one.student], names, most)
        if cells is None:
            left_out.append(one.student)
        else:
            work = Work(pieces([cell.source for cell in cells], told), replies[one.student])
            coders[one.student] = Coder(one, cells, work)
    given = [*released, *_given(course.root / "source" / assignment)]
    common = [pieces([text], told).hashes for text in given]
    return Coders(coders, np.unique(np.concatenate([*common, np.zeros(0, np.uint64)])), left_out)


def wrong_replies(found: ClassResults) -> dict[str, dict[str, int]]:
    """A number for each wrong reply of each student, by question: equal ones have the same.

    Equal are those whose fingerprints are; without one, those that failed alike.
    """
    equal = _equal_fingerprints(found)
    numbers: dict[object, int] = {}
    return {
        one.student: {
            question.slug: numbers.setdefault(
                equal.get((one.student, question.slug)) or _told(question), len(numbers)
            )
            for question in one.result.questions
            if question.status not in ("ok", "unanswered", "ungraded")
        }
        for one in found.standings
    }


def _equal_fingerprints(found: ClassResults) -> dict[tuple[str, str], tuple[str, str]]:
    """By student and question the first student whose reply is the same, and the question."""
    prints: dict[str, dict[str, Fingerprint]] = {}
    for one in found.standings:
        attempts = found.history.get(one.student)
        for question in one.result.questions:
            kept = attempts[-1].answers.get(question.slug) if attempts else None
            if kept and kept.fingerprint and kept.status == question.status:
                prints.setdefault(question.slug, {})[one.student] = kept.fingerprint
    return {
        (student, slug): (group[0], slug)
        for slug, printed in prints.items()
        for group in alike(printed)
        for student in group
    }


def _told(question: QuestionResult) -> object:
    failed = [(c.name, c.status, c.message) for c in question.checks if not c.passed]
    return question.slug, question.status, tuple(failed)


def _given(folder: Path) -> Iterator[str]:
    """The code that the instructor wrote: in notebooks, and in files beside them."""
    for name, path in contents(folder):
        if name.endswith(".ipynb"):
            with suppress(*_DAMAGED):
                yield from [cell["source"] for cell in _code_cells(path.read_bytes())]
        elif name.endswith(".py"):
            yield path.read_text(encoding="utf-8", errors="replace")


def _written(folder: Path, names: Sequence[str], most: int) -> list[Cell] | None:
    """What the student of an autograded folder wrote; None where a notebook is damaged."""
    paths = [folder / name for name in names if (folder / name).is_file()]
    try:
        cells = [cell for path in paths for cell in _code_cells(read_bytes(path, most))]
        return [
            Cell(str(known.get("grade_id", "")), cell["source"])
            for cell in cells
            for known in [cell["metadata"].get("nbgrader", {})]
            if known.get("solution") or "grade_id" not in known
        ]
    except (UnreadableSubmission, *_DAMAGED):
        return None


def _code_cells(data: bytes) -> list[dict[str, Any]]:
    """The cells of code of a notebook, each source one string."""
    cells = [cell for cell in json.loads(data)["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        cell["source"] = "".join(cell["source"])
    return cells

"""The page of similar submissions: for the instructor, pairs whose answers share rare code.

Names and code come from students: the template escapes everything, and the page has no script and
a policy that forbids any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from autograder.course.assignments import Course
from autograder.files import expect_folder_of
from autograder.pages.class_report.rendering import (
    environment,
    expect_graded,
    link,
    own_page,
    write_page,
)
from autograder.pages.inert import POLICY
from autograder.pages.similar import pairs, winnowing
from autograder.pages.similar.gathering import Coder, Coders, gather_code
from autograder.pages.similar.marking import Line, marked_lines
from autograder.pages.similar.pairs import Pair
from autograder.results.plain import plain

TEMPLATES = Path(__file__).parent / "templates"
MOST_PAIRS = 25
OPEN_PAIRS = 3  # whose code is unfolded from the start


@dataclass(frozen=True)
class Excerpt:
    """The lines of a cell in which something is marked."""

    slug: str
    lines: list[Line]


@dataclass(frozen=True)
class Side:
    """One student of a pair.

    Attributes:
        link: to the feedback page; None where there is none.
    """

    student: str
    link: str | None
    excerpts: list[Excerpt]


@dataclass(frozen=True)
class Shown:
    """A pair, and both sides of it."""

    pair: Pair
    sides: list[Side]


def write_similar(course: Course, assignment: str, output: Path | None) -> Path:
    """Writes the page on `assignment`; without `output`, to `reports/` of the course.

    Raises:
        UsageError: nothing has been graded, or the file cannot be written.
    """
    if output is not None:
        expect_folder_of(output)
    found = gather_code(course, assignment)
    expect_graded(assignment, len(found.coders), len(found.left_out))
    path = output or own_page(course, f"{assignment}-similar")
    return write_page(path, page(found, assignment, path.parent, datetime.now().astimezone()))


def page(found: Coders, assignment: str, folder: Path, made: datetime) -> str:
    """The page as HTML, for a file in `folder`."""
    works = {student: coder.work for student, coder in found.coders.items()}
    ranking = pairs.ranked(works, found.common, MOST_PAIRS)
    cut = [student for student, work in sorted(works.items()) if work.pieces.cut]
    return (
        environment(TEMPLATES)
        .overlay(finalize=lambda value: plain(value) if type(value) is str else value)
        .get_template("similar.html.j2")
        .render(
            policy=POLICY,
            made=made,
            assignment=assignment,
            compared=len(works),
            left_out=sorted(found.left_out),
            cut=cut,
            read=winnowing.MAX_CODE,
            smallest=pairs.SMALLEST_CLASS,
            few=pairs.few(len(works)),
            pairs=[_shown(pair, found.coders, folder) for pair in ranking.pairs],
            count=ranking.count,
            open_pairs=OPEN_PAIRS,
        )
    )


def _shown(pair: Pair, coders: Mapping[str, Coder], folder: Path) -> Shown:
    return Shown(pair, [_side(coders[student], pair, folder) for student in pair.students])


def _side(coder: Coder, pair: Pair, folder: Path) -> Side:
    held, feedback = coder.work.pieces, coder.standing.feedback
    shared = np.flatnonzero(np.isin(held.hashes, pair.pieces))
    spans: dict[int, list[tuple[int, int]]] = {}
    for cell, start, end in zip(
        held.cells[shared].tolist(),
        held.starts[shared].tolist(),
        held.ends[shared].tolist(),
        strict=True,
    ):
        spans.setdefault(cell, []).append((start, end))
    return Side(
        coder.standing.student,
        None if feedback is None else link(feedback, folder),
        [_excerpt(coder, cell, marked) for cell, marked in sorted(spans.items())],
    )


def _excerpt(coder: Coder, cell: int, spans: Sequence[tuple[int, int]]) -> Excerpt:
    written = coder.cells[cell]
    return Excerpt(written.slug, marked_lines(written.source, spans))

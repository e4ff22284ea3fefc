"""What grading left behind of a whole class: results, totals, and submissions without either.

The gradebook's totals may differ from the results by what a person graded and by late penalties.
It is only read, and an SQLite file is opened so that it cannot be written to.
"""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nbgrader.api import Assignment, SubmittedAssignment
from sqlalchemy import create_engine, select
from sqlalchemy.engine import Engine, make_url
from sqlalchemy.exc import SQLAlchemyError
from traitlets.config.loader import Config

from autograder.course.assignments import Course
from autograder.course.folders import Folders
from autograder.course.limits import Limits
from autograder.course.settings import read_config
from autograder.errors import UnreadableSubmission, UsageError
from autograder.intake.inspection import IntakeExporter
from autograder.intake.submission import read_notebook
from autograder.pages.class_report.item_analysis import share
from autograder.results.model import SubmissionResult
from autograder.results.stored import read_result

NOT_YET = (
    "It has no result: `nbgrader autograde` has not graded it yet, or said why it could not grade "
    "it."
)


@dataclass(frozen=True)
class Recorded:
    """A submission's entry in the gradebook.

    Attributes:
        score: automatic and manual points, before the late penalty.
        waiting: whether a person still has to grade a part of it.
    """

    score: float
    max_score: float
    late_penalty: float
    waiting: bool


@dataclass(frozen=True)
class Standing:
    """A graded submission and what it earned so far.

    Attributes:
        recorded: its entry in the gradebook; None where that has none, and the result holds.
        feedback: its feedback page; None where there is none yet.
    """

    student: str
    result: SubmissionResult
    recorded: Recorded | None
    feedback: Path | None

    @property
    def score(self) -> float:
        if self.recorded is None:
            return self.result.score
        return max(0.0, self.recorded.score - self.recorded.late_penalty)

    @property
    def max_score(self) -> float:
        return self.result.max_score if self.recorded is None else self.recorded.max_score

    @property
    def share(self) -> float:
        return share(self.score, self.max_score)

    @property
    def waiting(self) -> bool:
        return self.recorded is not None and self.recorded.waiting

    @property
    def late_penalty(self) -> float:
        return 0.0 if self.recorded is None else self.recorded.late_penalty


@dataclass(frozen=True)
class ClassResults:
    """A class and one assignment.

    Attributes:
        standings: the graded submissions, best first.
        ungraded: why a submission has no verdict, by student.
    """

    assignment: str
    standings: list[Standing]
    ungraded: dict[str, str]


def gather(course: Course, assignment: str) -> ClassResults:
    """Everything known of the submissions of `assignment`.

    Raises:
        UsageError: there is no such assignment, or the gradebook cannot be read.
    """
    config = read_config(course.root)
    folders = Folders(course, config, assignment)
    submitted, autograded = folders.of("submitted"), folders.of("autograded")
    if not submitted and not autograded:
        _expect_known(course, assignment)
    totals = _totals(folders.db_url, assignment)
    feedback = folders.of("feedback")
    standings, ungraded = [], {}
    for student in sorted(submitted.keys() | autograded.keys()):
        result, reason = _result(autograded.get(student))
        if result is not None and result.status == "graded":
            page = feedback.get(student, Path()) / f"{assignment}.html"
            recorded, shown = totals.get(student), page if page.is_file() else None
            standings.append(Standing(student, result, recorded, shown))
        else:
            ungraded[student] = reason or _obstacle(submitted.get(student), folders, config)
    standings.sort(key=lambda standing: -standing.share)
    return ClassResults(assignment, standings, ungraded)


def _expect_known(course: Course, assignment: str) -> None:
    folders = [path for step in ("source", "release") for path in (course.root / step).glob("*")]
    known = sorted({path.name for path in folders if path.is_dir()})
    if assignment not in known:
        names = ", ".join(known) or "none"
        raise UsageError(f"unknown assignment '{assignment}': this course has {names}")


def _result(folder: Path | None) -> tuple[SubmissionResult | None, str]:
    """The result that lies in `folder`, and why it is no verdict, if that is known."""
    try:
        result = read_result(folder) if folder else None
    except UsageError as damaged:
        return None, str(damaged)
    return result, result.reason if result else ""


def _obstacle(folder: Path | None, folders: Folders, config: Config) -> str:
    """Why the submission in `folder` could not be graded, as far as it shows."""
    if folder is None:
        return NOT_YET
    try:
        IntakeExporter(config=config).inspect(folder)
        missing = [name for name in folders.notebooks() if not (folder / name).is_file()]
        if missing:
            found = sorted(path.name for path in folder.glob("*.ipynb"))
            instead = f"it holds {', '.join(found)}" if found else "it holds no notebook"
            return f"{', '.join(missing)} is missing: {instead}."
        most = Limits(**config.GradeInBox.get("limits", {})).notebook_bytes
        for name in folders.notebooks():
            read_notebook(folder / name, most)
    except UnreadableSubmission as error:
        return f"It was refused: {str(error).replace(f'{folder}{os.sep}', '')}."
    return NOT_YET


def _totals(db_url: str, assignment: str) -> dict[str, Recorded]:
    """What the gradebook holds of each student; nothing where there is no gradebook."""
    engine = _engine(db_url)
    if engine is None:
        return {}
    entry = SubmittedAssignment
    query = (
        select(
            entry.student_id,
            entry.score,
            entry.max_score,
            entry.late_submission_penalty,
            entry.needs_manual_grade,
        )
        .join(Assignment, entry.assignment)
        .where(Assignment.name == assignment)
    )
    try:
        with engine.connect() as connection:
            return {student: Recorded(*found) for student, *found in connection.execute(query)}
    except SQLAlchemyError as error:
        raise UsageError(f"cannot read the gradebook: {error.args[0]}") from error
    finally:
        engine.dispose()


def _engine(db_url: str) -> Engine | None:
    """A way into the gradebook, where there is one."""
    url = make_url(db_url)
    if url.get_backend_name() != "sqlite":
        return create_engine(url)
    if not url.database or not Path(url.database).is_file():
        return None
    address = f"file:{quote(os.path.abspath(url.database))}?mode=ro"

    def connect() -> Any:
        return sqlite3.connect(address, uri=True)

    return create_engine("sqlite://", creator=connect)

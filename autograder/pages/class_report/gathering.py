"""What grading left behind of a whole class: results, totals, and submissions without either.

The gradebook's totals may differ from the results by what a person graded and by late penalties.
It is only read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from traitlets.config.loader import Config

from autograder.course.assignments import Course
from autograder.course.folders import Folders
from autograder.course.gradebook import Entry, read_gradebook
from autograder.course.limits import Limits
from autograder.course.settings import read_config, settings_of
from autograder.errors import UnreadableSubmission, UsageError
from autograder.intake.belonging import origin, released_in
from autograder.intake.finding import notebooks_in
from autograder.intake.inspection import IntakeExporter
from autograder.intake.submission import read_notebook
from autograder.pages.class_report.item_analysis import share
from autograder.results.model import QuestionResult, SubmissionResult
from autograder.results.stored import read_result

NOT_YET = (
    "It has no result: `nbgrader autograde` has not graded it yet, or said why it could not grade "
    "it."
)


@dataclass(frozen=True)
class Standing:
    """A graded submission and what it earned so far.

    Attributes:
        recorded: its entry in the gradebook; None where that has none, and the result holds.
        feedback: its feedback page; None where there is none yet.
    """

    student: str
    result: SubmissionResult
    recorded: Entry | None
    feedback: Path | None

    @property
    def score(self) -> float:
        return self.result.score if self.recorded is None else self.recorded.total

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
    def look_again(self) -> bool:
        return self.recorded is not None and self.recorded.look_again

    def points(self, question: QuestionResult) -> float:
        """What a question earned: a person's score, where one has given it."""
        grade = self.recorded and self.recorded.grade(question.slug)
        return grade.score if grade else question.score

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
    gradebook = read_gradebook(folders.db_url, assignment)
    totals = gradebook.entries if gradebook else {}
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
        names, there = folders.notebooks(), notebooks_in(folder)
        paths = {name: folder / name for name in names}
        if len(names) == len(there) == 1:  # which is taken, whatever it is called
            paths = {names[0]: folder / there[0]}
        missing = [name for name, path in paths.items() if not path.is_file()]
        if missing:
            instead = f"it holds {', '.join(there)}" if there else "it holds no notebook"
            return f"{', '.join(missing)} is missing: {instead}."
        _expect_work_on(folders, paths, settings_of(config).limits)
    except UnreadableSubmission as error:
        return f"It was refused: {str(error).replace(f'{folder}{os.sep}', '')}."
    return NOT_YET


def _expect_work_on(folders: Folders, paths: Mapping[str, Path], limits: Limits) -> None:
    """Reads the notebooks in `paths`, by their released names.

    Raises:
        UnreadableSubmission: one is none, or was made from another release.
    """
    released = released_in(Course(folders.root))
    for name, path in paths.items():
        notebook = read_notebook(path, limits.notebook_bytes)
        if any(one.assignment == folders.assignment for one in released):
            origin(notebook, released, str(path), folders.assignment, Path(name).stem)

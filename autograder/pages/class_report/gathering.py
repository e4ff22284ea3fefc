"""What grading left behind of a whole class: results, totals, and submissions without either.

The gradebook's totals may differ from the results by what a person graded and by late penalties.
It is only read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from traitlets.config.loader import Config

from autograder.course.assignments import Course, unknown_assignment
from autograder.course.folders import Folders
from autograder.course.gradebook import Entry, Gradebook, read_gradebook
from autograder.course.settings import read_config, settings_of
from autograder.errors import UnreadableSubmission, UsageError
from autograder.intake.belonging import released_in
from autograder.intake.finding import notebooks_for
from autograder.intake.inspection import IntakeExporter
from autograder.pages.class_report.item_analysis import share
from autograder.results.history import Attempt, History
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
        autograded: the notebook of each student as it was graded.
        history: what each student handed in, the earliest first.
        gradebook: what is recorded; None where the gradebook does not know the assignment.
    """

    assignment: str
    standings: list[Standing]
    ungraded: dict[str, str]
    autograded: Mapping[str, Path] = field(default_factory=dict)
    history: Mapping[str, Sequence[Attempt]] = field(default_factory=dict)
    gradebook: Gradebook | None = None


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
    known = submitted.keys() | autograded.keys()
    for student in sorted(known):
        result, reason = _result(autograded.get(student))
        if result is not None and result.status == "graded":
            page = feedback.get(student, Path()) / f"{assignment}.html"
            recorded, shown = totals.get(student), page if page.is_file() else None
            standings.append(Standing(student, result, recorded, shown))
        else:
            ungraded[student] = reason or _obstacle(submitted.get(student), folders, config)
    standings.sort(key=lambda standing: -standing.share)
    graded = {student: path / f"{assignment}.ipynb" for student, path in autograded.items()}
    earlier = History(folders.root, assignment).attempts()
    kept = {one: attempts for one, attempts in earlier.items() if one in known}
    return ClassResults(assignment, standings, ungraded, graded, kept, gradebook)


def _expect_known(course: Course, assignment: str) -> None:
    known = course.named_assignments()
    if assignment not in known:
        raise unknown_assignment(assignment, known)


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
        released, most = released_in(Course(folders.root)), settings_of(config).limits
        found = notebooks_for(folders.assignment, folder, released, most.notebook_bytes)
        missing = [name for name in folders.notebooks() if Path(name).stem not in found]
        if missing:
            return f"{', '.join(missing)} is missing."
    except UnreadableSubmission as error:
        return f"It was refused: {str(error).replace(f'{folder}{os.sep}', '')}."
    return NOT_YET

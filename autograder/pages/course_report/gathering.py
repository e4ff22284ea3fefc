"""What grading left behind of a whole course: its assignments, and the students of any of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Literal

from autograder.course.assignments import Course
from autograder.course.folders import Folders
from autograder.course.gradebook import is_waiting, known_students
from autograder.course.settings import read_config
from autograder.errors import UsageError
from autograder.pages.class_report import item_analysis
from autograder.pages.class_report.gathering import ClassResults, Standing, gather
from autograder.pages.class_report.item_analysis import QuestionItem, Results, Summary, Topic
from autograder.pages.course_report.behind import Behind, Shares, falling_behind

HALF = 0.5  # of the students, who handed in an assignment without a due date when it is over
MOST_QUESTIONS = 10
MOST_SENTENCES = 10

State = Literal["graded", "preliminary", "ungraded", "missing", "open"]


@dataclass(frozen=True)
class Cell:
    """One student and one assignment.

    Attributes:
        state: graded; preliminary, while a part waits for a person; ungraded; missing, when it is
            over and nothing was handed in; or open.
        share: of the points that are decided; None where there are none.
    """

    state: State
    share: float | None = None
    standing: Standing | None = None


@dataclass(frozen=True)
class AssignmentResults:
    """A class and one assignment of the course.

    Attributes:
        due: None where it has no due date.
        is_over: see `behind`.
    """

    name: str
    due: datetime | None
    is_over: bool
    found: ClassResults

    @cached_property
    def shares(self) -> Shares:
        """See `behind`."""
        graded = {one.student: decided_share(one) for one in self.found.standings}
        return {**dict.fromkeys(self.found.ungraded), **graded}

    @cached_property
    def known(self) -> list[float]:
        return [share for share in self.shares.values() if share is not None]

    @property
    def summary(self) -> Summary:
        return item_analysis.summary(self.known)

    @property
    def bins(self) -> list[int]:
        return item_analysis.histogram(self.known)

    @cached_property
    def results(self) -> Results:
        return {one.student: one.result for one in self.found.standings}

    @cached_property
    def standings(self) -> Mapping[str, Standing]:
        return {one.student: one for one in self.found.standings}

    def cell(self, student: str) -> Cell:
        """What is known of a student."""
        if standing := self.standings.get(student):
            state: State = "preliminary" if standing.waiting else "graded"
            return Cell(state, self.shares[student], standing)
        if student in self.found.ungraded:
            return Cell("ungraded")
        return Cell("missing" if self.is_over and not self._has_more_time(student) else "open")

    def _has_more_time(self, student: str) -> bool:
        """Whether days were granted beyond the due date; how many have passed is not looked at."""
        entry = self.found.gradebook and self.found.gradebook.entries.get(student)
        return bool(entry and entry.extension)


@dataclass(frozen=True)
class HardQuestion:
    """A question of the course."""

    assignment: str
    item: QuestionItem
    students: int


@dataclass(frozen=True)
class Told:
    """A sentence that students read.

    Attributes:
        places: the assignments it was told in, each with its questions.
    """

    name: str
    sentence: str
    places: list[tuple[str, list[str]]]
    students: list[str]


@dataclass(frozen=True)
class CourseResults:
    """A course: its assignments in their order, and its students."""

    assignments: list[AssignmentResults]
    students: list[str]

    @cached_property
    def graded(self) -> list[AssignmentResults]:
        return [one for one in self.assignments if one.known]

    @cached_property
    def over(self) -> list[AssignmentResults]:
        return [one for one in self.graded if one.is_over]

    @cached_property
    def behind(self) -> list[Behind]:
        shares = [
            {**dict.fromkeys(s for s in self.students if one.cell(s).state == "open"), **one.shares}
            for one in self.over
        ]
        return falling_behind(self.students, shares)

    def missing(self, one: AssignmentResults) -> int:
        """How many handed in nothing for an assignment that is over."""
        return sum(one.cell(student).state == "missing" for student in self.students)

    def mean(self, student: str) -> float | None:
        """Of the shares in what is over, missing ones as 0."""
        cells = [one.cell(student) for one in self.over]
        shares = [0.0 if cell.state == "missing" else cell.share for cell in cells]
        known = [share for share in shares if share is not None]
        return sum(known) / len(known) if known else None

    def hardest(self) -> list[HardQuestion]:
        """The questions with the smallest mean share of their points."""
        found = [
            HardQuestion(one.name, item, len(one.results))
            for one in self.graded
            for item in item_analysis.question_items(one.results)
            if item.difficulty is not None and item.difficulty < 1
        ]
        return sorted(found, key=lambda one: one.item.difficulty or 0.0)[:MOST_QUESTIONS]

    def told_most(self) -> list[Told]:
        """The sentences that most students read, whichever assignment they read them in."""
        groups: dict[tuple[str, str], list[tuple[str, Topic]]] = {}
        for one in self.graded:
            for topic in item_analysis.topics(one.results):
                groups.setdefault((topic.name, topic.sentence), []).append((one.name, topic))
        found = [
            Told(
                name,
                sentence,
                [(assignment, topic.slugs) for assignment, topic in topics],
                sorted({student for _, topic in topics for student in topic.students}),
            )
            for (name, sentence), topics in groups.items()
        ]
        return sorted(found, key=lambda one: -len(one.students))[:MOST_SENTENCES]


def decided_share(standing: Standing) -> float | None:
    """Of the points that a verdict or a person has decided; None where none are."""
    if standing.recorded is None:
        return standing.share
    decided = [grade for grade in standing.recorded.grades if not is_waiting(grade)]
    most = sum(grade.max_score for grade in decided)
    earned = sum(grade.score for grade in decided) - standing.late_penalty
    return max(0.0, earned) / most if most else None


def gather_course(course: Course, now: datetime) -> CourseResults:
    """Everything known of the course at the time `now`.

    Raises:
        UsageError: nothing has been graded, or the gradebook cannot be read.
    """
    config = read_config(course.root)
    names = course.released_ids()
    classes = {name: gather(course, name) for name in names}
    if not any(found.standings for found in classes.values()):
        raise UsageError(
            "no submission of this course has been graded: run `autograder batch ASSIGNMENT` first"
        )
    folders = Folders(course, config, names[0])
    students = {student for found in classes.values() for student in _handed_in(found)}
    students |= set(known_students(folders.db_url)) - folders.left_out
    made = [_assignment(name, found, len(students), now) for name, found in classes.items()]
    return CourseResults(_in_order(made), sorted(students))


def _in_order(made: list[AssignmentResults]) -> list[AssignmentResults]:
    """By due date if all have one, else by name, which `released_ids` has sorted them by."""
    dated = [(one.due, one.name, one) for one in made if one.due]
    return [one for _, _, one in sorted(dated)] if len(dated) == len(made) else made


def _handed_in(found: ClassResults) -> list[str]:
    return [*(one.student for one in found.standings), *found.ungraded]


def _assignment(name: str, found: ClassResults, students: int, now: datetime) -> AssignmentResults:
    text = found.gradebook.due if found.gradebook else ""
    due = datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None
    over = due < now if due else len(_handed_in(found)) >= HALF * students
    return AssignmentResults(name, due, over, found)

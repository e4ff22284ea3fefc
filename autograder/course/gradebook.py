"""What the gradebook holds of an assignment, read without changing it and without loading nbgrader.

A *grade* is what one graded cell earned: by a verdict (`auto_score`), or by a person, whose score
counts when there are both. These three words hold at every door:

- *final*: a verdict or a person has decided. A score given by hand is final for the student.
- *waiting*: neither has, and the student's total is not known yet.
- *look again*: a person has decided, and since then the verdict or the work has changed. It stays
  final for the student; only instructors are told.
"""

from __future__ import annotations

import math
import os
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

from autograder.course.cells import CHECK_PREFIX
from autograder.course.gradebook_advice import with_advice
from autograder.errors import UsageError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

SQLITE = "sqlite:///"
_SAME_POINTS = 1e-6  # how far the same checks, added in another order, may lie apart
_ASSIGNMENT = "SELECT duedate FROM assignment WHERE name = :name"
_STUDENTS = "SELECT id FROM student"
_SUBMISSIONS = """
SELECT submitted.student_id, submitted.timestamp, submitted.extension,
       SUM(notebook.late_submission_penalty)
FROM submitted_assignment AS submitted
JOIN assignment ON assignment.id = submitted.assignment_id
LEFT JOIN submitted_notebook AS notebook ON notebook.assignment_id = submitted.id
WHERE assignment.name = :name
GROUP BY submitted.id, submitted.student_id, submitted.timestamp, submitted.extension
"""
_COMMENTS = """
SELECT submitted.student_id, COALESCE(comment.manual_comment, comment.auto_comment)
FROM comment
JOIN submitted_notebook AS handed_in ON handed_in.id = comment.notebook_id
JOIN submitted_assignment AS submitted ON submitted.id = handed_in.assignment_id
JOIN assignment ON assignment.id = submitted.assignment_id
WHERE assignment.name = :name
"""
_GRADES = """
SELECT submitted.student_id, notebook.name, cell.name,
       grade.auto_score, grade.manual_score, grade.extra_credit, grade.needs_manual_grade,
       COALESCE(graded.max_score, task.max_score, 0)
FROM grade
JOIN base_cell AS cell ON cell.id = grade.cell_id
LEFT JOIN grade_cells AS graded ON graded.id = cell.id
LEFT JOIN task_cells AS task ON task.id = cell.id
JOIN submitted_notebook AS handed_in ON handed_in.id = grade.notebook_id
JOIN notebook ON notebook.id = handed_in.notebook_id
JOIN submitted_assignment AS submitted ON submitted.id = handed_in.assignment_id
JOIN assignment ON assignment.id = submitted.assignment_id
WHERE assignment.name = :name
"""


class Decided(Protocol):
    """A grade, as nbgrader has it or as it is read here."""

    @property
    def auto_score(self) -> float | None: ...
    @property
    def manual_score(self) -> float | None: ...
    @property
    def needs_manual_grade(self) -> bool: ...


def is_waiting(grade: Decided) -> bool:
    """Whether neither a verdict nor a person has given this grade yet."""
    return grade.manual_score is None and (grade.auto_score is None or grade.needs_manual_grade)


def is_to_be_looked_at_again(grade: Decided) -> bool:
    """Whether what a person has graded by hand has changed since."""
    return grade.manual_score is not None and grade.needs_manual_grade


def are_same_points(one: float | None, other: float | None) -> bool:
    """Whether two scores are the same; None where there is none."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=0, abs_tol=_SAME_POINTS)


@dataclass(frozen=True)
class Grade:
    """What one graded cell of one submission earned."""

    notebook: str
    cell: str
    auto_score: float | None
    manual_score: float | None
    extra_credit: float | None
    needs_manual_grade: bool
    max_score: float

    @classmethod
    def of(cls, found: Any) -> Grade:
        """What nbgrader's own `Grade` says."""
        return cls(
            found.notebook.name,
            found.name,
            found.auto_score,
            found.manual_score,
            found.extra_credit,
            found.needs_manual_grade,
            found.max_score,
        )

    @property
    def score(self) -> float:
        """The points so far, as nbgrader counts them."""
        given = self.auto_score if self.manual_score is None else self.manual_score
        return 0.0 if given is None else given + (self.extra_credit or 0.0)


@dataclass(frozen=True)
class Entry:
    """One student's submission.

    Attributes:
        handed_in: when it was, if that is known.
        late_penalty: points that being late costs.
        extension: the time granted beyond the due date, as the gradebook writes it.
        comments: what was written beneath the questions.
    """

    handed_in: datetime | None
    late_penalty: float
    extension: str
    grades: list[Grade]
    comments: list[str]

    @property
    def score(self) -> float:
        """The points so far, before the late penalty."""
        return sum(grade.score for grade in self.grades)

    @property
    def max_score(self) -> float:
        return sum(grade.max_score for grade in self.grades)

    @property
    def total(self) -> float:
        """The points so far after the late penalty, never below 0."""
        return max(0.0, self.score - self.late_penalty)

    @property
    def waiting(self) -> bool:
        return any(is_waiting(grade) for grade in self.grades)

    @property
    def look_again(self) -> bool:
        return any(is_to_be_looked_at_again(grade) for grade in self.grades)

    def grade(self, slug: str) -> Grade | None:
        """The grade of a question, by the name that a result gives it."""
        for one in self.grades:
            own = one.cell.removeprefix(CHECK_PREFIX)
            if slug in (own, one.cell, f"{one.notebook}/{one.cell}"):
                return one
        return None

    @property
    def by_hand(self) -> list[tuple[str, str, float | None, float | None]]:
        """What a person has given: notebook, cell, score, extra credit."""
        return sorted(
            (grade.notebook, grade.cell, grade.manual_score, grade.extra_credit)
            for grade in self.grades
            if grade.manual_score is not None or grade.extra_credit
        )


@dataclass(frozen=True)
class Gradebook:
    """What is recorded of one assignment.

    Attributes:
        due: its due date, as the gradebook writes it; empty where it has none.
        entries: by student.
    """

    due: str
    entries: dict[str, Entry]


def read_gradebook(db_url: str, assignment: str) -> Gradebook | None:
    """What the gradebook holds of `assignment`; None where it does not know it.

    Raises:
        UsageError: the gradebook cannot be read.
    """
    return _gradebook(lambda query: _rows(db_url, query, name=assignment))


def known_students(db_url: str) -> list[str]:
    """Every student that the gradebook knows, whether they have handed anything in or not.

    Raises:
        UsageError: the gradebook cannot be read.
    """
    return sorted(str(student) for (student,) in _rows(db_url, _STUDENTS))


def opened_gradebook(session: Session, assignment: str) -> Gradebook | None:
    """As `read_gradebook`, in a gradebook that nbgrader has opened."""
    from sqlalchemy import text

    name = {"name": assignment}
    return _gradebook(lambda query: list(session.execute(text(query), name)))


def _gradebook(rows: Callable[[str], list[Any]]) -> Gradebook | None:
    known = rows(_ASSIGNMENT)
    if not known:
        return None
    grades: defaultdict[str, list[Grade]] = defaultdict(list)
    comments: defaultdict[str, list[str]] = defaultdict(list)
    for student, notebook, cell, auto, manual, extra, needed, most in rows(_GRADES):
        grade = Grade(notebook, cell, auto, manual, extra, bool(needed), float(most))
        grades[str(student)].append(grade)
    for student, comment in rows(_COMMENTS):
        comments[str(student)] += [comment] if comment else []
    entries = {}
    for found, handed_in, extension, penalty in rows(_SUBMISSIONS):
        student = str(found)
        entries[student] = Entry(
            datetime.fromisoformat(str(handed_in)) if handed_in else None,
            float(penalty or 0),
            str(extension or ""),
            grades[student],
            comments[student],
        )
    return Gradebook(str(known[0][0] or ""), entries)


def recorded(db_url: str, assignment: str) -> Gradebook:
    """What the gradebook holds of `assignment`.

    Raises:
        UsageError: it does not know the assignment, or cannot be read.
    """
    found = read_gradebook(db_url, assignment)
    if found is None:
        raise UsageError(
            f"the gradebook does not know {assignment}: "
            f"run `nbgrader generate_assignment {assignment} --force` first"
        )
    return found


def _rows(db_url: str, query: str, **parameters: str) -> list[Any]:
    """What a query finds; nothing where there is no gradebook yet."""
    read = _rows_of_sqlite if db_url.startswith(SQLITE) else _rows_of_server
    return read(db_url, query, parameters)


def _rows_of_sqlite(db_url: str, query: str, parameters: dict[str, str]) -> list[Any]:
    path = os.path.abspath(db_url.removeprefix(SQLITE).partition("?")[0])
    if not os.path.isdir(os.path.dirname(path)):
        raise UsageError(
            f"the gradebook {path} cannot be made: its folder is not there; "
            "c.CourseDirectory.db_url names it"
        )
    if not os.path.isfile(path):
        return []
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as connection:
            return connection.execute(query, parameters).fetchall()
    except sqlite3.Error as error:
        raise UsageError(f"cannot read the gradebook {path}: {with_advice(str(error))}") from error


def _rows_of_server(db_url: str, query: str, parameters: dict[str, str]) -> list[Any]:
    from sqlalchemy import create_engine, inspect, text
    from sqlalchemy.exc import SQLAlchemyError

    try:
        engine = create_engine(db_url)
        try:
            if not inspect(engine).has_table("assignment"):
                return []
            with engine.connect() as connection:
                return list(connection.execute(text(query), parameters))
        finally:
            engine.dispose()
    except (SQLAlchemyError, ImportError) as error:
        said = with_advice(first_line(error))
        raise UsageError(
            f"cannot read the gradebook that db_url names: {said}: is the server up, "
            "is its driver installed, and does the database exist?"
        ) from error


def first_line(error: Exception) -> str:
    """What a driver says of its error, without the statement and the links that follow."""
    whole = isinstance(error, OSError) or not error.args  # else a number comes first
    return str(error if whole else error.args[0]).strip().partition("\n")[0]

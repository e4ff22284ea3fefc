"""What grades notebooks one by one, beside every gradebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from nbformat import NotebookNode

from autograder.course.assignments import Assignment, Course
from autograder.course.settings import Settings
from autograder.nbgrader.scratch import ScratchCourse
from autograder.results.model import SubmissionResult

Grade = Callable[[NotebookNode, str], SubmissionResult]


@contextmanager
def opened_grader(
    course: Course, assignment: Assignment, settings: Settings, verdicts: Path | None = None
) -> Iterator[Grade]:
    """What gives the verdict on a notebook, by its checks or the tests in its cells.

    Args:
        verdicts: a folder where verdicts by checks are kept, and looked for first; None for none.

    Raises:
        UsageError: a check file or the instructor's notebook is missing.
        Ungraded: grading would not be safe or true.
    """
    if not assignment.has_checks:
        with ScratchCourse(course, assignment, settings) as scratch:
            yield scratch.grade
        return
    from autograder.grading.kept import GraderWithKept
    from autograder.grading.readiness import ready_grader

    if verdicts is not None:
        with GraderWithKept(course, assignment, settings, verdicts) as kept:
            yield kept.grade
        return
    with ready_grader(course, assignment, settings) as grader:
        yield lambda notebook, name: grader.grade(notebook, name).result

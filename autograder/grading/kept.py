"""A grader that starts only for what no kept verdict answers."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Self

from nbformat import NotebookNode

from autograder.course.assignments import Assignment, Course
from autograder.course.settings import Settings
from autograder.errors import Unready
from autograder.grading.cache import VerdictCache
from autograder.grading.grader import Grader
from autograder.grading.identity import Identity
from autograder.grading.readiness import ready_grader
from autograder.intake.submission import Repaired, repair
from autograder.results.model import Graded, SubmissionResult


class GraderWithKept:
    """Gives the verdicts that lie in `folder`, and puts new ones there in place of those of old.

    A context manager.
    """

    def __init__(
        self, course: Course, assignment: Assignment, settings: Settings, folder: Path
    ) -> None:
        self._course = course
        self._assignment = assignment
        self._settings = settings
        self._cache = VerdictCache(folder, Identity.of(assignment, settings))
        self._open = ExitStack()
        self._unready: Unready | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def grade(self, notebook: NotebookNode, name: str) -> SubmissionResult:
        """The verdict on a submission, which reports call `name`.

        Raises:
            Ungraded: the fault is the grader's own.
        """
        repaired = repair(notebook, self._assignment.release)
        graded = self._cache.graded(repaired, partial(self._judged, repaired, name))
        return replace(graded.result, submission=name)

    def _judged(self, repaired: Repaired, name: str) -> Graded:
        return self._grader.grade_repaired(repaired, name)

    @cached_property
    def _grader(self) -> Grader:
        if self._unready is not None:
            raise self._unready
        try:
            grader = ready_grader(self._course, self._assignment, self._settings)
        except Unready as fault:
            self._unready = fault
            raise
        self._cache.forget_other_states()
        return self._open.enter_context(grader)

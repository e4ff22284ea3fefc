"""What runs on a Dask worker: an assignment, unpacked there, and its grader with one zygote.

Theory of operation. `AssignmentOnWorker` travels to every worker, those that come later included,
and unpacks the assignment into a folder of the worker's own. The first submission warms the grader,
which is seen to be safe and true there as everywhere else. A worker grades one submission at a
time. Whatever it raises is told as an outcome: an exception of Dask's is then the scheduler's own.
Boxes see neither the worker's folder nor its environment.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from distributed import WorkerPlugin, get_worker

from autograder.course.assignments import Course
from autograder.errors import AutograderError, Ungraded, UnreadableSubmission, Unready
from autograder.farm.bundle import Bundle, unpack
from autograder.grading.identity import Identity, differences, package_digest, versions
from autograder.nbgrader.finishing import Finished

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from autograder.grading.grader import Grader
    from autograder.intake.submission import Repaired
    from autograder.nbgrader.finishing import Finisher
    from autograder.results.model import Graded, QuestionResult

PLUGIN = "autograder"
UNREADY_SECONDS = 60.0
"""How long what makes a worker unready is told before it is looked for again."""


@dataclass(frozen=True)
class Outcome:
    """What became of one submission on a worker.

    Attributes:
        kind: "graded", "unreadable" (the submission is no notebook), "ungraded" (the grader's
            fault), or "unready" (this worker must not grade at all).
        reason: why it was not graded, one sentence; empty when it was.
        key: what the verdict is kept under.
        data: the verdict and the executed notebook, as `cache.pack` made them.
        finished: what recording needs; None where that is left to the head.
        question: the verdict, where one question alone was asked for.
    """

    kind: Literal["graded", "unreadable", "ungraded", "unready"]
    reason: str = ""
    key: str = ""
    data: bytes = b""
    finished: Finished | None = None
    question: QuestionResult | None = None


class AssignmentOnWorker(WorkerPlugin):  # type: ignore[misc]
    """Brings an assignment to a worker and grades there."""

    def __init__(
        self, bundle: Bundle, identity: Identity, lender: str = "", kept: Path | None = None
    ) -> None:
        """Nothing is unpacked yet.

        Args:
            lender: where workers of this machine are lent a zygote.
            kept: a folder of theirs for what need not be seen twice.
        """
        self.name = _plugin(bundle.assignment_id)
        self._bundle = bundle
        self._lender = lender
        self._kept = kept
        self._state = identity.state
        self._settings = identity.settings
        self._needed = (versions(), package_digest())
        self._grading = Lock()
        self._grader: Grader | None = None
        self._finisher: Finisher | None = None
        self._unready: Unready | None = None
        self._next_try = 0.0

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_grading"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _grading=Lock())

    def setup(self, worker: Any) -> None:
        """See `WorkerPlugin`.

        Raises:
            Ungraded: another autograder is installed there, or another version of what it needs.
        """
        here = versions(), package_digest()
        if self._needed != here:
            other = differences(self._needed[0], here[0]) or "none"
            raise Ungraded(
                f"the worker {worker.address} has another autograder than the head, or other "
                f"versions (here and there: {other}): install the same on both"
            )
        self._folder = Path(tempfile.mkdtemp(prefix="course-", dir=worker.local_directory))
        self._assignment = unpack(self._bundle, self._folder / "course")

    def teardown(self, worker: Any) -> None:
        """See `WorkerPlugin`."""
        if self._grader is not None:
            self._grader.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def grade(self, data: bytes, name: str) -> Outcome:
        """The verdict on the bytes of a submitted notebook, which messages call `name`."""
        return self._outcome(partial(self._graded, data, name))

    def check(self, slug: str, reserved: frozenset[str], data: bytes, name: str) -> Outcome:
        """The verdict on one question of it; nothing that is told rests on `reserved` checks."""
        return self._outcome(partial(self._checked, slug, reserved, data, name))

    def warm(self) -> None:
        """Gets ready to grade; what stands in the way whoever wants a verdict is told."""
        with self._grading, suppress(Exception):
            self._ready()

    def _outcome(self, judged_by: Callable[[Grader], Outcome]) -> Outcome:
        with self._grading:
            try:
                grader = self._ready()
            except Exception as fault:  # what is raised here is no fault of the scheduler's
                said = _said(fault).replace(f"{self._folder / 'course'}/", "")
                if self._lender:  # no machine but the head's own
                    return Outcome("unready", said)
                return Outcome("unready", f"on the worker {get_worker().address}: {said}")
            try:
                return judged_by(grader)
            except UnreadableSubmission as error:
                return Outcome("unreadable", str(error))
            except Exception as fault:
                return Outcome("ungraded", _said(fault))

    def _graded(self, data: bytes, name: str, grader: Grader) -> Outcome:
        from autograder.grading.cache import pack

        notebook, repaired = self._repaired(data, name)
        identity = Identity(self._assignment, self._settings, self._state)
        key = identity.of_content(repaired)
        graded = grader.grade_repaired(repaired, self._assignment.id)
        finished = self._finished(graded, notebook)
        return Outcome("graded", key=key, data=pack(graded), finished=finished)

    def _checked(
        self, slug: str, reserved: frozenset[str], data: bytes, name: str, grader: Grader
    ) -> Outcome:
        _, repaired = self._repaired(data, name)
        return Outcome("graded", question=grader.check_repaired(repaired, slug, reserved))

    def _repaired(self, data: bytes, name: str) -> tuple[NotebookNode, Repaired]:
        from autograder.intake.belonging import origin
        from autograder.intake.submission import parse_notebook, repair

        notebook, wanted = parse_notebook(data, name), self._assignment.id
        origin(notebook, self._bundle.released, name, wanted, wanted)
        return notebook, repair(notebook, self._assignment.release)

    def _finished(self, graded: Graded, submitted: NotebookNode) -> Finished | None:
        from autograder.nbgrader.finishing import Finisher

        if self._bundle.finishing is None:
            return None
        self._finisher = self._finisher or Finisher(self._bundle.finishing)
        return self._finisher.finish(graded, submitted)

    def _ready(self) -> Grader:
        if self._grader is None:
            from autograder.grading.readiness import ready_grader

            if self._unready is not None and time.monotonic() < self._next_try:
                raise self._unready
            course = Course(self._folder / "course")
            try:
                self._grader = ready_grader(
                    course, self._assignment, self._settings, self._lender, self._kept
                )
            except Unready as fault:
                self._unready, self._next_try = fault, time.monotonic() + UNREADY_SECONDS
                raise
        return self._grader


def grade(assignment: str, data: bytes, name: str) -> Outcome:
    """The task: grades a submission on the worker that runs it."""
    return _outcome(assignment, lambda plugin: plugin.grade(data, name))


def check(assignment: str, slug: str, reserved: frozenset[str], data: bytes, name: str) -> Outcome:
    """The task: judges one question of a notebook on the worker that runs it."""
    return _outcome(assignment, lambda plugin: plugin.check(slug, reserved, data, name))


def warm(assignment: str) -> None:
    """The task: gets the worker that runs it ready to grade."""
    if plugin := _given(assignment):
        plugin.warm()


def _outcome(assignment: str, work: Callable[[AssignmentOnWorker], Outcome]) -> Outcome:
    plugin = _given(assignment)
    if plugin is None:
        return Outcome("ungraded", "this worker was not given the course: run the command again")
    return work(plugin)


def _given(assignment: str) -> AssignmentOnWorker | None:
    plugin: AssignmentOnWorker | None = get_worker().plugins.get(_plugin(assignment))
    return plugin


def _said(fault: Exception) -> str:
    return str(fault) if isinstance(fault, AutograderError) else f"{type(fault).__name__}: {fault}"


def _plugin(assignment: str) -> str:
    return f"{PLUGIN}-{assignment}"

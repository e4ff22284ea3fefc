"""One run of `autograder batch`: what is new, graded in parallel and recorded one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from autograder.batch.background import BackgroundRecording, in_background
from autograder.batch.log import Log
from autograder.batch.misplaced import misplaced
from autograder.batch.submissions import (
    Submission,
    read_ordinary,
    read_submission,
    recording_digest,
)
from autograder.batch.tally import Progress, Tally
from autograder.course.assignments import Course
from autograder.course.configuration import expect_box
from autograder.course.folders import Folders
from autograder.course.gradebook import Gradebook, recorded
from autograder.course.settings import read_config, settings_of
from autograder.errors import Ungraded, UnreadableSubmission, UsageError
from autograder.grading.cache import VerdictCache
from autograder.grading.identity import Identity
from autograder.intake.finding import NAMED
from autograder.nbgrader.options import expect_late_rule
from autograder.results.plain import one_line

if TYPE_CHECKING:
    from autograder.batch.recording import Recorder
    from autograder.farm.workers import Farm
    from autograder.intake.inspection import IntakeExporter
    from autograder.nbgrader.finishing import Finished, Finisher


@dataclass(frozen=True)
class Workers:
    """Who grades: `jobs` processes of this machine, or the workers of a Dask scheduler."""

    jobs: int
    scheduler: str | None = None


def batch(course: Course, assignment_id: str, workers: Workers, *, fresh: bool = False) -> Tally:
    """Grades and records every submission of an assignment that changed since it was recorded.

    `fresh`: grades and records all of them anew.

    Raises:
        UsageError: there is no such assignment, nothing was submitted, the gradebook does not know
            it, another run is under way, or the configuration has nbgrader grade without a box, or
            has a rule of lateness that cannot hold.
        Ungraded: grading would not be safe or true.
    """
    with opened_run(course, assignment_id) as run:
        return run.go(workers, fresh=fresh)


@contextmanager
def opened_run(course: Course, assignment_id: str) -> Iterator[Run]:
    """A run that nothing has been done in yet; no other one of this assignment is opened meanwhile.

    Raises:
        UsageError: see `batch`.
    """
    config = read_config(course.root)
    expect_box(config)
    settings = settings_of(config)
    assignment = course.assignment(assignment_id)
    folders = Folders(course, config, assignment_id)
    gradebook = recorded(folders.db_url, assignment_id)
    elsewhere = misplaced(course, folders)
    if not folders.of("submitted"):
        hint = f" (not {one_line(', '.join(list(elsewhere)[:NAMED]))})" if elsewhere else ""
        raise UsageError(
            f"nobody has submitted {assignment_id}: put each notebook into "
            f"submitted/<student>/{assignment_id}/{assignment_id}.ipynb{hint}"
        )
    with _alone(course, assignment_id) as home:
        rules = recording_digest(course.root, config)
        run = Run(course, Identity.of(assignment, settings), folders, home, gradebook, rules)
        run.tally.misplaced = elsewhere
        yield run


@contextmanager
def _alone(course: Course, assignment_id: str) -> Iterator[Path]:
    """The folder of this assignment's runs, which no other run uses meanwhile."""
    home = course.root / ".cache" / "batch" / assignment_id
    home.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(home / "lock", timeout=0):
            yield home
    except Timeout as error:
        raise UsageError(
            f"another `autograder batch {assignment_id}` is at work in {course.root}: "
            "wait for it, or stop it"
        ) from error


class Run:
    """One run, alone with its assignment.

    Attributes:
        home: where runs of this assignment keep what they need.
        gradebook: what was recorded when it began.
        kept: students whose verdict the cache keeps, and who have yet to be recorded; or, of an
            assignment without checks, those whom nbgrader grades while it records them.
        missing: students whose submission has yet to be graded.
    """

    def __init__(
        self,
        course: Course,
        identity: Identity,
        folders: Folders,
        home: Path,
        gradebook: Gradebook,
        rules: str,
    ) -> None:
        self._course = course
        self._identity = identity
        self._folders = folders
        self.home = home
        self.gradebook = gradebook
        self._rules = rules
        self._rehearse: Callable[[], Recorder] | None = None
        self._log = Log(home / "log.jsonl")
        self._cache = VerdictCache.of(course, identity)
        self._has_checks = identity.assignment.has_checks
        self._rests_on: dict[str, str] = {}
        self.tally = Tally()
        self.kept: list[str] = []
        self.missing: list[str] = []

    def go(
        self,
        workers: Workers,
        *,
        fresh: bool,
        rehearse: Callable[[], Recorder] | None = None,
    ) -> Tally:
        """Grades and records what changed.

        Args:
            rehearse: makes what records in place of the course's own. Then nothing is noted as
                recorded, and no verdict is forgotten: verdicts of another state may hold again.
        """
        self._rehearse = rehearse
        digests = self._look(fresh=fresh)
        if self.kept or self.missing:
            expect_late_rule(read_config(self._course.root), self._course.root)
            if rehearse is None:
                self._log.compact(digests)
                self._cache.forget_other_states()
            self._grade(workers)
        return self.tally

    def _look(self, *, fresh: bool) -> set[str]:
        """Finds out what is to be done for each submission; the digests of them all."""
        submitted, autograded = self._folders.of("submitted"), self._folders.of("autograded")
        digests: set[str] = set()
        for student in sorted(submitted):
            try:
                one = self._submission(student, submitted[student])
            except UnreadableSubmission as error:
                self.tally.note(student, error)
                continue
            digests.add(one.digest)
            entry = self.gradebook.entries.get(student)
            self._rests_on[student] = rests_on = one.entry(self._rules, self.gradebook.due, entry)
            folder = autograded.get(student) if entry else None
            if fresh and self._has_checks:
                self.missing.append(student)
            elif not fresh and folder and self._log.is_recorded(student, rests_on, folder):
                self.tally.unchanged.append(student)
            elif not self._has_checks or self._log.verdict(one.digest) in self._cache:
                self.kept.append(student)
            else:
                self.missing.append(student)
        return digests

    def _submission(self, student: str, folder: Path) -> Submission:
        if self._has_checks:
            return read_submission(student, folder, self._identity)
        return read_ordinary(student, folder, self._identity, self._inspector.inspect)

    @cached_property
    def _inspector(self) -> IntakeExporter:
        from autograder.intake.inspection import IntakeExporter

        return IntakeExporter(config=read_config(self._course.root))

    def _grade(self, workers: Workers) -> None:
        """Grades what is missing, and records it with what is kept."""
        with (
            self._warming(workers) as lent,
            closing(Progress(self.tally, len(self.kept) + len(self.missing))) as progress,
            in_background(self._recorder, progress, self._note_recorded) as background,
        ):
            for one in self._read(self.kept, progress):
                background.record(one, partial(self._finish_kept, one))
            if self.missing:
                with self._farm(workers, lent) as farm:
                    background.load()  # earlier it would keep the workers from getting ready
                    self._farm_out(farm, progress, background)

    def _read(self, students: Iterable[str], progress: Progress) -> Iterator[Submission]:
        """The submissions, each read when it is asked for."""
        submitted = self._folders.of("submitted")
        for student in students:
            try:
                yield self._submission(student, submitted[student])
            except (KeyError, UnreadableSubmission) as error:
                gone = UnreadableSubmission(f"{student} has taken the submission away")
                progress.failed(student, gone if isinstance(error, KeyError) else error)

    def _finish_kept(self, one: Submission) -> Finished | None:
        """Makes ready what an earlier run has graded, as workers do."""
        from autograder.intake.belonging import origin, released_in
        from autograder.intake.submission import parse_notebook

        key = self._log.verdict(one.digest)  # None where it was handed in anew meanwhile
        graded = self._cache.get(key) if key else None
        if graded is None:
            return None
        notebook, name = parse_notebook(one.notebook, one.name), self._identity.assignment.id
        origin(notebook, released_in(self._course), one.name, name, name)
        return self._finisher.finish(graded, notebook)

    @cached_property
    def _finisher(self) -> Finisher:
        from autograder.nbgrader.finishing import Finisher, carried

        return Finisher(carried(read_config(self._course.root)))

    def _warming(self, workers: Workers) -> AbstractContextManager[Mapping[str, str]]:
        """Has loaded what workers of this machine start from, while the head gets ready."""
        from autograder.farm.warming import warming

        if not self.missing or workers.scheduler is not None:
            return nullcontext({})
        return warming([self._identity.assignment], self._scratch)

    @property
    def _scratch(self) -> Path:
        return self.home / "workers"

    def _farm(self, workers: Workers, lent: Mapping[str, str]) -> AbstractContextManager[Farm]:
        from autograder.farm.bundle import pack
        from autograder.farm.local import local_farm
        from autograder.farm.workers import Packed, remote_farm
        from autograder.intake.belonging import released_in
        from autograder.nbgrader.finishing import beyond, carried

        assignment, config = self._identity.assignment, read_config(self._course.root)
        finishing = None if beyond(config, assignment) else carried(config)
        bundle = pack(assignment, released_in(self._course), finishing)
        if Identity.of(assignment, self._identity.settings) != self._identity:
            raise Ungraded(f"{assignment.id} was changed while this run began: run `batch` again")
        if workers.scheduler is not None:
            return remote_farm(workers.scheduler, [Packed(bundle, self._identity)])
        jobs = min(workers.jobs, len(self.missing))
        packed = Packed(bundle, self._identity, self._course.drift_memory)
        return local_farm(jobs, [packed], self._scratch, lent)

    def _farm_out(self, farm: Farm, progress: Progress, background: BackgroundRecording) -> None:
        for one, outcome in farm.outcomes(
            self._identity.assignment.id, self._read(self.missing, progress)
        ):
            if outcome.kind == "graded":
                self._cache.put(outcome.key, outcome.data)
                self._log.graded(one.digest, outcome.key)
                background.record(one, partial(getattr, outcome, "finished"))
            elif outcome.kind == "unreadable":
                progress.failed(one.student, UnreadableSubmission(outcome.reason))
            else:
                progress.failed(one.student, Ungraded(outcome.reason))

    def _recorder(self) -> Recorder:
        if self._rehearse is not None:
            return self._rehearse()
        from autograder.batch.recording import Recorder

        root = self._course.root
        return Recorder(read_config(root), root, self._identity.assignment)

    def _note_recorded(self, one: Submission) -> None:
        if self._rehearse is None:
            folder = self._folders.of_student("autograded", one.student)
            self._log.recorded(one.student, self._rests_on[one.student], folder)

"""Grading one submission: repair, run in a box, judge by the hidden checks, add up."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Self

import nbformat
from nbformat import NotebookNode

from autograder.box.outside.lending import start_zygote
from autograder.box.outside.zygotes import Zygote
from autograder.course.assignments import Assignment, Question
from autograder.course.cells import clear_outputs
from autograder.course.limits import Limits
from autograder.course.pace import Pace
from autograder.errors import Ungraded, ZygoteGone
from autograder.grading.alone import Hung, copied, judged_alone
from autograder.grading.dependencies import Dependencies
from autograder.grading.evidence import shows_values, withheld
from autograder.grading.fingerprints import fingerprint
from autograder.grading.follow_through import FollowThrough
from autograder.grading.judge import Findings
from autograder.grading.jury import ExpectedOf, Jury
from autograder.grading.names import imported_modules
from autograder.grading.search import Trials, is_sought, place, placed
from autograder.grading.session import Session
from autograder.intake.submission import Repaired, repair
from autograder.results import sentences
from autograder.results.model import (
    CheckResult,
    Diagnosis,
    Graded,
    QuestionResult,
    SubmissionResult,
    added,
    severest,
)

DEATHS = 3  # zygotes lost over one submission, before it is given up


@dataclass(frozen=True)
class _Run:
    """One submission under way; `deadline` is a reading of `time.monotonic()` in seconds."""

    assignment: Assignment
    repaired: Repaired
    expected_of: ExpectedOf
    deadline: float
    seed: int

    @cached_property
    def dependencies(self) -> Dependencies:
        """What the questions rest on in the submission."""
        return Dependencies(self.assignment, self.repaired.notebook)

    def questions_under(self, cell: NotebookNode) -> set[str]:
        """Those that one of its cells rests on."""
        return self.dependencies.questions_under(cell)


class Grader:
    """Grades submissions of one assignment from one warm zygote. A context manager."""

    def __init__(
        self,
        assignment: Assignment,
        limits: Limits | None = None,
        *,
        follows_through: bool = True,
        pace: Pace | None = None,
        lender: str = "",
    ) -> None:
        """Starts its zygote.

        Args:
            pace: how long the instructor's solution takes; None for what is stored of it.
            lender: where to ask for zygotes before one is started.
        """
        self.assignment = assignment
        self.pace = Pace.load(assignment.pace_file) if pace is None else pace
        self.limits = limits or Limits()
        self._follows_through = follows_through and assignment.source_path.is_file()
        self._jury = Jury(assignment, self._on_solution)
        self._closed = False
        self._lender = lender
        self.zygote = self._new_zygote()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends it; a thread that is grading hears that its zygote is gone."""
        self._closed = True
        self.zygote.close()

    def _new_zygote(self) -> Zygote:
        imports = imported_modules(self.assignment.release)
        return start_zygote(imports, self.assignment.hidden_folders(), self._lender)

    def grade(self, submission: NotebookNode, name: str) -> Graded:
        """The verdict on `submission`, which stays as it is; `name` is what reports call it.

        Raises:
            Ungraded: the fault is the grader's own.
        """
        return self.grade_repaired(repair(submission, self.assignment.release), name)

    def grade_repaired(
        self,
        repaired: Repaired,
        name: str,
        expected_of: ExpectedOf | None = None,
    ) -> Graded:
        """As `grade`, for a submission already in the release's shape; its cells get outputs.

        A zygote that ends meanwhile is replaced, and the submission begun anew.
        """
        for _ in range(DEATHS):
            try:
                if self.zygote.gone:
                    self.zygote.close()
                    self.zygote = self._new_zygote()
                return self._graded(repaired, name, expected_of)
            except ZygoteGone as gone:
                if self._closed:
                    raise
                last = gone
                for cell in repaired.notebook.cells:
                    clear_outputs(cell)
        raise Ungraded(f"crash: {DEATHS} zygotes ended while they graded it; {last}") from last

    def _graded(
        self,
        repaired: Repaired,
        name: str,
        expected_of: ExpectedOf | None,
    ) -> Graded:
        started = time.monotonic()
        deadline = started + self.limits.submission_seconds
        seed = _seed(repaired.notebook)
        run = _Run(self.assignment, repaired, expected_of or self._jury.expected, deadline, seed)
        questions = self.assignment.questions
        found: dict[str, QuestionResult] = {}
        with self.session(
            repaired.notebook, deadline, seed, questions_under=run.questions_under
        ) as session:
            session.run_cells()
            for question in questions:
                if not session.broken and not _is_suspect(question, session, run):
                    found[question.slug] = self._verdict(question, session, run)
        seconds = time.monotonic() - started
        verdicts = self._placed(self._looked_again(found, session, run), run)
        result = SubmissionResult(
            assignment=self.assignment.id,
            submission=name,
            status="graded",
            score=added(verdict.score for verdict in verdicts),
            max_score=added(question.points for question in questions),
            sandbox=self.zygote.tier,
            seconds=round(seconds, 3),
            flags=[*repaired.flags, *session.flags],
            questions=verdicts,
        )
        pace = Pace.measured(session.spent_by_cells, session.spent_by_probes)
        return Graded(result, repaired.notebook, pace)

    def _looked_again(
        self, found: Mapping[str, QuestionResult], session: Session, run: _Run
    ) -> list[QuestionResult]:
        """The final verdicts, given those that one box with all cells in it has led to."""
        questions, notebook = self.assignment.questions, run.repaired.notebook
        if len(found) == len(questions) and all(v.status == "ok" for v in found.values()):
            return list(found.values())
        second = FollowThrough(self.dependencies, notebook) if self._follows_through else None
        final: dict[str, QuestionResult] = {}

        def judged_in(question: Question, cells: Sequence[NotebookNode]) -> QuestionResult:
            with self.ran(cells, run.deadline, run.seed) as session:
                return self._verdict(question, session, run)

        hung = Hung(run.dependencies)
        for question in questions:
            verdict = found.get(question.slug)
            if verdict is None and (below := hung.waited_for(question.slug)):
                verdict = self._given_up(question, below, run)
            elif verdict is None or not (second and second.decides(verdict, final)):
                cells = session.kept_cells
                verdict = judged_alone(
                    question, verdict, run.dependencies, cells, judged_in, hung=bool(hung)
                )
            hung.note(verdict)
            final[question.slug] = verdict
        if second:  # last, so that nothing that is said afterwards can tell what ran here
            for question in questions:
                final[question.slug] = second.verdict(question, final, judged_in)
        return list(final.values())

    def _given_up(self, question: Question, hung: Iterable[str], run: _Run) -> QuestionResult:
        """The verdict on a question that rests on answers that ran out of time, without a box."""
        with self.session(run.repaired.notebook, run.deadline, run.seed) as session:
            session.give_up(question.slug, sentences.rests_on_hung("Your code", hung))
            return self._verdict(question, session, run)

    def _placed(self, verdicts: list[QuestionResult], run: _Run) -> list[QuestionResult]:
        """The same, with the place of a mistake where nothing else is known of it."""
        if not self.limits.search_seconds:
            return verdicts
        right = {verdict.slug for verdict in verdicts if verdict.status == "ok"}
        final = []
        for question, verdict in zip(self.assignment.questions, verdicts, strict=True):
            if is_sought(verdict) and right.issuperset(
                run.dependencies.earlier_questions(question.slug)
            ):
                until = min(time.monotonic() + self.limits.search_seconds, run.deadline)
                verdict = placed(verdict, self._place(question, verdict, run, until))
            final.append(verdict)
        return final

    def _place(
        self, question: Question, verdict: QuestionResult, run: _Run, until: float
    ) -> Diagnosis | None:
        slug, cells = question.slug, run.dependencies.cells(question.slug)

        def is_right(source: str) -> bool:
            changed = [*copied(cells[:-1]), NotebookNode({**cells[-1], "source": source})]
            latest = min(until + self.limits.search_seconds, run.deadline)
            with self.ran(changed, latest, run.seed) as fresh:
                return self._verdict(question, fresh, run).status == "ok"

        with self.ran(copied(cells), until, run.seed) as session:
            self._jury.findings(question, session, run.expected_of)  # so that seeds are the same
            trials = Trials(
                partial(session.answer_again, slug),
                lambda check, student: self._jury.passes(
                    slug, check, student, run.expected_of, session.begin
                ),
                [check for check in verdict.checks if not check.passed],
            )
            return place(run.dependencies.source(slug), trials.holds, is_right, until)

    def session(
        self,
        notebook: NotebookNode,
        deadline: float | None = None,
        seed: int | None = None,
        *,
        questions_under: Callable[[NotebookNode], set[str]] = lambda cell: set(),
    ) -> Session:
        """A run of `notebook` in a box of its own.

        Args:
            deadline: when it ends, by `time.monotonic()`; None gives it a submission's time.
            seed: what its random numbers follow from; None for the notebook's text.
            questions_under: which questions a cell rests on.
        """
        release = self.assignment.release_path.parent
        return Session(
            self.zygote,
            notebook,
            [question.slug for question in self.assignment.questions],
            self.limits,
            {str(path.relative_to(release)): path for path in self.assignment.assets()},
            seed=_seed(notebook) if seed is None else seed,
            deadline=deadline,
            questions_under=questions_under,
            pace=self.pace,
        )

    @contextmanager
    def ran(
        self,
        cells: Sequence[NotebookNode],
        deadline: float | None = None,
        seed: int | None = None,
    ) -> Iterator[Session]:
        """A session in a fresh box, in which `cells` have run; its arguments are as above."""
        with self.session(nbformat.v4.new_notebook(cells=cells), deadline, seed) as session:
            session.run_cells()
            yield session

    def judged(
        self,
        question: Question,
        session: Session,
        expected_of: ExpectedOf | None = None,
    ) -> list[CheckResult]:
        """What the checks of one question find in a session whose cells have run, each by itself.

        Raises:
            Ungraded: a check is broken.
        """
        expected_of = expected_of or self._jury.expected
        found = self._jury.sound_findings(question, session, expected_of)
        return self._jury.named(question, found.checks, session)

    @cached_property
    def dependencies(self) -> Dependencies:
        """What the questions rest on in the instructor's notebook.

        Raises:
            UsageError: the course has no source of this assignment.
        """
        return Dependencies(self.assignment, self.assignment.solved)

    @cached_property
    def dependencies_with_checks(self) -> Dependencies:
        """The same with the visible checks among the cells."""
        return Dependencies(self.assignment, self.assignment.solved, with_checks=True)

    def _verdict(self, question: Question, session: Session, run: _Run) -> QuestionResult:
        """The verdict on a question after a session's cells have run."""
        found = self._jury.sound_findings(question, session, run.expected_of)
        named = self._jury.named(question, found.checks, session)
        shown = shows_values(found, session.sent.get(question.slug, {}))
        verdict = _added_up(question, named if shown else withheld(named), session, run.repaired)
        if verdict.status not in ("wrong", "error") or question.slug in session.undefined:
            return verdict
        heard = session.heard.get(question.slug, {})
        return replace(verdict, fingerprint=fingerprint(named, heard))

    def _on_solution(self, question: Question, expected_of: ExpectedOf) -> Findings:
        cells = copied(self.dependencies.cells(question.slug))
        with self.ran(cells) as session:
            return self._jury.findings(question, session, expected_of)


def _is_suspect(question: Question, session: Session, run: _Run) -> bool:
    """Whether to ask the checks of a question would most likely cost the box: a call of its answer,
    or of one that it rests on, hung in the cells."""
    called = session.suspects - session.lost.keys()
    if not called:
        return False
    return not called.isdisjoint(
        [question.slug, *run.dependencies.earlier_questions(question.slug)]
    )


def _added_up(
    question: Question, checks: list[CheckResult], session: Session, repaired: Repaired
) -> QuestionResult:
    """Adds up a question's checks and names the worst that stood in the way."""
    slug = question.slug
    passed = [check for check in checks if check.passed]
    if not passed and slug in repaired.unanswered and slug not in session.lost:
        said = sentences.unanswered()
        checks = [CheckResult(c.name, c.title, c.points, False, said, "unanswered") for c in checks]
    status = severest(check.status for check in checks)
    if status != "ok" and slug in session.errors:
        status = severest([status, "error"])
    if status != "ok" and slug in session.truncated:
        status = severest([status, "output"])
    score = added(check.points for check in passed)
    return QuestionResult(slug, status, score, question.points, checks)


def ungraded(assignment: Assignment, name: str, reason: str) -> SubmissionResult:
    """The result of a submission that the grader could not judge: no score is implied."""
    questions = [
        QuestionResult(question.slug, "ungraded", 0.0, question.points)
        for question in assignment.questions
    ]
    return SubmissionResult(
        assignment=assignment.id,
        submission=name,
        status="ungraded",
        score=0.0,
        max_score=added(question.points for question in assignment.questions),
        sandbox="none",
        seconds=0.0,
        flags=[],
        questions=questions,
        reason=reason,
    )


def _seed(notebook: NotebookNode) -> int:
    """A number that follows from the text of the cells."""
    text = json.dumps([cell.source for cell in notebook.cells])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])

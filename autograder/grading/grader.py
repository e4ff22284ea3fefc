"""Grading one submission: repair, run in a box, judge by the hidden checks, add up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from typing import Self, TypeVar

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
from autograder.grading.under_way import UnderWay, seed_of
from autograder.intake.submission import Repaired, repair
from autograder.results import sentences
from autograder.results.model import (
    CheckResult,
    Diagnosis,
    Graded,
    QuestionResult,
    SubmissionResult,
    added,
)

T = TypeVar("T")
DEATHS = 3  # zygotes lost over one submission, before it is given up


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
        return self._by_some_zygote(lambda: self._graded(repaired, name, expected_of), repaired)

    def check_repaired(
        self, repaired: Repaired, slug: str, reserved: Iterable[str] = ()
    ) -> QuestionResult:
        """The verdict on one question of a submission in the release's shape, by itself.

        Only the cells run that it rests on: nothing stands in for a wrong earlier answer, and no
        place of a mistake is looked for. The checks whose names are `reserved` come last, and say
        only whether they passed: neither status nor score nor what others say rests on them.

        Raises:
            KeyError: the assignment has no such question.
            Ungraded: the fault is the grader's own.
        """
        question = self.assignment.question(slug)
        return self._by_some_zygote(
            lambda: self._checked(repaired, question, frozenset(reserved)), repaired
        )

    def _by_some_zygote(self, work: Callable[[], T], repaired: Repaired) -> T:
        """What `work` returns, which is begun anew whenever its zygote ends."""
        for _ in range(DEATHS):
            try:
                if self.zygote.gone:
                    self.zygote.close()
                    self.zygote = self._new_zygote()
                return work()
            except ZygoteGone as gone:
                if self._closed:
                    raise
                last = gone
                for cell in repaired.notebook.cells:
                    clear_outputs(cell)
        raise Ungraded(f"crash: {DEATHS} zygotes ended while they graded it; {last}") from last

    def _begun(
        self,
        repaired: Repaired,
        expected_of: ExpectedOf | None = None,
        reserved: frozenset[str] = frozenset(),
    ) -> UnderWay:
        deadline = time.monotonic() + self.limits.submission_seconds
        expected_of = expected_of or self._jury.expected
        return UnderWay(
            self.assignment, repaired, expected_of, deadline, seed_of(repaired.notebook), reserved
        )

    def _checked(
        self, repaired: Repaired, question: Question, reserved: frozenset[str]
    ) -> QuestionResult:
        run = self._begun(repaired, reserved=reserved)
        above = run.dependencies.cells_above(question.slug)
        return judged_alone(question, None, run.dependencies, above, partial(self._judged_in, run))

    def _graded(
        self,
        repaired: Repaired,
        name: str,
        expected_of: ExpectedOf | None,
    ) -> Graded:
        started = time.monotonic()
        run = self._begun(repaired, expected_of)
        questions = self.assignment.questions
        found: dict[str, QuestionResult] = {}
        with self.session(
            repaired.notebook, run.deadline, run.seed, questions_under=run.questions_under
        ) as session:
            session.run_cells()
            for question in questions:
                if not session.broken and not run.is_suspect(question, session):
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
        self, found: Mapping[str, QuestionResult], session: Session, run: UnderWay
    ) -> list[QuestionResult]:
        """The final verdicts, given those that one box with all cells in it has led to."""
        questions, notebook = self.assignment.questions, run.repaired.notebook
        if len(found) == len(questions) and all(v.status == "ok" for v in found.values()):
            return list(found.values())
        second = FollowThrough(self.dependencies, notebook) if self._follows_through else None
        final: dict[str, QuestionResult] = {}
        judged_in = partial(self._judged_in, run)
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

    def _judged_in(
        self, run: UnderWay, question: Question, cells: Sequence[NotebookNode]
    ) -> QuestionResult:
        """The verdict on a question after these cells have run in a fresh box."""
        with self.ran(cells, run.deadline, run.seed) as session:
            return self._verdict(question, session, run)

    def _given_up(self, question: Question, hung: Iterable[str], run: UnderWay) -> QuestionResult:
        """The verdict on a question that rests on answers that ran out of time, without a box."""
        with self.session(run.repaired.notebook, run.deadline, run.seed) as session:
            session.give_up(question.slug, sentences.rests_on_hung("Your code", hung))
            return self._verdict(question, session, run)

    def _placed(self, verdicts: list[QuestionResult], run: UnderWay) -> list[QuestionResult]:
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
        self, question: Question, verdict: QuestionResult, run: UnderWay, until: float
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
            seed=seed_of(notebook) if seed is None else seed,
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

    def _verdict(self, question: Question, session: Session, run: UnderWay) -> QuestionResult:
        """The verdict on a question after a session's cells have run."""
        whole = self._jury.sound_findings(question, session, run.expected_of)
        found, reserved = whole.parted(run.reserved)
        named = self._jury.named(question, found.checks, session)
        shown = bool(reserved) or shows_values(found, session.sent.get(question.slug, {}))
        verdict = run.added_up(question, named if shown else withheld(named), session)
        verdict.checks.extend(reserved)
        if verdict.status not in ("wrong", "error") or question.slug in session.undefined:
            return verdict
        heard = session.heard.get(question.slug, {})
        return replace(verdict, fingerprint=fingerprint(named, heard))

    def _on_solution(self, question: Question, expected_of: ExpectedOf) -> Findings:
        cells = copied(self.dependencies.cells(question.slug))
        with self.ran(cells) as session:
            return self._jury.findings(question, session, expected_of)

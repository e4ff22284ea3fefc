"""Grading one submission: repair, run in a box, judge by the hidden checks, add up."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cached_property, partial

from nbformat import NotebookNode

from autograder.course.assignments import Assignment, Question
from autograder.course.cells import grade_id
from autograder.course.limits import Limits
from autograder.course.pace import Pace
from autograder.errors import UsageError
from autograder.grading.alone import copied
from autograder.grading.broad import told_broadly
from autograder.grading.demands import Demands
from autograder.grading.dependencies import Dependencies
from autograder.grading.evidence import failed_by_itself
from autograder.grading.findings import Findings
from autograder.grading.follow_through import FollowThrough
from autograder.grading.jury import ExpectedOf, Jury
from autograder.grading.own_time import OwnTime
from autograder.grading.runs import Runs
from autograder.grading.session import Session
from autograder.grading.under_way import UnderWay, seed_of
from autograder.grading.verdicts import Verdicts
from autograder.intake.submission import Repaired, repair
from autograder.results import sentences
from autograder.results.model import CheckResult, Graded, QuestionResult, SubmissionResult, added


class Grader(Runs):
    """Grades submissions of one assignment from one warm zygote. A context manager.

    Threads may grade at a time: cells of several submissions run beside each other, and the checks
    judge one after the other.
    """

    def __init__(
        self,
        assignment: Assignment,
        limits: Limits | None = None,
        *,
        follows_through: bool = True,
        pace: Pace | None = None,
        lender: str = "",
    ) -> None:
        """Starts its zygote; see `Runs`."""
        super().__init__(assignment, limits, pace=pace, lender=lender)
        self._follows_through = follows_through and assignment.source_path.is_file()
        self._jury = Jury(assignment, self._on_solution)
        self._demands = Demands(assignment)
        self._judging = threading.Lock()

    def close(self) -> None:
        """See `Runs`."""
        super().close()
        self._jury.close()

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
        return self._by_some_zygote(
            lambda: self._graded(repaired, name, expected_of), repaired.notebook
        )

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
            lambda: self._checked(repaired, question, frozenset(reserved)), repaired.notebook
        )

    def check_in_whole(
        self, repaired: Repaired, slug: str, fails_alone: Collection[str] = ()
    ) -> QuestionResult:
        """The verdict on one question of a submission in the release's shape, whose cells all run.

        It is that of `grade`, but for the credit that follows through and the place of a mistake.

        Args:
            fails_alone: checks that the answer is known to fail alone; where it fails no other
                here, and is known, it is not judged alone once more.

        Raises:
            KeyError: the assignment has no such question.
            Ungraded: the fault is the grader's own.
        """
        question = self.assignment.question(slug)
        return self._by_some_zygote(
            lambda: self._checked_in_whole(repaired, question, fails_alone), repaired.notebook
        )

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
            UsageError: the course has no source of this assignment, or one without an answer.
        """
        solved = self.assignment.solved
        _expect_answers(self.assignment, solved)
        return Dependencies(self.assignment, solved, self._demands)

    @cached_property
    def dependencies_with_checks(self) -> Dependencies:
        """The same with the visible checks among the cells."""
        solved = self.assignment.solved
        _expect_answers(self.assignment, solved)
        return Dependencies(self.assignment, solved, self._demands, with_checks=True)

    def _begun(
        self,
        repaired: Repaired,
        expected_of: ExpectedOf | None = None,
        reserved: frozenset[str] = frozenset(),
    ) -> UnderWay:
        deadline = time.monotonic() + self.limits.submission_seconds
        expected_of = expected_of or self._jury.expected
        return UnderWay(
            self.assignment,
            repaired,
            Dependencies(self.assignment, repaired.notebook, self._demands),
            expected_of,
            deadline,
            seed_of(repaired.notebook),
            OwnTime(self.limits.submission_seconds),
            reserved=reserved,
        )

    def _checked(
        self, repaired: Repaired, question: Question, reserved: frozenset[str]
    ) -> QuestionResult:
        begun = self._begun(repaired, reserved=reserved)
        verdict = Verdicts(self, self._jury, begun).alone(question)
        head = partial(begun.other_head, question.slug)
        return told_broadly(verdict, self._jury.aspects(question.slug), reserved, head)

    def _checked_in_whole(
        self, repaired: Repaired, question: Question, fails_alone: Collection[str]
    ) -> QuestionResult:
        begun = self._begun(repaired)
        verdicts = Verdicts(self, self._jury, begun)
        with self._of(begun) as session:
            session.run_cells()
            first = verdicts.first(session, [question]).get(question.slug)
        if first is not None and any(check.misconception for check in first.checks):
            failed = {check.name for check in failed_by_itself(first.checks)}
            if failed <= set(fails_alone):
                return first
        begun = begun.looked_at(session, self.limits.submission_seconds)
        return Verdicts(self, self._jury, begun).again(question, first, session.kept_cells)

    def _of(self, begun: UnderWay) -> Session:
        """The run of all cells of a submission."""
        return self.session(
            begun.repaired.notebook,
            begun.deadline,
            begun.seed,
            questions_under=begun.questions_under,
            own=begun.own_cells(begun.dependencies.slugs),
        )

    def _graded(self, repaired: Repaired, name: str, expected_of: ExpectedOf | None) -> Graded:
        started = time.monotonic()
        begun = self._begun(repaired, expected_of)
        second = partial(self._second, begun) if self._follows_through else None
        with ExitStack() as turn:
            with self._of(begun) as session:
                session.run_cells()
                waited = turn.enter_context(self._turn())
                session.postpone(waited)
                begun = replace(begun, deadline=begun.deadline + waited)
                first = Verdicts(self, self._jury, begun).first(session, self.assignment.questions)
            begun = begun.looked_at(session, self.limits.submission_seconds)
            verdicts = Verdicts(self, self._jury, begun, second)
            final = verdicts.final(first, session.kept_cells)
            seconds = verdicts.told_until - started - waited
        flags = [*repaired.flags, *session.flags, *_stopped(session, begun, final)]
        result = SubmissionResult(
            assignment=self.assignment.id,
            submission=name,
            status="graded",
            score=added(verdict.score for verdict in final),
            max_score=added(question.points for question in self.assignment.questions),
            sandbox=self.zygote.tier,
            seconds=round(seconds, 3),
            flags=sentences.noted(flags),
            questions=final,
        )
        pace = Pace.measured(session.spent_by_cells, session.spent_by_probes)
        return Graded(result, repaired.notebook, pace)

    @contextmanager
    def _turn(self) -> Iterator[float]:
        """One at a time; for how many seconds others were judged before."""
        asked = time.monotonic()
        with self._judging:
            yield time.monotonic() - asked

    def _second(self, begun: UnderWay) -> FollowThrough:
        return FollowThrough(self.dependencies, begun.dependencies)

    def _on_solution(self, question: Question, expected_of: ExpectedOf) -> Findings:
        cells = copied(self.dependencies.cells(question.slug))
        with self.ran(cells) as session:
            return self._jury.findings(question, session, expected_of)


def _expect_answers(assignment: Assignment, solved: NotebookNode) -> None:
    answered = {grade_id(cell) for cell in solved.cells}
    if lacking := [one.slug for one in assignment.questions if one.slug not in answered]:
        raise UsageError(
            f"the release of {assignment.id} has a solution cell {lacking[0]}, and source/ has no "
            "cell of this grade_id: give it the id again, or generate the release anew with "
            f"`nbgrader generate_assignment {assignment.id} --force`"
        )


def _stopped(session: Session, begun: UnderWay, final: Sequence[QuestionResult]) -> list[str]:
    """What is said of the student's own cells that stopped, where answers that failed need them."""
    if not session.stopped:
        return []
    failed = [one.slug for one in final if failed_by_itself(one.checks)]
    needed = begun.dependencies.names_under(failed)
    return [said for name, said in session.stopped.items() if name in needed]

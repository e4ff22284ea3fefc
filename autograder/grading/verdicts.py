"""The verdicts on the questions of one submission: a first look in one box, and second ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from nbformat import NotebookNode

from autograder.course.assignments import Question
from autograder.grading.alone import Hung, copied, judged_alone
from autograder.grading.broad import told_broadly
from autograder.grading.change_library import fingerprint
from autograder.grading.evidence import failed_by_itself, shows_values, withheld
from autograder.grading.follow_through import FollowThrough
from autograder.grading.jury import Jury
from autograder.grading.runs import Runs
from autograder.grading.search import Outcome, Trials, is_sought, outcome, place, placed
from autograder.grading.session import Session
from autograder.grading.transcripts import numbers_in
from autograder.grading.turns import Turns
from autograder.grading.under_way import UnderWay
from autograder.results import sentences
from autograder.results.model import Diagnosis, QuestionResult


class Verdicts:
    """Leads one submission to its verdicts.

    Attributes:
        told_until: when the last look of `final` ended whose time may be told, a reading of
            `time.monotonic()`; in second runs student code may read a solution.
    """

    def __init__(
        self,
        runs: Runs,
        jury: Jury,
        under_way: UnderWay,
        second: Callable[[], FollowThrough] | None = None,
    ) -> None:
        """`second` makes runs on right earlier answers; None where nothing may stand in."""
        self._runs = runs
        self._jury = jury
        self._under_way = under_way
        self._second = second
        self._until = under_way.deadline  # of the look that is taken
        self._hung = set(under_way.hung)
        self.told_until: float

    def alone(self, question: Question) -> QuestionResult:
        """That on one question, in a box in which only those cells run that it rests on."""
        dependencies = self._under_way.dependencies
        above = dependencies.cells_above(question.slug)
        return judged_alone(question, None, dependencies, above, self._judged_in)

    def again(
        self, question: Question, first: QuestionResult | None, kept: Sequence[NotebookNode]
    ) -> QuestionResult:
        """The better of the `first` on a question, if there is one, and of that on it alone."""
        dependencies = self._under_way.dependencies
        return judged_alone(question, first, dependencies, kept, self._judged_in)

    def first(self, session: Session, questions: Iterable[Question]) -> dict[str, QuestionResult]:
        """Those that one box leads to in which all cells have run, by question."""
        found: dict[str, QuestionResult] = {}
        for question in questions:
            if session.broken or session.is_over or self._under_way.is_suspect(question, session):
                continue
            verdict = self._verdict(question, session)
            if verdict.status == "ok" or not session.is_over:  # else time was short, maybe
                found[question.slug] = verdict
        return found

    def final(
        self, first: Mapping[str, QuestionResult], kept: Sequence[NotebookNode]
    ) -> list[QuestionResult]:
        """Those of all questions in their order, given the `first` and the cells that ran then."""
        questions = self._under_way.assignment.questions
        self.told_until = time.monotonic()
        if len(first) == len(questions) and all(v.status == "ok" for v in first.values()):
            return list(first.values())
        second = self._second and self._second()
        turns = Turns(self._under_way.deadline, len(questions) * (2 if second else 1))
        found = self._looked_again(first, kept, second, turns)
        found = self._placed(found, turns.end)
        self.told_until = time.monotonic()
        if second:  # last, so that nothing that is said afterwards can tell what ran here
            for question in questions:
                self._until = turns.next()
                found[question.slug] = second.verdict(question, found, self._judged_in, self._until)
        head = self._under_way.other_head
        return [
            told_broadly(one, self._jury.aspects(slug), head=partial(head, slug))
            for slug, one in found.items()
        ]

    def _looked_again(
        self,
        first: Mapping[str, QuestionResult],
        kept: Sequence[NotebookNode],
        second: FollowThrough | None,
        turns: Turns,
    ) -> dict[str, QuestionResult]:
        final: dict[str, QuestionResult] = {}
        dependencies = self._under_way.dependencies
        hung = Hung(dependencies)
        for question in self._under_way.assignment.questions:
            self._until = turns.next()
            verdict = first.get(question.slug)
            if verdict is None and (below := hung.waited_for(question.slug)):
                verdict = self._given_up(question, below)
            elif verdict is None or not (second and second.decides(verdict, final)):
                verdict = judged_alone(
                    question, verdict, dependencies, kept, self._judged_in, hung=bool(hung)
                )
            hung.note(verdict)
            final[question.slug] = verdict
        return final

    def _judged_in(self, question: Question, cells: Sequence[NotebookNode]) -> QuestionResult:
        """The verdict on a question after these cells have run in a fresh box."""
        own, seed = self._under_way.own_cells([question.slug]), self._under_way.seed
        below = self._under_way.dependencies.earlier_questions(question.slug)
        hurried = not self._hung.isdisjoint([question.slug, *below])
        with self._runs.ran(cells, self._until, seed, own, hurried=hurried) as session:
            verdict = self._verdict(question, session)
        self._hung |= session.hung
        return verdict

    def _given_up(self, question: Question, hung: Iterable[str]) -> QuestionResult:
        """The verdict on a question that rests on answers that ran out of time, without a box."""
        with self._runs.session(
            self._under_way.repaired.notebook, self._until, self._under_way.seed
        ) as session:
            session.give_up(question.slug, sentences.rests_on_hung("Your code", hung))
            return self._verdict(question, session)

    def _placed(
        self, verdicts: dict[str, QuestionResult], latest: float
    ) -> dict[str, QuestionResult]:
        """The same, with the place of a mistake where nothing else is known of it.

        `latest`: when to look for none any more, a reading of `time.monotonic()`.
        """
        if not self._runs.limits.search_seconds:
            return verdicts
        right = {slug for slug, verdict in verdicts.items() if verdict.status == "ok"}
        final = {}
        for question in self._under_way.assignment.questions:
            verdict = verdicts[question.slug]
            if is_sought(verdict) and right.issuperset(
                self._under_way.dependencies.earlier_questions(question.slug)
            ):
                self._until = latest
                until = min(time.monotonic() + self._runs.limits.search_seconds, latest)
                verdict = placed(verdict, self._place(question, verdict, until))
            final[question.slug] = verdict
        return final

    def _place(self, question: Question, verdict: QuestionResult, until: float) -> Diagnosis | None:
        slug, cells = question.slug, self._under_way.dependencies.cells(question.slug)
        expected_of = self._under_way.expected_of
        own, seed = self._under_way.own_cells([slug]), self._under_way.seed
        before = {check.name for check in failed_by_itself(verdict.checks)}

        def judged(source: str) -> Outcome:
            changed = [*copied(cells[:-1]), NotebookNode({**cells[-1], "source": source})]
            latest = min(until + self._runs.limits.search_seconds, self._until)
            with self._runs.ran(changed, latest, seed, own) as fresh:
                return outcome(self._verdict(question, fresh).checks)

        with self._runs.ran(copied(cells), until, seed, own) as session:
            self._jury.findings(question, session, expected_of)  # so that seeds are the same

            def left(asked: Sequence[str]) -> Outcome:
                *passed, check = asked
                transcript = session.heard.of(slug).get(check, ())
                if not self._jury.may_know(slug, check, transcript, passed):
                    return Outcome()
                checks = self._jury.afresh(question, session, expected_of)
                heard = session.heard.of(slug)
                still = [c.name for c in checks if not c.passed]
                if not before.issuperset(still):  # the change does harm of its own
                    return Outcome()
                if not any(numbers_in(heard.get(name, ())) for name in still):
                    return Outcome()
                kinds = self._jury.kinds_of(slug, checks, heard)
                return replace(outcome(checks), kinds=kinds, mends=len(still) < len(before))

            trials = Trials(
                partial(session.answer_again, slug),
                lambda check, student: self._jury.asked(
                    slug, check, student, expected_of, session.begin
                ),
                left,
                [check for check in verdict.checks if not check.passed],
            )
            source = self._under_way.dependencies.source(slug)
            return place(source, trials.tried, judged, until)

    def _verdict(self, question: Question, session: Session) -> QuestionResult:
        """The verdict on a question after a session's cells have run."""
        whole = self._jury.sound_findings(question, session, self._under_way.expected_of)
        found, reserved = whole.parted(self._under_way.reserved)
        named = self._jury.named(question, found.checks, session)
        shown = bool(reserved) or shows_values(found, session.sent.get(question.slug, ()))
        verdict = self._under_way.added_up(question, named if shown else withheld(named), session)
        verdict.checks.extend(reserved)
        if verdict.status not in ("wrong", "error") or question.slug in session.undefined:
            return verdict
        heard = session.heard.of(question.slug)
        return replace(verdict, fingerprint=fingerprint(named, heard))

"""Credit for what is right in an answer but for an earlier one that it rests on.

Theory of operation. A question that lost points and rests on earlier answers is judged a second
time, in a fresh box where the instructor's solutions stand in for those of them that are wrong;
when none is, for all of them, because an answer that passes its own checks may still harm those
that call it. A question rests on what the student's answer uses and on what the instructor's does.
Only the cells run on which it rests, so that an early mistake does not have every model trained
over and over. That is told from names, which do not tell of what a cell puts into a dictionary of
another. So where the answer breaks as it did not before, all cells run that the student wrote.

A check counts that holds in one of both: what is wrong with the question itself costs what it costs
alone. Where no earlier answer is wrong, and the first run came to an end, a second one counts only
if all checks hold: else an answer that does otherwise there would be a second guess for nothing.

The student's code can read the instructor's in that box, so as little of it as may be gets out: of
each check of the question whether it held, and if not, whether it failed in the same words: two
bits at most; and of the question, which known mistake explains all that failed: 11 bits at most.
Outputs, messages, pictures, flags, statuses and time of the second run are thrown away. What failed
in the same words is told in these, if no number is among them. All else is told as of the first
run, without numbers and pictures, which may show the earlier mistake instead of its own; a known
mistake that was recognised there is told.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nbformat import NotebookNode

from autograder.checking.kinds import CLAUSES, COMMON, OBSERVED
from autograder.course.assignments import Question
from autograder.grading.alone import JudgedIn, better, copied
from autograder.grading.dependencies import Dependencies
from autograder.grading.evidence import is_withheld
from autograder.grading.names import Readings
from autograder.grading.search import outcome
from autograder.grading.stand_ins import stand_in
from autograder.helper import Allowance
from autograder.results import sentences
from autograder.results.model import CheckResult, Diagnosis, QuestionResult, added, severest

NUMBER = re.compile(r"\d")


class FollowThrough:
    """Second runs of the questions of one submission."""

    def __init__(self, instructors: Dependencies, students: Dependencies) -> None:
        """What the questions rest on in the instructor's notebook, and in the submission."""
        self._instructors = instructors
        self._students = students
        self._answers: dict[str, str] = {}
        self._readings = Readings()

    def wrong(self, slug: str, verdicts: Mapping[str, QuestionResult]) -> list[str]:
        """The questions that `slug` rests on which are not right, by the `verdicts` so far."""
        return [name for name in self._earlier(slug) if verdicts[name].status != "ok"]

    def decides(self, first: QuestionResult, verdicts: Mapping[str, QuestionResult]) -> bool:
        """Whether only a second run can do more for a question than its `first` verdict.

        So it is where it rests on wrong answers, and where it hung: alone, it would hang as long.
        """
        hung = first.status == "timeout" and bool(self._earlier(first.slug))
        return hung or bool(self.wrong(first.slug, verdicts))

    def verdict(
        self,
        question: Question,
        verdicts: Mapping[str, QuestionResult],
        judged_in: JudgedIn,
        until: float = math.inf,
    ) -> QuestionResult:
        """The verdict so far, and what else holds on right earlier answers.

        `until`: when the time for that is over, a reading of `time.monotonic()` in seconds.
        """
        first, wrong = verdicts[question.slug], self.wrong(question.slug, verdicts)
        replaced = wrong or self._earlier(question.slug)
        if not replaced or first.status in ("ok", "unanswered"):
            return first
        second = self._again(question, first, replaced, judged_in, until, stays=bool(wrong))
        if second and second.status == "ok":
            checks = [CheckResult(c.name, c.title, c.points, passed=True) for c in second.checks]
            return replace(second, checks=checks, follow_through=replaced)
        if not wrong and first.status != "timeout":
            return first
        again = {check.name: check for check in second.checks} if second else {}
        known = _one_mistake(second) if second and wrong else None
        checks = [
            _told(check, again.get(check.name), known, details=not wrong) for check in first.checks
        ]
        gained = [check.passed for check in checks] != [check.passed for check in first.checks]
        return replace(
            first,
            status=severest(check.status for check in checks) if gained else first.status,
            score=added(check.points for check in checks if check.passed),
            checks=checks,
            follow_through=replaced if gained else wrong,
        )

    def _again(
        self,
        question: Question,
        first: QuestionResult,
        replaced: Sequence[str],
        judged_in: JudgedIn,
        until: float,
        *,
        stays: bool,
    ) -> QuestionResult | None:
        """The verdict of the second run; None where the time was over before it began.

        Then the same is told as of one that ran out of time: it must not tell what ran before.

        `stays`: see `_corrected`.
        """
        allowance = self._readings.allowance = Allowance(until - time.monotonic())
        answers = {name: self._answer(name, allowance) for name in replaced}
        cells = self._corrected(question.slug, answers, stays=stays)
        if time.monotonic() >= until:
            return None
        second = judged_in(question, cells)
        if stays and _breaks(second, first) and time.monotonic() < until:
            written = self._students.written_above(question.slug, answers, self._readings)
            second = better(second, judged_in(question, copied(written)))
        return second

    def _earlier(self, slug: str) -> list[str]:
        """The questions that `slug` rests on, in the student's work or in the instructor's."""
        found = {
            *self._instructors.earlier_questions(slug),
            *self._students.earlier_questions(slug),
        }
        return [name for name in self._instructors.slugs if name in found]

    def _answer(self, name: str, allowance: Allowance) -> str:
        """The instructor's answer to a question, to be called and looked into as the student's."""
        if name not in self._answers:
            students, instructors = self._students.source(name), self._instructors.source(name)
            self._answers[name] = stand_in(students, instructors, allowance)
        return self._answers[name]

    def _corrected(
        self, slug: str, answers: Mapping[str, str], *, stays: bool
    ) -> list[NotebookNode]:
        """The cells that `slug` rests on, with the `answers` in place of the student's.

        `stays`: whether they replace what the student's own cells below make of them, too.
        """
        corrected = self._students
        for name, answer in answers.items():
            corrected = corrected.answered(
                name, answer, keeps=True, stays=stays, readings=self._readings
            )
        return copied(corrected.cells(slug, besides=answers))


def _breaks(second: QuestionResult, first: QuestionResult) -> bool:
    """Whether a check raises in the second run as it did not in the first, or held there alone."""
    before = {check.name: check for check in first.checks}
    pairs = ((before.get(check.name, check), check) for check in second.checks if not check.passed)
    return second.status in ("wrong", "error") and any(
        was.passed or (check.status == "error" and check.message != was.message)
        for was, check in pairs
    )


def _one_mistake(second: QuestionResult) -> Diagnosis | None:
    """The known mistake that explains all that failed beside right earlier answers.

    So does what checks have seen by themselves there, where one sentence is all that it can say.
    """
    left = outcome(second.checks).left
    seen = left is not None and OBSERVED.get(left.name) == left.sentence
    return left if seen or _is_recognised(left) else None


def _told(
    check: CheckResult, again: CheckResult | None, known: Diagnosis | None, *, details: bool
) -> CheckResult:
    """A check of the first run, which counts also where it held in the second, if it ran there.

    `known`: the mistake of the question's own, which it failed by if it failed there as well.
    """
    if again and again.passed and not check.passed:
        return CheckResult(check.name, check.title, check.points, passed=True)
    if check.passed or details:
        return check
    own = again and check.message == again.message and not NUMBER.search(check.message)
    told = check if own else _without_details(check)
    return replace(told, diagnosis=known) if again and known and not is_withheld(told) else told


def _without_details(check: CheckResult) -> CheckResult:
    """A check that failed on the wrong earlier answers: what it saw there may be their fault."""
    if check.status != "wrong" or is_withheld(check):
        return check
    return CheckResult(
        check.name,
        check.title,
        check.points,
        passed=False,
        message=sentences.check_failed(check.title),
        status="wrong",
        diagnosis=check.diagnosis if _is_recognised(check.diagnosis) else None,
    )


def _is_recognised(diagnosis: Diagnosis | None) -> bool:
    """Whether it is that of a known mistake on right earlier answers, which the reply equals.

    What a check of the first run has seen by itself may be the doing of an earlier answer.
    """
    known = {*CLAUSES, *COMMON} - {*OBSERVED}
    return diagnosis is not None and (
        diagnosis.source in ("misconception", "part") or diagnosis.name in known
    )

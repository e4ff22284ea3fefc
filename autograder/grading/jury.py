"""The checks of an assignment, and what they say of the answers in a session."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from autograder.checking.asking import Student
from autograder.checking.expected import Expected
from autograder.checking.kinds import SEEN_AS
from autograder.checking.misconceptions import Misconception, misconceptions, replies_file
from autograder.course.assignments import Assignment, Question
from autograder.course.cells import grade_id, is_solution
from autograder.errors import BrokenCheck, UsageError
from autograder.grading.alone import POINTS_TOLERANCE
from autograder.grading.change_library import Library, name_kinds
from autograder.grading.check_package import CheckPackage
from autograder.grading.findings import Findings, broken
from autograder.grading.judge import Judge
from autograder.grading.mistakes import Mistakes, load
from autograder.grading.prints import Print
from autograder.grading.recognition import name_in_some_cases, name_misconceptions
from autograder.grading.session import Session
from autograder.grading.transcripts import Transcript, same
from autograder.results.model import CheckResult

ExpectedOf = Callable[[str], Expected]


class Jury:
    """Judges the questions of one assignment, of any number of submissions.

    Theory of operation. A check that raises something other than an assertion was given a reply
    that its author did not think of, or is broken. It is broken when it cannot judge the reply of
    the instructor's solution either; where a course has no solutions nobody can tell, and it
    counts as broken. Else the check has failed.
    """

    def __init__(
        self, assignment: Assignment, on_solution: Callable[[Question, ExpectedOf], Findings]
    ) -> None:
        """`on_solution` says what `findings` are on the instructor's answer to a question."""
        self._assignment = assignment
        self._on_solution = on_solution
        self._package = CheckPackage(assignment.checks)
        self._expected: dict[str, Expected] = {}
        self._listed: dict[str, dict[str, Misconception]] = {}
        self._known: dict[str, Mistakes] = {}
        self._kinds: dict[str, Library] = {}
        self._broken: dict[str, set[str]] = {}

    def close(self) -> None:
        """Ends it, and lets go of the modules of its checks."""
        self._package.close()

    def expected(self, slug: str) -> Expected:
        """The stored expected tensors of a question."""
        if slug not in self._expected:
            self._expected[slug] = Expected.load(self._assignment.expected_file(slug))
        return self._expected[slug]

    def aspects(self, slug: str) -> dict[str, str]:
        """By check of a battery of a question, the aspect that it looks at."""
        return self._judge.aspects(slug)

    def findings(self, question: Question, session: Session, expected_of: ExpectedOf) -> Findings:
        """What the checks of one question find in a session whose cells have run.

        Raises:
            Ungraded: they are not worth what the release says.
        """
        found = self._judge.findings(question.slug, session, expected_of, session.begin)
        worth = sum(check.points for check in found.checks)
        if abs(worth - question.points) > POINTS_TOLERANCE:
            raise BrokenCheck(
                f"the checks of {question.slug} are worth {worth:g} points, the release says "
                f"{question.points:g}{self._judge.overlooked(question.slug)}"
            )
        return found

    def sound_findings(
        self, question: Question, session: Session, expected_of: ExpectedOf
    ) -> Findings:
        """As `findings`, from checks that are not broken.

        Raises:
            Ungraded: one is.
        """
        found = self.findings(question, session, expected_of)
        for name, error in found.raised.items():
            if name in self._broken_checks(question, expected_of, set(found.raised)):
                raise broken(name, question.slug, error, self._assignment.checks) from error
        return found

    def asked(
        self,
        slug: str,
        check: str,
        student: Student,
        expected_of: ExpectedOf,
        begin: Callable[[str, str], None],
    ) -> CheckResult:
        """What one check of a question finds; `begin` is told that it is asked."""
        (found,) = self._judge.findings(slug, student, expected_of, begin, only=check).checks
        return found

    def afresh(
        self, question: Question, session: Session, expected_of: ExpectedOf
    ) -> list[CheckResult]:
        """The checks of a question on another answer in a session, with their diagnoses."""
        session.heard.forget(question.slug)
        student = session.anew()
        found = self._judge.findings(question.slug, student, expected_of, session.begin)
        return self.named(question, found.checks, session)

    def may_know(
        self, slug: str, check: str, transcript: Transcript, passed: Collection[str]
    ) -> bool:
        """Whether a known mistake says this in a check that it fails, and passes others."""
        self._load(slug)
        told = any(
            check in its.telling
            and same(its.transcripts[check], transcript)
            and its.transcripts.keys().isdisjoint(passed)
            for its in self._known[slug].known.values()
        )
        return told or self._kinds[slug].may_match({check: Print.of(transcript)}, passed)

    def kinds_of(
        self, slug: str, checks: Sequence[CheckResult], heard: Mapping[str, Transcript]
    ) -> set[str]:
        """The kinds of the small changes to a right answer that reply so."""
        failed = [check.name for check in checks if not check.passed]
        prints = {check: Print.of(heard.get(check, ())) for check in failed}
        return {kind for kind, _ in self._kinds[slug].matching(prints, failed)}

    def _load(self, slug: str) -> None:
        if slug not in self._known:
            self._listed[slug] = {one.name: one for one in misconceptions(self._assignment, slug)}
            self._known[slug] = load(replies_file(self._assignment, slug))
            self._kinds[slug] = Library.load(self._assignment.kinds_file(slug))

    def named(
        self, question: Question, checks: list[CheckResult], session: Session
    ) -> list[CheckResult]:
        """The checks of a question, the failed ones with the diagnosis of their mistake.

        That is what they resemble as a whole; else what a check has seen by itself; else what they
        resemble in the cases in which they are wrong.
        """
        slug = question.slug
        if all(check.passed for check in checks):
            return checks
        self._load(slug)
        sentences_of = self._listed[slug]
        heard = session.heard.of(slug)
        bare = [replace(check, diagnosis=None) for check in checks]
        mistakes = self._known[slug]
        known = name_misconceptions(bare, heard, mistakes.known, sentences_of)
        named = _said_as_seen(name_kinds(known, heard, self._kinds[slug]), checks)
        told = [
            found if found.diagnosis else seen for found, seen in zip(named, checks, strict=True)
        ]
        return name_in_some_cases(told, heard, mistakes, sentences_of)

    @cached_property
    def _judge(self) -> Judge:
        files = []
        solutions = {grade_id(c) for c in self._assignment.release.cells if is_solution(c)}
        for question in self._assignment.questions:
            if question.slug not in solutions:
                raise UsageError(
                    f"the question {question.slug} of {self._assignment.id} has no solution cell "
                    f"whose id is {question.slug}: give the cell above its check that id, and "
                    "generate the release again"
                )
            files.append(path := self._assignment.check_file(question.slug))
            if not path.is_file():
                raise UsageError(
                    f"the question {question.slug} of {self._assignment.id} has no {path.name}"
                )
        return Judge(files, self._package)

    def _broken_checks(
        self, question: Question, expected_of: ExpectedOf, suspects: set[str]
    ) -> set[str]:
        if not self._assignment.source_path.is_file():
            return suspects
        if question.slug not in self._broken:
            self._broken[question.slug] = set(self._on_solution(question, expected_of).raised)
        return self._broken[question.slug]


def _said_as_seen(named: list[CheckResult], seen: Sequence[CheckResult]) -> list[CheckResult]:
    """The checks that are named by kinds, in the words of a check that saw the kind by itself."""
    own = {check.diagnosis.name: check.diagnosis.sentence for check in seen if check.diagnosis}

    def said(check: CheckResult) -> CheckResult:
        known = check.diagnosis
        if known is None or known.source != "kind":
            return check
        better = [own[name] for name in SEEN_AS.get(known.name, ()) if name in own]
        return replace(check, diagnosis=replace(known, sentence=better[0])) if better else check

    return [said(check) for check in named]

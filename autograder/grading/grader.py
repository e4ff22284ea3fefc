"""Grading one submission: repair, run in a box, judge by the hidden checks, add up."""

from __future__ import annotations

import ast
import hashlib
import json
import time
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from nbformat import NotebookNode

from autograder.box.outside.client import Zygote
from autograder.checking.expected import Expected
from autograder.checking.misconceptions import misconceptions
from autograder.course.assignments import Assignment, Question
from autograder.course.limits import Limits
from autograder.errors import Ungraded, ZygoteGone
from autograder.grading.check_package import CheckPackage
from autograder.grading.dependencies import Dependencies, parsed
from autograder.grading.follow_through import follow_through
from autograder.grading.judge import Findings, Judge
from autograder.grading.recognition import Known, load, name_misconceptions
from autograder.grading.session import Session
from autograder.intake.submission import Repaired, repair
from autograder.results import sentences
from autograder.results.model import CheckResult, Graded, QuestionResult, SubmissionResult, severest

POINTS_TOLERANCE = 1e-9
DEATHS = 3  # zygotes lost over one submission, before it is given up


class Grader:
    """Grades submissions of one assignment from one warm zygote. A context manager."""

    def __init__(
        self,
        assignment: Assignment,
        limits: Limits | None = None,
        *,
        follows_through: bool = True,
    ) -> None:
        self.assignment = assignment
        self.limits = limits or Limits()
        self._follows_through = follows_through and assignment.source_path.is_file()
        self._expected: dict[str, Expected] = {}
        self._known: dict[str, dict[str, Known]] = {}
        self._judges: dict[tuple[Path, ...], Judge] = {}
        self._checks = CheckPackage(assignment.checks)
        self.zygote = self._new_zygote()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self.zygote.close()

    def _new_zygote(self) -> Zygote:
        return Zygote(imported_modules(self.assignment.release), self.assignment.hidden_folders())

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
        expected_of: Callable[[str], Expected] | None = None,
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
                last = gone
                _clear_outputs(repaired.notebook)
        raise Ungraded(f"crash: {DEATHS} zygotes ended while they graded it; {last}") from last

    def _graded(
        self,
        repaired: Repaired,
        name: str,
        expected_of: Callable[[str], Expected] | None,
    ) -> Graded:
        started = time.monotonic()
        questions = self.assignment.questions
        with self.session(repaired.notebook) as session:
            session.run_cells()
            findings = self._judge(questions, session, expected_of or self.expected)
            verdicts = [
                _verdict(question, self._named(question, findings, session), session, repaired)
                for question in questions
            ]
        if self._follows_through and any(verdict.status != "ok" for verdict in verdicts):
            verdicts = follow_through(
                repaired.notebook,
                questions,
                verdicts,
                self.dependencies,
                self.session,
                self.judged,
            )
        result = SubmissionResult(
            assignment=self.assignment.id,
            submission=name,
            status="graded",
            score=sum(verdict.score for verdict in verdicts),
            max_score=sum(question.points for question in questions),
            sandbox=self.zygote.tier,
            seconds=round(time.monotonic() - started, 3),
            flags=[*repaired.flags, *session.flags],
            questions=verdicts,
        )
        return Graded(result, repaired.notebook)

    def session(self, notebook: NotebookNode) -> Session:
        """A run of `notebook` in a box of its own, whose random numbers follow from its text."""
        text = json.dumps([cell.source for cell in notebook.cells])
        release = self.assignment.release_path.parent
        return Session(
            self.zygote,
            notebook,
            [question.slug for question in self.assignment.questions],
            self.limits,
            {str(path.relative_to(release)): path for path in self.assignment.assets()},
            seed=int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]),
        )

    def judged(
        self,
        question: Question,
        session: Session,
        expected_of: Callable[[str], Expected] | None = None,
    ) -> list[CheckResult]:
        """What the checks of one question find in a session whose cells have run."""
        findings = self._judge([question], session, expected_of or self.expected)
        return self._named(question, findings, session)

    @cached_property
    def dependencies(self) -> Dependencies:
        """What the questions rest on in the instructor's notebook.

        Raises:
            UsageError: the course has no source of this assignment.
        """
        return Dependencies(self.assignment, self.assignment.solved)

    def expected(self, slug: str) -> Expected:
        """The stored expected tensors of a question."""
        if slug not in self._expected:
            self._expected[slug] = Expected.load(self.assignment.expected_file(slug))
        return self._expected[slug]

    def _judge(
        self,
        questions: Iterable[Question],
        session: Session,
        expected_of: Callable[[str], Expected],
    ) -> Findings:
        files = tuple(self._check_file(question.slug) for question in questions)
        if files not in self._judges:
            self._judges[files] = Judge(files, self._checks)
        findings = self._judges[files].findings(session, expected_of, session.begin)
        for question in questions:
            worth = sum(check.points for check in findings.get(question.slug, []))
            if abs(worth - question.points) > POINTS_TOLERANCE:
                raise Ungraded(
                    f"the checks of {question.slug} are worth {worth:g} points, "
                    f"the release says {question.points:g}"
                )
        return findings

    def _named(self, question: Question, findings: Findings, session: Session) -> list[CheckResult]:
        """The checks of a question, the failed ones with the misconception they show."""
        slug = question.slug
        checks = findings[slug]
        if all(check.passed for check in checks):
            return checks
        if slug not in self._known:
            path = self.assignment.misconceptions_file(slug)
            self._known[slug] = load(path.with_suffix(".safetensors"))
        sentences_of = {one.name: one for one in misconceptions(self.assignment, slug)}
        return name_misconceptions(
            checks, session.heard.get(slug, {}), self._known[slug], sentences_of
        )

    def _check_file(self, slug: str) -> Path:
        path = self.assignment.check_file(slug)
        if not path.is_file():
            raise Ungraded(f"the question {slug} of {self.assignment.id} has no {path.name}")
        return path


def _verdict(
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
    score = sum(check.points for check in passed)
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
        max_score=sum(question.points for question in assignment.questions),
        sandbox="none",
        seconds=0.0,
        flags=[],
        questions=questions,
        reason=reason,
    )


def _clear_outputs(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None


def imported_modules(notebook: NotebookNode) -> list[str]:
    """What a notebook's code cells import, for the zygote to load ahead: `os.path`, `torch.nn`.

    A name taken out of a module stands behind its dot: some modules load their parts when asked.
    """
    found: dict[str, None] = {}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        for node in ast.walk(parsed(cell.source)):
            if isinstance(node, ast.Import):
                found.update(dict.fromkeys(alias.name for alias in node.names))
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [alias.name for alias in node.names if alias.name != "*"]
                found.update(dict.fromkeys([node.module, *(f"{node.module}.{n}" for n in names)]))
    return list(found)

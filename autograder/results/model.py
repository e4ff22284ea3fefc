"""The result of grading one submission: the one model behind every format."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from autograder.results.fingerprint import Fingerprint

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from autograder.course.pace import Pace

SCHEMA = 1
DECIMALS = 6  # of points
_DERIVED = ("misconception", "explanation")

Status = Literal[
    "ok",
    "wrong",
    "error",
    "unanswered",
    "timeout",
    "memory",
    "output",
    "bad_reply",
    "crash",
    "ungraded",
]
STATUSES: tuple[Status, ...] = get_args(Status)
LOST: frozenset[Status] = frozenset({"timeout", "memory", "output", "bad_reply", "crash"})
"""Those of checks that the answer hung in, or broke off: what it would have replied is unknown."""

Verdict = Literal["out-of-reach", "in-box"]


def severest(statuses: Iterable[Status]) -> Status:
    """The worst of `statuses`, which are listed mildest first; "ok" when there are none."""
    return max(statuses, key=STATUSES.index, default="ok")


def added(points: Iterable[float]) -> float:
    """The sum of points, so that all parts of 8 are 8 and not 7.999999999999999."""
    return round(math.fsum(points), DECIMALS)


@dataclass(frozen=True)
class ErrorMap:
    """Where a tensor is wrong, without its values.

    Attributes:
        name: what the tensor is called.
        shape: its sizes.
        levels: a small table, last dimension across and all others down: 0 where all numbers of a
            field are right, then 1 to 4 by quarters of those that are wrong.
    """

    name: str
    shape: list[int]
    levels: list[list[int]]


@dataclass(frozen=True)
class Diagnosis:
    """What is known of a wrong answer beyond that it is wrong.

    Attributes:
        source: what tells it: a known wrong answer, that answer as a part of what is wrong, a kind
            of mistake, what the cases have in common in which alone it is wrong, a place in the
            student's own code where one change makes it right, or what is true of many mistakes.
        name: of the misconception, or of the kind.
        sentence: for the student.
    """

    source: Literal["misconception", "part", "kind", "case", "place", "broad"]
    name: str
    sentence: str


@dataclass(frozen=True)
class CheckResult:
    """What one check found.

    Attributes:
        name: the check's name, stable over time.
        title: what the check looks at, one sentence for the student.
        points: what passing it is worth.
        message: why it failed; empty when it passed.
        status: "ok" when passed; otherwise what stood in the way.
        diagnosis: what the wrong answer shows, if it is known.
        error_map: where compared values are wrong, if that is why it failed.
    """

    name: str
    title: str
    points: float
    passed: bool
    message: str = ""
    status: Status = "ok"
    diagnosis: Diagnosis | None = None
    error_map: ErrorMap | None = None

    @property
    def is_lost(self) -> bool:
        """Whether the answer hung, or broke off."""
        return self.status in LOST

    @property
    def is_open(self) -> bool:
        """Whether nothing is known of what is wrong but, at most, in which cases it is."""
        return self.diagnosis is None or self.diagnosis.source == "case"

    @property
    def misconception(self) -> str | None:
        """The name of the known wrong answer that matches, if any."""
        known = self.diagnosis is not None and self.diagnosis.source == "misconception"
        return self.diagnosis.name if self.diagnosis and known else None


@dataclass(frozen=True)
class QuestionResult:
    """The verdict of one question: a status and the points of its passed checks.

    Attributes:
        follow_through: slugs of the earlier answers for which the instructor's stood in when this
            question was graded a second time; empty when it was not, or when it gained nothing
            beside earlier answers that were right.
        fingerprint: of a wrong answer's replies; None where they tell nothing. Only instructors
            are told.
    """

    slug: str
    status: Status
    score: float
    max_score: float
    checks: list[CheckResult] = field(default_factory=list)
    follow_through: list[str] = field(default_factory=list)
    fingerprint: Fingerprint | None = None

    def as_dict(self) -> dict[str, Any]:
        """The verdict as the JSON object that the command line prints."""
        return {
            "slug": self.slug,
            "status": self.status,
            "score": self.score,
            "max_score": self.max_score,
            "checks": [_check_as_dict(check) for check in self.checks],
            "follow_through": self.follow_through,
        }

    def as_record(self) -> dict[str, Any]:
        """As `as_dict`, with what only instructors are told."""
        printed = self.fingerprint
        return {**self.as_dict(), **({"fingerprint": asdict(printed)} if printed else {})}

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Self:
        """The verdict that `as_dict` or `as_record` wrote."""
        printed = found.get("fingerprint")
        made = {
            "checks": [_check_from_dict(check) for check in found["checks"]],
            "fingerprint": printed and Fingerprint(**printed),
        }
        return cls(**{**found, **made})


@dataclass(frozen=True)
class SubmissionResult:
    """The verdict of one submission.

    Attributes:
        submission: the notebook's path as the user gave it.
        sandbox: tier of isolation its code ran under.
        seconds: wall clock from the first cell to the last check, without second runs.
        flags: what was repaired or left out, one sentence each.
        reason: why it is ungraded; empty otherwise.
        verdict: where it was made: out of reach of the student's code, or in the box with it.
    """

    assignment: str
    submission: str
    status: Literal["graded", "ungraded"]
    score: float
    max_score: float
    sandbox: str
    seconds: float
    flags: list[str]
    questions: list[QuestionResult]
    reason: str = ""
    verdict: Verdict = "out-of-reach"

    def as_dict(self) -> dict[str, Any]:
        """The result as the JSON object that the command line prints."""
        return self._with([question.as_dict() for question in self.questions])

    def as_record(self) -> dict[str, Any]:
        """As `as_dict`, with what only instructors are told."""
        return self._with([question.as_record() for question in self.questions])

    def _with(self, questions: list[dict[str, Any]]) -> dict[str, Any]:
        fields = {"schema": SCHEMA, **vars(self), "questions": questions}
        if not self.reason:
            del fields["reason"]
        return fields

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Self:
        """The result that `as_dict` or `as_record` wrote."""
        fields = {name: value for name, value in found.items() if name != "schema"}
        fields["questions"] = [
            QuestionResult.from_dict(question) for question in found["questions"]
        ]
        return cls(**fields)

    def question(self, slug: str) -> QuestionResult:
        """The verdict of question `slug`.

        Raises:
            KeyError: the assignment has no such question.
        """
        for question in self.questions:
            if question.slug == slug:
                return question
        raise KeyError(slug)


@dataclass(frozen=True)
class Graded:
    """A verdict, and the notebook as it ran.

    Attributes:
        pace: seconds of the processor that its cells and probes took; None of a kept verdict.
    """

    result: SubmissionResult
    notebook: NotebookNode
    pace: Pace | None = field(default=None, compare=False)


def _check_as_dict(check: CheckResult) -> dict[str, Any]:
    parts = {
        "diagnosis": check.diagnosis and asdict(check.diagnosis),
        "error_map": check.error_map and asdict(check.error_map),
    }
    return {**vars(check), **parts, "misconception": check.misconception}


def _check_from_dict(found: dict[str, Any]) -> CheckResult:
    fields = {name: value for name, value in found.items() if name not in _DERIVED}
    told, drawn = found.get("diagnosis"), found.get("error_map")
    if found.get("misconception") and not told:  # stored before there was a diagnosis
        told = {
            "source": "misconception",
            "name": found["misconception"],
            "sentence": found.get("explanation", ""),
        }
    fields |= {"diagnosis": told and Diagnosis(**told), "error_map": drawn and ErrorMap(**drawn)}
    return CheckResult(**fields)

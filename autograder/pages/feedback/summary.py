"""The top of a feedback page: each question's score in words, and which to look at first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from nbformat import NotebookNode

from autograder.course.cells import CHECK_PREFIX, grade_id, is_graded, is_solution, is_task
from autograder.results.model import CheckResult, QuestionResult, Status
from autograder.results.text import Said, said_once

State = Literal["full", "part", "none", "open", "waiting"]

STATUS_WORDS: Mapping[Status, str] = {
    "ok": "right",
    "wrong": "not right yet",
    "error": "raised an error",
    "unanswered": "not answered",
    "timeout": "ran out of time",
    "memory": "needed too much memory",
    "output": "wrote too much",
    "bad_reply": "could not be judged",
    "crash": "ended the Python process",
    "ungraded": "not graded",
}
_STATE_WORDS: Mapping[State, str] = {
    "full": "all points",
    "part": "part of the points",
    "none": "no points yet",
    "open": "nothing earned yet",
    "waiting": "waits for your instructor",
}
_MADE_UP_ID = re.compile(r"cell-[0-9a-f]{16}")  # nbgrader's, where the author gave none


@dataclass(frozen=True)
class Row:
    """One graded cell.

    Attributes:
        anchor: where on the page its verdict stands.
        state: all points, a part, none, open (not answered, or a bonus not earned), or waiting
            for a person.
        status: the same in words.
        question: what the checks found; None where no result says it.
        by_hand: whether a person set the score.
    """

    anchor: str
    title: str
    score: float
    max_score: float
    state: State
    status: str
    question: QuestionResult | None = None
    by_hand: bool = False
    extra_credit: float = 0.0

    @property
    def lost(self) -> float:
        return 0.0 if self.state == "waiting" else max(self.max_score - self.score, 0.0)

    @property
    def share(self) -> float:
        """Percent of the points that are earned."""
        if not self.max_score:
            return 100.0 if self.state == "full" else 0.0
        return 100 * min(max(self.score / self.max_score, 0.0), 1.0)

    @property
    def passed(self) -> int:
        return sum(check.passed for check in self.question.checks) if self.question else 0

    @property
    def one_message(self) -> str:
        """What all its checks say alike, to be said once."""
        checks = self.question.checks if self.question else []
        said = {check.message for check in checks}
        return said.pop() if len(checks) > 1 and len(said) == 1 else ""

    @property
    def checks(self) -> list[tuple[CheckResult, Said]]:
        """Its checks, each with what is still to be said of it."""
        checks = self.question.checks if self.question else []
        told = said_once(checks)
        if self.one_message:
            told = [said._replace(message="") for said in told]
        return list(zip(checks, told, strict=True))


@dataclass(frozen=True)
class FirstLook:
    """Which question to look at first.

    Attributes:
        later: titles of the questions that rest on it and were graded a second time.
        hint: the most useful thing that its checks say, if any.
    """

    row: Row
    later: list[str]
    hint: str


def has_score(cell: NotebookNode) -> bool:
    return is_graded(cell) or is_task(cell)


def row_of(cell: NotebookNode, number: int, question: QuestionResult | None) -> Row:
    """The verdict on the graded cell that is `number`th of its notebook."""
    settings = cell.metadata.nbgrader
    score, most = float(settings.get("score") or 0.0), float(settings.get("points") or 0.0)
    waiting, by_hand = bool(settings.get("waiting")), bool(settings.get("by_hand"))
    unwritten = is_solution(cell) and settings.get("waiting") is False and not by_hand
    state: State
    if unwritten or (question is not None and question.status == "unanswered" and score <= 0):
        state, status = "open", STATUS_WORDS["unanswered"]
    elif waiting:
        state, status = "waiting", _STATE_WORDS["waiting"]
    else:
        state = _state(score, most, question)
        by_person = by_hand or is_solution(cell) or is_task(cell)
        status = "graded by your instructor" if by_person else _status(state, question)
    return Row(
        anchor=f"question-{number}",
        title=human(grade_id(cell) or "", number),
        score=score,
        max_score=most,
        state=state,
        status=status,
        question=question,
        by_hand=by_hand,
        extra_credit=float(settings.get("extra_credit") or 0.0),
    )


def _state(score: float, most: float, question: QuestionResult | None) -> State:
    if most <= 0 and question is not None and question.status != "ok":
        return "open"
    if score >= most:
        return "full"
    return "part" if score > 0 else "none"


def _status(state: State, question: QuestionResult | None) -> str:
    if question is None:
        return _STATE_WORDS[state]
    if question.status == "wrong" and state == "part":
        return "partly right"
    return STATUS_WORDS[question.status]


def human(name: str, number: int) -> str:
    """A title made of a slug or grade_id; one that nbgrader made up becomes a number."""
    if _MADE_UP_ID.fullmatch(name):
        return f"Question {number}"
    words = name.removeprefix(CHECK_PREFIX).replace("_", " ").strip() or name
    return words[:1].upper() + words[1:]


def first_look(rows: Sequence[Row]) -> FirstLook | None:
    """Where most points are to be had: by a question itself and by those that rest on it.

    Of several the earliest; what was not answered counts like what was answered wrongly.
    """
    losing = [row for row in rows if row.lost > 0]
    if not losing:
        return None
    row = max(losing, key=lambda row: row.lost + sum(r.lost for r in _resting_on(row, rows)))
    return FirstLook(row, [later.title for later in _resting_on(row, rows)], _hint(row))


def _resting_on(row: Row, rows: Sequence[Row]) -> list[Row]:
    slug = row.question.slug if row.question else None
    return [other for other in rows if other.question and slug in other.question.follow_through]


def _hint(row: Row) -> str:
    failed = [check for check in row.question.checks if not check.passed] if row.question else []
    said = [Said.of(check) for check in failed]
    texts = [one.cause for one in said] + [one.message for one in said]
    return next((text for text in texts if text), "").partition("\n")[0]

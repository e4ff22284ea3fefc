"""Results as text: for a terminal, and for the graded cell that a student reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autograder.results import sentences
from autograder.results.model import CheckResult, QuestionResult, SubmissionResult
from autograder.results.plain import one_line, straight


class Said(NamedTuple):
    """What is said of a check: why it failed, and what the diagnosis is; empty for nothing."""

    message: str
    cause: str

    @classmethod
    def of(cls, check: CheckResult) -> Said:
        """All that there is to say."""
        return cls(check.message, check.diagnosis.sentence if check.diagnosis else "")

    @property
    def lines(self) -> list[str]:
        """The same, line by line."""
        return [straight(line) for text in self for line in text.splitlines()]


def check_lines(check: CheckResult, said: Said | None = None) -> list[str]:
    """One check: its mark, points and rule, and beneath it why it failed, or what is `said`."""
    mark = "passed" if check.passed else "FAILED"
    earned = check.points if check.passed else 0.0
    lines = [f"[{mark}] {earned:g}/{check.points:g}  {check.title}"]
    return lines + [f"         {line}" for line in (said or Said.of(check)).lines]


def said_once(checks: Sequence[CheckResult]) -> list[Said]:
    """What is said of each check; what an earlier check said already is not said again."""
    told: set[str] = set()
    found = []
    for check in checks:
        message, cause = Said.of(check)
        again = message in told
        found.append(Said(sentences.AS_ABOVE if again else message, "" if cause in told else cause))
        told |= {message, cause} - {""}
    return found


def question_text(question: QuestionResult) -> str:
    """What a student reads beneath a question."""
    head = (
        f"{question.slug}: {question.status}, {question.score:g} of {question.max_score:g} points"
    )
    lines = [
        line
        for check, said in zip(question.checks, said_once(question.checks), strict=True)
        for line in check_lines(check, said)
    ]
    if question.follow_through:
        all_right = question.score == question.max_score
        said = sentences.followed_through(question.follow_through, all_right=all_right)
        lines.insert(0, said)
    return "\n".join([head, *lines])


def submission_text(result: SubmissionResult) -> str:
    """A whole verdict for the terminal."""
    head = f"{one_line(result.submission)}: {result.assignment}"
    if result.status == "ungraded":
        return f"{head}\nUNGRADED: {one_line(result.reason)}"
    total = f"{result.score:g} of {result.max_score:g} points"
    place = ", in-box" if result.verdict == "in-box" else ""
    facts = f"in {result.seconds:.2f} s, sandbox {result.sandbox}{place}"
    lines = [f"{head}: {total} {facts}", *(f"  note: {one_line(flag)}" for flag in result.flags)]
    for question in result.questions:
        lines += [f"  {line}" for line in question_text(question).splitlines()]
    return "\n".join(lines)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Columns aligned, the first to the left, a rule beneath the header."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def exact(points: float) -> str:
    """Points without decimals that say nothing."""
    return f"{round(points, 4):g}"


def gained(points: float) -> str:
    """A gain or a loss of points."""
    return f"{'+' if points > 0 else ''}{exact(points)}"

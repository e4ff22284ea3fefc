"""Results as text: for a terminal, and for the graded cell that a student reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.results import sentences
from autograder.results.model import CheckResult, QuestionResult, SubmissionResult
from autograder.results.plain import plain


def check_lines(check: CheckResult, message: str | None = None) -> list[str]:
    """One check: its mark, points and rule, and beneath it why it failed, or another message."""
    mark = "passed" if check.passed else "FAILED"
    earned = check.points if check.passed else 0.0
    lines = [f"[{mark}] {earned:g}/{check.points:g}  {check.title}"]
    told = check if message is None else replace(check, message=message)
    return lines + [f"         {line}" for line in said(told)]


def said_once(checks: Sequence[CheckResult]) -> list[str]:
    """The message of each check; what an earlier check said already is not said again."""
    told: set[str] = set()
    messages = []
    for check in checks:
        again = check.message in told
        messages.append(sentences.AS_ABOVE if again and check.message else check.message)
        told.add(check.message)
    return messages


def said(check: CheckResult) -> list[str]:
    """Why a check failed, line by line; nothing of one that passed."""
    return [plain(line) for line in [*check.message.splitlines(), *check.explanation.splitlines()]]


def question_text(question: QuestionResult) -> str:
    """What a student reads beneath a question."""
    head = (
        f"{question.slug}: {question.status}, {question.score:g} of {question.max_score:g} points"
    )
    messages = said_once(question.checks)
    lines = [
        line
        for check, message in zip(question.checks, messages, strict=True)
        for line in check_lines(check, message)
    ]
    if question.follow_through:
        lines.insert(0, sentences.followed_through(question.follow_through))
    return "\n".join([head, *lines])


def submission_text(result: SubmissionResult) -> str:
    """A whole verdict for the terminal."""
    head = f"{plain(result.submission)}: {result.assignment}"
    if result.status == "ungraded":
        return f"{head}\nUNGRADED: {plain(result.reason)}"
    total = f"{result.score:g} of {result.max_score:g} points"
    place = ", in-box" if result.verdict == "in-box" else ""
    facts = f"in {result.seconds:.2f} s, sandbox {result.sandbox}{place}"
    lines = [f"{head}: {total} {facts}", *(f"  note: {plain(flag)}" for flag in result.flags)]
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

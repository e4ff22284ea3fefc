"""What earlier verdicts said of each student's answers: only ever appended, for instructors alone.

`history/<student>/<assignment>.jsonl` in the course has a line for each verdict that was recorded
and says something new. A line names the work that was handed in by a digest of its code: lines that
follow each other with the same digest are verdicts on one attempt, of which the last holds. Work
that is graded again after a change of a check is therefore no new attempt, and a verdict that says
the same again is no new line.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from filelock import FileLock

from autograder.results.fingerprint import Fingerprint
from autograder.results.model import Diagnosis, QuestionResult, Status, SubmissionResult

HISTORY = "history"
LOCK = ".lock"


@dataclass(frozen=True)
class Answer:
    """What a verdict said of one answer.

    Attributes:
        told: its diagnoses, each once.
        fingerprint: of replies that show the answer's own mistake; None for others.
    """

    status: Status
    told: list[Diagnosis] = field(default_factory=list)
    fingerprint: Fingerprint | None = None

    @classmethod
    def of(cls, question: QuestionResult) -> Self:
        """What is kept of a verdict."""
        told = dict.fromkeys(check.diagnosis for check in question.checks if check.diagnosis)
        own = None if question.follow_through else question.fingerprint
        return cls(question.status, list(told), own)

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Self:
        """What `asdict` made of one."""
        printed = found.get("fingerprint")
        told = [Diagnosis(**one) for one in found["told"]]
        return cls(found["status"], told, printed and Fingerprint(**printed))


@dataclass(frozen=True)
class Attempt:
    """What a student handed in, and the last verdict on it.

    Attributes:
        submitted: the digest of its code.
        answers: by question.
    """

    submitted: str
    answers: dict[str, Answer]


class History:
    """The history of one assignment in the course at `root`."""

    def __init__(self, root: Path, assignment: str) -> None:
        self._folder = root / HISTORY
        self._name = f"{assignment}.jsonl"

    def add(self, student: str, submitted: str, result: SubmissionResult) -> None:
        """Notes a verdict on the work with the digest `submitted`, unless it says nothing new.

        Raises:
            OSError: it cannot be written.
        """
        answers = {question.slug: asdict(Answer.of(question)) for question in result.questions}
        line = json.dumps({"submitted": submitted, "answers": answers})
        path = self._folder / student / self._name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(self._folder / LOCK):
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            if text.endswith(f"{line}\n") and text.splitlines()[-1] == line:
                return
            torn = "\n" if text and not text.endswith("\n") else ""
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with open(descriptor, "a", encoding="utf-8") as file:
                file.write(f"{torn}{line}\n")

    def attempts(self) -> dict[str, list[Attempt]]:
        """By student, what they handed in, the earliest first."""
        found = {}
        for path in sorted(self._folder.glob("*/")):
            file = path / self._name
            if file.is_file():
                found[path.name] = _attempts(file.read_text(encoding="utf-8"))
        return found


def _attempts(text: str) -> list[Attempt]:
    found: list[Attempt] = []
    for line in text.splitlines():
        try:
            kept = json.loads(line)
            answers = {slug: Answer.from_dict(one) for slug, one in kept["answers"].items()}
            one = Attempt(kept["submitted"], answers)
        except (ValueError, KeyError, TypeError, AttributeError):  # of a run that was ended
            continue
        if found and found[-1].submitted == one.submitted:
            found.pop()
        found.append(one)
    return found

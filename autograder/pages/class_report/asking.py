"""What a class asked the check service: how many attempts a question takes, where students are
stuck, and whether the sentences teach.

Definitions, as the pages show them:

- An *attempt* is one answered question; asking the same again is none.
- A student is *stuck* when their last attempt at a question was not right.
- A mistake was *not made again* when the student's next attempt, after they were first told the
  sentence, no longer got it.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MOST_TOLD = 12  # sentences that a page lists of a question


@dataclass(frozen=True)
class Ask:
    """One attempt.

    Attributes:
        digest: of what was asked; equal ones are one attempt.
        sentences: what was told of the checks that failed.
    """

    student: str
    question: str
    digest: str
    passed: bool
    sentences: Sequence[str]


@dataclass(frozen=True)
class Told:
    """What one sentence did; all are numbers of students.

    Attributes:
        stuck: whose last attempt got it.
        again: of those who were told it, who asked once more.
        mended: of these, whose next attempt no longer got it.
    """

    sentence: str
    students: int
    stuck: int
    again: int
    mended: int


@dataclass(frozen=True)
class Asking:
    """What was asked about one question.

    Attributes:
        until_right: the attempts of each student who came to the right answer, few first.
        stuck: students whose last attempt was not right.
    """

    question: str
    students: int
    stuck: int
    until_right: list[int]
    told: list[Told]

    @property
    def median(self) -> float | None:
        """Attempts until right, in the middle; None where nobody is right yet."""
        return statistics.median(self.until_right) if self.until_right else None


def asking(asks: Iterable[Ask], order: Sequence[str]) -> list[Asking]:
    """What was asked about each question in `order`, of attempts in the order of time."""
    found: dict[str, dict[str, list[Ask]]] = {slug: defaultdict(list) for slug in order}
    for ask in asks:
        if ask.question in found:
            own = found[ask.question][ask.student]
            if all(ask.digest != earlier.digest for earlier in own):
                own.append(ask)
    return [_asking(slug, by_student) for slug, by_student in found.items() if by_student]


def _asking(slug: str, by_student: dict[str, list[Ask]]) -> Asking:
    all_asks = by_student.values()
    right = (next((n for n, ask in enumerate(asks, 1) if ask.passed), 0) for asks in all_asks)
    return Asking(
        slug,
        len(by_student),
        sum(not asks[-1].passed for asks in all_asks),
        sorted(count for count in right if count),
        _told(by_student),
    )


def _told(by_student: dict[str, list[Ask]]) -> list[Told]:
    told, stuck, again, mended = (Counter[str]() for _ in range(4))
    for asks in by_student.values():
        first: dict[str, int] = {}
        for number, ask in enumerate(asks):
            for sentence in ask.sentences:
                first.setdefault(sentence, number)
        told.update(first.keys())
        stuck.update(set(asks[-1].sentences))
        for sentence, number in first.items():
            if number + 1 < len(asks):
                again[sentence] += 1
                mended[sentence] += sentence not in asks[number + 1].sentences
    found = [Told(one, told[one], stuck[one], again[one], mended[one]) for one in told]
    return sorted(found, key=lambda one: (-one.stuck, -one.students, one.sentence))

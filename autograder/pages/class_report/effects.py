"""What the sentences of a class did: who was told, handed in again, and made no such mistake then.

Definitions, as the class report shows them:

- A sentence was *told* when the last verdict on something that a student handed in says it.
- They *handed in again* when other code of theirs was graded after that.
- They *no longer make* the mistake when the verdict on their latest work does not show it, with
  whatever sentence; their answer may be wrong in another way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.results.history import Attempt
from autograder.results.model import Diagnosis
from autograder.results.sentences import in_whatever_cases

PLACE = "The line of their own code in which one change makes the answer right."

Mistake = tuple[str, str, str]
"""A question, and what its diagnosis is: source and name."""


@dataclass
class Effect:
    """What one sentence did.

    Attributes:
        told: students whom it was told.
        again: those of them who handed in again.
        gone: those of them who no longer make the mistake.
        right: those of them whose answer is right.
    """

    slug: str
    name: str
    sentence: str
    told: list[str] = field(default_factory=list)
    again: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    right: list[str] = field(default_factory=list)


def effects(history: Mapping[str, Sequence[Attempt]]) -> list[Effect]:
    """Every sentence that was told, those after which most handed in again first."""
    found: dict[tuple[Mistake, str], Effect] = {}
    for student, attempts in sorted(history.items()):
        for (mistake, sentence), since in _first_told(attempts).items():
            slug, _, name = mistake
            effect = found.setdefault((mistake, sentence), Effect(slug, name, sentence))
            _count(effect, student, mistake, attempts[since:])
    return sorted(found.values(), key=lambda one: (-len(one.again), -len(one.told)))


def _first_told(attempts: Sequence[Attempt]) -> dict[tuple[Mistake, str], int]:
    """Every sentence by the number of the attempt after which it was first told."""
    found: dict[tuple[Mistake, str], int] = {}
    for number, attempt in enumerate(attempts):
        for slug, answer in attempt.answers.items():
            for one in answer.told:
                if sentence := told_to_all(one):
                    found.setdefault((_mistake(slug, one), sentence), number)
    return found


def told_to_all(one: Diagnosis) -> str:
    """The sentence of a diagnosis, for all whom it was told: lines and cases differ by answer."""
    return PLACE if one.source == "place" else in_whatever_cases(one.sentence)


def _mistake(slug: str, told: Diagnosis) -> Mistake:
    return slug, told.source, "" if told.source == "place" else told.name


def _count(effect: Effect, student: str, mistake: Mistake, since: Sequence[Attempt]) -> None:
    """Counts a student whom the sentence was told after the first of the attempts `since`."""
    effect.told.append(student)
    if len(since) == 1:
        return
    effect.again.append(student)
    latest = since[-1].answers.get(effect.slug)
    if latest is None or mistake in _mistakes(effect.slug, latest.told):
        return
    effect.gone.append(student)
    if latest.status == "ok":
        effect.right.append(student)


def _mistakes(slug: str, told: Iterable[Diagnosis]) -> set[Mistake]:
    return {_mistake(slug, one) for one in told}

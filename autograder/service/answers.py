"""What a student is told of a verdict: as much as the policy reveals, and nothing of what it keeps.

A reserved check is judged and never shown: it stands in nothing here but in how many there are.
Texts are those of the feedback page. They are plain text, to be shown as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograder.errors import Ungraded
from autograder.pages.feedback.summary import STATUS_WORDS
from autograder.results.model import CheckResult, QuestionResult, Status, added, severest
from autograder.results.plain import straight
from autograder.results.text import said_once
from autograder.service.policy import REVEALS, Allowance, Policy, Reveal


@dataclass(frozen=True)
class Shown:
    """The part of a verdict that a student may hear of.

    Attributes:
        reserved: how many checks are kept for the final grade.
    """

    slug: str
    status: Status
    checks: list[CheckResult]
    reserved: int

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> list[CheckResult]:
        return [check for check in self.checks if not check.passed]


def shown(policy: Policy, assignment: str, result: QuestionResult) -> Shown:
    """A verdict without what is reserved.

    Raises:
        Ungraded: a check is reserved that the question does not have, so that another one, which
            was meant, would be shown; or none is left to show.
    """
    kept = policy.reserved_checks(assignment, result.slug)
    if missing := kept - {check.name for check in result.checks}:
        raise Ungraded(
            f"{min(missing)} is reserved and is no check of {result.slug}: mend its name"
        )
    checks = [check for check in result.checks if check.name not in kept]
    if not checks:
        raise Ungraded(f"every check of {result.slug} is reserved: reserve the question itself")
    status = severest(check.status for check in checks) if kept else result.status
    return Shown(result.slug, status, checks, len(kept))


def answer(
    policy: Policy,
    assignment: str,
    result: QuestionResult,
    allowance: Allowance,
    earlier: Sequence[str] = (),
) -> dict[str, Any]:
    """The answer to a student, as the JSON object of the interface.

    `earlier`: slugs of the questions that this one rests on; nothing stands in for their answers.

    Raises:
        Ungraded: see `shown`.
    """
    seen = shown(policy, assignment, result)
    titles = _reveals(policy, "titles")
    points = policy.show_points and titles
    status = seen.status if titles else "ok" if seen.passed else "wrong"
    right = (check.points for check in seen.checks if check.passed)
    return {
        "question": seen.slug,
        "status": status,
        "words": STATUS_WORDS[status],
        "passed": seen.passed,
        "score": added(right) if points else None,
        "max_score": added(check.points for check in seen.checks) if points else None,
        "checks": _checks(policy, seen.checks) if titles else [],
        "reserved": seen.reserved,
        "rests_on": [*earlier] if titles and not seen.passed else [],
        "attempts_left": allowance.attempts_left,
        "next_in_seconds": round(allowance.next_in_seconds, 1),
    }


def _checks(policy: Policy, checks: list[CheckResult]) -> list[dict[str, Any]]:
    alike = len({check.message for check in checks}) == 1  # which is said once, at the first
    return [
        {
            "title": straight(check.title),
            "passed": check.passed,
            "message": None
            if not _reveals(policy, "sentences") or (alike and place)
            else _text(said.message),
            "diagnosis": _text(said.cause) if _reveals(policy, "diagnoses") else None,
            "points": check.points if policy.show_points else None,
        }
        for place, (check, said) in enumerate(zip(checks, said_once(checks), strict=True))
    ]


def _text(said: str) -> str | None:
    return straight(said) or None


def _reveals(policy: Policy, what: Reveal) -> bool:
    return REVEALS.index(policy.reveal) >= REVEALS.index(what)

"""Wrong answers of a class that reply alike, for a reason that nothing names.

An answer is in a group where no failed check of its question shows a misconception or a kind of
change, and where the mistake is its own: it was not graded a second time past an earlier answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from autograder.course.cells import grade_id
from autograder.pages.class_report.gathering import ClassResults
from autograder.results.fingerprint import Fingerprint, alike
from autograder.results.model import CheckResult, QuestionResult, Status
from autograder.results.text import Said, said_once

NAMED = ("misconception", "kind")
REPLIED: tuple[Status, ...] = ("wrong", "error")
SMALLEST = 2


@dataclass(frozen=True)
class Group:
    """Students whose answers to one question reply alike.

    Attributes:
        name: what `autograder adopt` is told.
        labels: of the fingerprints in it, each of which names it as well.
        students: by name.
        failed: what its first student's answer failed, each check with what is said of it.
    """

    slug: str
    labels: frozenset[str]
    students: list[str]
    failed: list[tuple[CheckResult, Said]]

    @property
    def name(self) -> str:
        return f"{self.slug}-{min(self.labels)}"

    @property
    def has_replied(self) -> bool:
        return any(check.status == "wrong" for check, _ in self.failed)

    def is_called(self, name: str) -> bool:
        """Whether `name` is, or was when fewer were in it, the name of this group."""
        return name in {f"{self.slug}-{label}" for label in self.labels}


@dataclass(frozen=True)
class Unnamed:
    """What a class's wrong answers without a name show.

    Attributes:
        groups: the largest first.
        alone: how many answers are like no other.
    """

    groups: list[Group]
    alone: int


def unnamed(found: ClassResults) -> Unnamed:
    """The wrong answers without a name, in groups that reply alike."""
    verdicts: dict[str, dict[str, QuestionResult]] = {}
    printed: dict[str, dict[str, Fingerprint]] = {}
    for standing in sorted(found.standings, key=lambda one: one.student):
        attempts = found.history.get(standing.student)
        for question in standing.result.questions:
            kept = attempts[-1].answers.get(question.slug) if attempts else None
            if kept and kept.fingerprint and kept.status == question.status and _nameless(question):
                verdicts.setdefault(question.slug, {})[standing.student] = question
                printed.setdefault(question.slug, {})[standing.student] = kept.fingerprint
    groups, alone = [], 0
    for slug, prints in printed.items():
        for students in _alike(prints, verdicts[slug]):
            if len(students) < SMALLEST:
                alone += 1
                continue
            labels = frozenset(prints[student].label for student in students)
            first = verdicts[slug][students[0]].checks
            said = zip(first, said_once(first), strict=True)
            failed = [(check, what) for check, what in said if not check.passed]
            groups.append(Group(slug, labels, students, failed))
    return Unnamed(sorted(groups, key=lambda group: -len(group.students)), alone)


def _nameless(question: QuestionResult) -> bool:
    """Whether its answer replied, and nothing tells why that is wrong."""
    return question.status in REPLIED and not any(
        check.diagnosis and check.diagnosis.source in NAMED for check in question.checks
    )


def _alike(prints: dict[str, Fingerprint], verdicts: dict[str, QuestionResult]) -> list[list[str]]:
    """The students in groups whose replies are equal, and the errors that they read."""
    groups: list[list[str]] = []
    for students in alike(prints):
        by_error: dict[tuple[str, ...], list[str]] = {}
        for student in students:
            by_error.setdefault(_errors(verdicts[student]), []).append(student)
        groups += by_error.values()
    return groups


def _errors(question: QuestionResult) -> tuple[str, ...]:
    """What its checks say was raised, without the student's own lines."""
    raised = (check.message for check in question.checks if check.status == "error")
    return tuple(message.partition("\n")[0] for message in raised)


def answer_of(found: ClassResults, student: str, slug: str) -> str:
    """A student's answer to a question as it was graded; empty where it is gone."""
    try:
        notebook = json.loads(found.autograded[student].read_text(encoding="utf-8"))
        sources = [cell["source"] for cell in notebook["cells"] if grade_id(cell) == slug]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ""
    return "".join(part for source in sources for part in source)

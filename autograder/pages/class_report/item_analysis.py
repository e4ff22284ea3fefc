"""What a class's results say about its questions: pure functions on scores and results.

Definitions, as the class report shows them:

- The *share* of something is the points earned in it, divided by its points.
- The *difficulty* of a question is its mean share: the higher, the easier it was.
- The *discrimination* of a question is its mean share in the upper group of the class less that in
  the lower group. The groups are the best and the weakest 27 % by points in all questions, at
  least one student each (T. L. Kelley, "The selection of upper and lower groups for the validation
  of test items", Journal of Educational Psychology 30, 1939, 17-24). Students who share the points
  at a group's border share its last places. With fewer than four students there is none.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.pages.class_report.effects import told_to_all
from autograder.results.model import STATUSES, CheckResult, QuestionResult, Status, SubmissionResult
from autograder.results.sentences import is_not_counted

GROUP_SHARE = 0.27
SMALLEST_CLASS = 4
_SAME_POINTS = 9  # decimals

Results = Mapping[str, SubmissionResult]
"""The graded submissions of a class, by student."""


@dataclass(frozen=True)
class Summary:
    """Where the middle of some numbers is, and how wide they lie."""

    mean: float
    lowest: float
    lower_quartile: float
    median: float
    upper_quartile: float
    highest: float


@dataclass(frozen=True)
class CheckItem:
    """How a class fared with one check.

    Attributes:
        passed, total: how many students passed it, and how many had it.
        message: what most of those who failed it were told, among those who answered.
        unexplained: those who failed it with an answer of which nothing more is known.
    """

    name: str
    title: str
    points: float
    passed: int
    total: int
    message: str
    unexplained: list[str]

    @property
    def share(self) -> float:
        return self.passed / self.total


@dataclass(frozen=True)
class QuestionItem:
    """How a class fared with one question.

    Attributes:
        number: its place in the assignment, from 1.
        difficulty: mean share of its points; None when it has none.
        discrimination: see the module; None for too few students.
        statuses: how many students ended with each status that occurs, mildest first.
        second_gradings: students whose answer was graded again with the instructor's earlier ones.
        checks: hardest first.
    """

    number: int
    slug: str
    points: float
    difficulty: float | None
    discrimination: float | None
    statuses: list[tuple[Status, int]]
    second_gradings: int
    checks: list[CheckItem]


@dataclass(frozen=True)
class Topic:
    """A misconception that occurred.

    Attributes:
        sentence: what its students read.
        slugs: the questions it occurred in.
        students: who showed it.
    """

    name: str
    sentence: str
    slugs: list[str]
    students: list[str]


@dataclass(frozen=True)
class Puzzle:
    """A check that several failed for reasons that no diagnosis names."""

    slug: str
    check: CheckItem


def share(score: float, points: float) -> float:
    """The part of `points` that was earned; all of it where there are none."""
    return score / points if points else 1.0


def summary(values: Sequence[float]) -> Summary:
    """Mean and quartiles (those of the values themselves, interpolated linearly) of one or more."""
    lower, median, upper = (
        statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [*values] * 3
    )
    return Summary(statistics.fmean(values), min(values), lower, median, upper, max(values))


def histogram(shares: Sequence[float], bins: int = 10) -> list[int]:
    """How many shares lie in each of `bins` equal parts of 0 to 1.

    A share at a border counts above it, but 1 in the last part, as does a share with extra credit.
    """
    places = (int(round(value * bins, _SAME_POINTS)) for value in shares)
    counted = Counter(min(max(place, 0), bins - 1) for place in places)
    return [counted[place] for place in range(bins)]


def discrimination(totals: Sequence[float], shares: Sequence[float]) -> float | None:
    """How much better the upper group did; entry i of both belongs to one student."""
    if len(totals) < SMALLEST_CLASS:
        return None
    points = [round(total, _SAME_POINTS) for total in totals]
    size = max(1, round(GROUP_SHARE * len(points)))
    upper = _first_places(points, shares, size)
    return upper - _first_places([-total for total in points], shares, size)


def _first_places(totals: Sequence[float], shares: Sequence[float], size: int) -> float:
    """Mean share of the `size` highest totals; those tied for the last places share them."""
    border = sorted(totals, reverse=True)[size - 1]
    above = [found for total, found in zip(totals, shares, strict=True) if total > border]
    tied = [found for total, found in zip(totals, shares, strict=True) if total == border]
    return (sum(above) + (size - len(above)) * statistics.fmean(tied)) / size


def question_items(results: Results) -> list[QuestionItem]:
    """Every question of the class, in the order of the assignment."""
    slugs = enumerate(_slugs(results), start=1)
    return [_question_item(number, slug, results) for number, slug in slugs]


def _slugs(results: Results) -> list[str]:
    slugs = (question.slug for result in results.values() for question in result.questions)
    return list(dict.fromkeys(slugs))


def _question_item(number: int, slug: str, results: Results) -> QuestionItem:
    asked = {
        student: (result.score, question)
        for student, result in results.items()
        for question in result.questions
        if question.slug == slug
    }
    questions = {student: question for student, (_, question) in asked.items()}
    points = max(question.max_score for question in questions.values())
    shares = [share(question.score, question.max_score) for question in questions.values()]
    ended = Counter(question.status for question in questions.values())
    totals = [total for total, _ in asked.values()]
    return QuestionItem(
        number=number,
        slug=slug,
        points=points,
        difficulty=statistics.fmean(shares) if points else None,
        discrimination=discrimination(totals, shares) if points else None,
        statuses=[(status, ended[status]) for status in STATUSES if ended[status]],
        second_gradings=sum(bool(question.follow_through) for question in questions.values()),
        checks=_check_items(questions),
    )


def _check_items(questions: Mapping[str, QuestionResult]) -> list[CheckItem]:
    found: dict[str, dict[str, CheckResult]] = {}
    for student, question in questions.items():
        for check in question.checks:
            found.setdefault(check.name, {})[student] = check
    items = [_check_item(name, by_student) for name, by_student in found.items()]
    return sorted(items, key=lambda item: item.share)


def _check_item(name: str, by_student: Mapping[str, CheckResult]) -> CheckItem:
    checks = list(by_student.values())
    failed = {
        student: check
        for student, check in by_student.items()
        if not check.passed and check.status != "unanswered"
    }
    messages = Counter(check.message for check in failed.values() if check.message)
    return CheckItem(
        name=name,
        title=checks[0].title,
        points=max(check.points for check in checks),
        passed=sum(check.passed for check in checks),
        total=len(checks),
        message=messages.most_common(1)[0][0] if messages else "",
        unexplained=sorted(
            student
            for student, check in failed.items()
            if check.diagnosis is None and not is_not_counted(check.message)
        ),
    )


def topics(results: Results) -> list[Topic]:
    """What is known of the mistakes of a class, the most frequent first.

    One that several checks of an answer show counts once, and one that is a part of what is wrong
    does not. The same name with another sentence, in another question, is another misconception.
    """
    sentences: dict[tuple[str, str], str] = {}
    shown: dict[tuple[str, str], set[str]] = {}
    for student, result in results.items():
        for question in result.questions:
            for check in question.checks:
                known = check.diagnosis
                if known and known.source != "part":
                    name = "one_line" if known.source == "place" else known.name
                    key = (name, question.slug)
                    shown.setdefault(key, set()).add(student)
                    sentences[key] = sentences.get(key) or told_to_all(known)
    order = _slugs(results)
    ordered = sorted(shown, key=lambda key: order.index(key[1]))
    return _merged({key: shown[key] for key in ordered}, sentences)


def _merged(
    shown: Mapping[tuple[str, str], set[str]], sentences: Mapping[tuple[str, str], str]
) -> list[Topic]:
    """Topics of those that have name and sentence in common."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name, slug in shown:
        groups.setdefault((name, sentences[name, slug]), []).append(slug)
    made = [
        Topic(name, said, slugs, sorted(set().union(*(shown[name, slug] for slug in slugs))))
        for (name, said), slugs in groups.items()
    ]
    return sorted(made, key=lambda topic: -len(topic.students))


def puzzles(items: Sequence[QuestionItem], most: int = 5) -> list[Puzzle]:
    """The checks that most students failed for reasons unknown, two at least, the worst first.

    Of a question only its worst one: what breaks an answer fails all its checks.
    """
    worst = [
        Puzzle(item.slug, max(item.checks, key=lambda check: len(check.unexplained)))
        for item in items
        if item.checks
    ]
    found = [puzzle for puzzle in worst if len(puzzle.check.unexplained) > 1]
    return sorted(found, key=lambda puzzle: -len(puzzle.check.unexplained))[:most]

"""The class report: one page for the instructor on how a class fared with an assignment.

The numbers come from `item_analysis`. Names of students, flags and messages come from students:
the template escapes everything, and the page has no script and a policy that forbids any.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.course.assignments import Course
from autograder.files import expect_folder_of
from autograder.pages.class_report import item_analysis
from autograder.pages.class_report.asking import MOST_TOLD, Asking
from autograder.pages.class_report.effects import effects
from autograder.pages.class_report.gathering import ClassResults, Standing, gather
from autograder.pages.class_report.groups import answer_of, unnamed
from autograder.pages.class_report.rendering import (
    REPORTS,
    environment,
    expect_graded,
    link,
    write_page,
)
from autograder.pages.inert import POLICY

MOST_TOPICS = 6
MOST_GROUPS = 24
MOST_EFFECTS = 12
SLOWEST = 5
MOST_FLAGS = 100
MOST_CODE = 6000  # characters


@dataclass(frozen=True)
class Flag:
    """A sentence about what was repaired or left out, and whose submissions it is about."""

    sentence: str
    students: list[str]


def write_report(
    course: Course, assignment: str, output: Path | None, asked: Sequence[Asking] = ()
) -> Path:
    """Writes the report on `assignment`; without `output`, to `reports/` of the course.

    `asked`: what the class asked the check service, if there is one.

    Raises:
        UsageError: nothing has been graded, or the file cannot be written.
    """
    if output is not None:
        expect_folder_of(output)
    found = gather(course, assignment)
    expect_graded(assignment, len(found.standings), len(found.ungraded))
    path = output or course.root / REPORTS / f"{assignment}.html"
    return write_page(path, page(found, path.parent, datetime.now().astimezone(), asked))


def page(found: ClassResults, folder: Path, made: datetime, asked: Sequence[Asking] = ()) -> str:
    """The report as HTML, for a file in `folder`; `found` holds at least one graded submission."""
    standings = found.standings
    links = {s.student: link(s.feedback, folder) for s in standings if s.feedback is not None}
    template = environment().get_template("report.html.j2")
    return template.render(
        policy=POLICY,
        made=made,
        assignment=found.assignment,
        standings=standings,
        verdicts={s.student: {q.slug: q for q in s.result.questions} for s in standings},
        links=links,
        ungraded=found.ungraded,
        effects=effects(found.history),
        most_effects=MOST_EFFECTS,
        asking=asked,
        most_told=MOST_TOLD,
        **_counts(standings),
        **_items(standings),
        **_groups(found),
        **_flags(standings),
    )


def _counts(standings: Sequence[Standing]) -> dict[str, Any]:
    """Who waits for what, what was recorded, and how grading went."""
    return {
        "waiting": [standing for standing in standings if standing.waiting],
        "look_again": [standing for standing in standings if standing.look_again],
        "recorded": sum(standing.recorded is not None for standing in standings),
        "late": sum(standing.late_penalty > 0 for standing in standings),
        "points": _common_points(standings),
        "slowest": sorted(standings, key=lambda s: -s.result.seconds)[:SLOWEST],
        "usual_seconds": statistics.median(s.result.seconds for s in standings),
        "tiers": sorted({standing.result.sandbox for standing in standings}),
        "in_box": sum(standing.result.verdict == "in-box" for standing in standings),
    }


def _items(standings: Sequence[Standing]) -> dict[str, Any]:
    """How the points lie, and how hard each question was."""
    results = {standing.student: standing.result for standing in standings}
    questions = item_analysis.question_items(results)
    shares = [standing.share for standing in standings]
    return {
        "summary": item_analysis.summary(shares),
        "bins": item_analysis.histogram(shares),
        "questions": questions,
        "most_topics": MOST_TOPICS,
        "topics": item_analysis.topics(results),
        "puzzles": item_analysis.puzzles(questions),
    }


def _groups(found: ClassResults) -> dict[str, Any]:
    """Wrong answers without a name, those together that reply alike."""
    nameless = unnamed(found)
    return {
        "groups": [
            (group, answer_of(found, group.students[0], group.slug)[:MOST_CODE])
            for group in nameless.groups[:MOST_GROUPS]
        ],
        "more_groups": len(nameless.groups[MOST_GROUPS:]),
        "alone": nameless.alone,
    }


def _flags(standings: Sequence[Standing]) -> dict[str, Any]:
    flags = flags_of(standings)
    return {"flags": flags[:MOST_FLAGS], "more_flags": len(flags[MOST_FLAGS:])}


def flags_of(standings: Sequence[Standing]) -> list[Flag]:
    """The flags of all submissions, those of the most students first."""
    raised: dict[str, list[str]] = {}
    for standing in standings:
        for sentence in dict.fromkeys(standing.result.flags):
            raised.setdefault(sentence, []).append(standing.student)
    flags = [Flag(sentence, sorted(students)) for sentence, students in raised.items()]
    return sorted(flags, key=lambda flag: -len(flag.students))


def _common_points(standings: Sequence[Standing]) -> float | None:
    """What the assignment is worth, if that is the same for everyone."""
    found = {standing.max_score for standing in standings}
    return found.pop() if len(found) == 1 else None

"""One question judged alone, with any code as its answer and the instructor's for all others."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

from autograder.checking.expected import Expected
from autograder.course.assignments import Question
from autograder.grading.grader import Grader
from autograder.grading.transcripts import Transcripts
from autograder.results.model import CheckResult


@dataclass(frozen=True)
class Trial:
    """What became of it: every check, and what its probes brought back."""

    checks: list[CheckResult]
    heard: Transcripts

    @property
    def lost(self) -> float:
        """The share of the points that did not hold; 0 where there are none."""
        points = sum(check.points for check in self.checks)
        return sum(c.points for c in self.checks if not c.passed) / points if points else 0.0

    @property
    def failed(self) -> list[str]:
        """Names of the checks that did not hold."""
        return [check.name for check in self.checks if not check.passed]


def trial(
    grader: Grader,
    question: Question,
    answer: str,
    expected_of: Callable[[str], Expected] | None = None,
) -> Trial:
    """Runs only the cells that the question rests on, then its checks on `answer`."""
    cells = copy.deepcopy(grader.dependencies.cells(question.slug))
    cells[-1].source = answer
    with grader.ran(cells) as session:
        checks = grader.judged(question, session, expected_of)
        return Trial(checks, dict(session.heard.get(question.slug, {})))

"""One question judged alone, with any code as its answer and the instructor's for all others."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

from nbformat import NotebookNode

from autograder.checking.expected import Expected
from autograder.course.assignments import Question
from autograder.grading.grader import Grader
from autograder.grading.transcripts import Transcripts
from autograder.results.model import CheckResult


@dataclass(frozen=True)
class Trial:
    """What became of it.

    Attributes:
        checks: every check.
        heard: what their probes brought back.
        fails_visibly: whether the notebook's own check, which students see, failed, if it ran.
    """

    checks: list[CheckResult]
    heard: Transcripts
    fails_visibly: bool = False

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
    *,
    visibly: bool = False,
) -> Trial:
    """Runs only the cells that `answer` rests on, then its checks on `answer`.

    `visibly`: whether the notebook's own check runs before.
    """
    cells = cells_of(grader, question.slug, answer, visibly=visibly)
    with grader.ran(cells) as session:
        checks = grader.judged(question, session, expected_of)
        failed = visibly and has_failed(cells[-1])
        return Trial(checks, dict(session.heard.get(question.slug, {})), failed)


def cells_of(grader: Grader, slug: str, answer: str, *, visibly: bool) -> list[NotebookNode]:
    """The cells that `answer` rests on and itself; with its visible check last, if wanted."""
    all_cells = grader.dependencies_with_checks if visibly else grader.dependencies
    answered = all_cells.answered(slug, answer)
    return copy.deepcopy(answered.up_to_check(slug) if visibly else answered.cells(slug))


def has_failed(cell: NotebookNode) -> bool:
    """Whether a cell that ran has raised."""
    return any(output.output_type == "error" for output in cell.outputs)

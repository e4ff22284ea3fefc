"""One question judged alone, with any code as its answer and the instructor's for all others."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from typing import Self

import nbformat
from nbformat import NotebookNode

from autograder.checking.expected import Expected
from autograder.course.assignments import Question
from autograder.course.cells import error_in, grade_id
from autograder.grading.grader import Grader
from autograder.grading.session import Session
from autograder.grading.transcripts import Transcripts
from autograder.results.model import CheckResult

QUIET = "%xmode Minimal"
"""A cell after which errors are shown without the code around them, which takes long to gather."""


@dataclass(frozen=True)
class Trial:
    """What became of it.

    Attributes:
        checks: every check.
        heard: what their probes brought back.
        fails_visibly: whether the notebook's own check, which students see, failed, if it ran.
        raised_in: the probe in which an error was raised last, if any, and where in it.
    """

    checks: list[CheckResult]
    heard: Transcripts
    fails_visibly: bool = False
    raised_in: str = ""

    @property
    def lost(self) -> float:
        """The share of the points that did not hold; 0 where there are none."""
        points = sum(check.points for check in self.checks)
        return sum(c.points for c in self.checks if not c.passed) / points if points else 0.0

    @property
    def failed(self) -> list[str]:
        """Names of the checks that did not hold."""
        return [check.name for check in self.checks if not check.passed]

    @property
    def replies(self) -> Transcripts:
        """What the probes of the checks brought back that did not hold."""
        return {check: self.heard.get(check, []) for check in self.failed}

    @property
    def evidence(self) -> Transcripts:
        """Those of `replies` that came before the answer hung or broke off, if it did.

        What comes after that depends on which limit it reached first: when time is over the
        checks that follow are lost as well, when memory is they may run.
        """
        answered = takewhile(lambda check: not check.is_lost, self.checks)
        return {c.name: self.heard.get(c.name, []) for c in answered if not c.passed}


class Bench:
    """Where any number of answers to one question are tried. A context manager.

    Theory of operation. What is tried comes from the instructor, so the cells above the answer run
    only once, in a box of their own, and every answer is tried in a fork of it. It would meet the
    files of those before it, and nothing else. Where boxes may not fork each trial gets a box.
    """

    def __init__(
        self,
        grader: Grader,
        question: Question,
        expected_of: Callable[[str], Expected] | None = None,
    ) -> None:
        self._grader = grader
        self._question = question
        self._expected_of = expected_of
        self._stems: dict[tuple[str, ...], Session] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for stem in self._stems.values():
            stem.close()

    def of(self, answer: str, *, visibly: bool = False) -> Trial:
        """Runs only the cells that `answer` rests on, then its checks on `answer`.

        `visibly`: whether the notebook's own check runs before.
        """
        slug = self._question.slug
        cells = cells_of(self._grader, slug, answer, visibly=visibly)
        place = [grade_id(cell) for cell in cells].index(slug)
        with self._ran(cells[:place], cells[place:]) as session:
            checks = self._grader.judged(self._question, session, self._expected_of)
            failed = visibly and bool(error_in(cells[-1]))
            raised_in = session.raised_in.get(slug, "")
            return Trial(checks, session.heard.of(slug), failed, raised_in)

    @contextmanager
    def _ran(
        self, above: Sequence[NotebookNode], others: Sequence[NotebookNode]
    ) -> Iterator[Session]:
        if self._grader.zygote.tier == "restricted":
            with self._grader.ran([*above, *others]) as session:
                yield session
            return
        key = tuple(cell.id for cell in above)
        if key not in self._stems:
            notebook = nbformat.v4.new_notebook(cells=above)
            self._stems[key] = self._grader.session(notebook, math.inf)
            self._stems[key].run_cells()
        with self._stems[key].branched(others) as session:
            session.run_cells()
            yield session


def trial(
    grader: Grader,
    question: Question,
    answer: str,
    expected_of: Callable[[str], Expected] | None = None,
    *,
    visibly: bool = False,
) -> Trial:
    """One trial, as `Bench.of`."""
    with Bench(grader, question, expected_of) as bench:
        return bench.of(answer, visibly=visibly)


def cells_of(grader: Grader, slug: str, answer: str, *, visibly: bool) -> list[NotebookNode]:
    """The cells that `answer` rests on and itself; with its visible check last, if wanted."""
    all_cells = grader.dependencies_with_checks if visibly else grader.dependencies
    answered = all_cells.answered(slug, answer)
    cells = copy.deepcopy(answered.up_to_check(slug) if visibly else answered.cells(slug))
    return [nbformat.v4.new_code_cell(QUIET, id="quiet"), *cells]

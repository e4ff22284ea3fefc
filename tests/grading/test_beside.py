"""Two submissions graded at a time by one grader."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mini import answer, mini_assignment
from nbformat import NotebookNode

from autograder.box.outside.zygotes import Zygote
from autograder.course.assignments import Question
from autograder.course.limits import Limits
from autograder.grading.grader import Grader
from autograder.grading.session import Session
from autograder.grading.verdicts import Verdicts
from autograder.results.model import QuestionResult, SubmissionResult

SECONDS = 3.0  # a submission's time
WRONG = "def triple(x):\n    return 4 * x"


@pytest.fixture
def grader(tmp_path: Path) -> Iterator[Grader]:
    limits = Limits(submission_seconds=SECONDS, search_seconds=0)
    with Grader(mini_assignment(tmp_path / "a"), limits) as found:
        yield found


class Judged:
    """How many are being judged; each for some seconds more than it takes, while a time lasts."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.seconds = 0.0
        self.at_a_time: list[int] = []
        self.ran = threading.Semaphore(0)
        self._now = 0
        self._first, self._run_cells = Verdicts.first, Session.run_cells
        patch.setattr(Verdicts, "first", lambda *given: self.judge(*given))
        patch.setattr(Session, "run_cells", lambda session: self.run_cells(session))

    def judge(
        self, verdicts: Verdicts, session: Session, questions: list[Question]
    ) -> dict[str, QuestionResult]:
        self._now += 1
        self.at_a_time.append(self._now)
        time.sleep(self.seconds)
        found = self._first(verdicts, session, questions)
        self._now -= 1
        return found

    def run_cells(self, session: Session) -> None:
        self._run_cells(session)
        self.ran.release()


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Judged:
    return Judged(monkeypatch)


def together(grader: Grader, *submissions: NotebookNode) -> list[SubmissionResult]:
    """The verdicts on several submissions that are graded at a time."""
    with ThreadPoolExecutor(len(submissions)) as pool:
        futures = [pool.submit(grader.grade, one, "demo") for one in submissions]
        return [future.result().result for future in futures]


def test_one_is_judged_at_a_time_and_each_as_it_would_be_alone(
    grader: Grader, judged: Judged
) -> None:
    right, wrong = answer(grader.assignment), answer(grader.assignment, triple=WRONG)
    alone = [grader.grade(one, "demo").result for one in (right, wrong)]
    judged.at_a_time.clear()
    judged.seconds = 0.2
    found = together(grader, right, wrong, right)
    assert judged.at_a_time == [1, 1, 1]
    assert [one.questions for one in found] == [alone[n].questions for n in (0, 1, 0)]
    assert [one.score for one in found] == [10.0, 5.0, 10.0]


def test_cells_run_while_another_submission_is_judged(
    grader: Grader, judged: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    met: list[bool] = []

    def meets_both(*given: object) -> dict[str, QuestionResult]:
        if not met:
            met.append(all(judged.ran.acquire(timeout=30) for _ in range(2)))
        return judged.judge(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(Verdicts, "first", meets_both)
    together(grader, answer(grader.assignment), answer(grader.assignment))
    assert met == [True]


def test_waiting_for_others_costs_no_time(
    grader: Grader, judged: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[int] = []

    def slow_at_first(*given: object) -> dict[str, QuestionResult]:
        judged.seconds = 0.0 if judged.at_a_time else SECONDS + 0.5
        first = judged.judge(*given)  # type: ignore[arg-type]
        looked_at.append(len(first))
        return first

    monkeypatch.setattr(Verdicts, "first", slow_at_first)
    found = together(grader, answer(grader.assignment), answer(grader.assignment))
    assert looked_at == [0, 2]
    late, waited = sorted(one.seconds for one in found)[::-1]
    assert waited < SECONDS < late


@pytest.mark.usefixtures("own_zygotes")
def test_a_zygote_that_ends_under_two_is_replaced_once(
    grader: Grader, judged: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[bool] = []
    new_zygote = grader._new_zygote

    def noted() -> Zygote:
        started.append(True)
        return new_zygote()

    def ends(*given: object) -> dict[str, QuestionResult]:
        if not started:
            grader.zygote._process.kill()
        return judged.judge(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(grader, "_new_zygote", noted)
    monkeypatch.setattr(Verdicts, "first", ends)
    found = together(grader, answer(grader.assignment), answer(grader.assignment))
    assert [one.score for one in found] == [10.0, 10.0]
    assert started == [True]


def test_the_time_of_a_second_look_counts(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    final, took = Verdicts.final, 0.3

    def slowly(*given: Any) -> list[QuestionResult]:
        time.sleep(took)
        return final(*given)

    monkeypatch.setattr(Verdicts, "final", slowly)
    assert grader.grade(answer(grader.assignment), "demo").result.seconds >= took

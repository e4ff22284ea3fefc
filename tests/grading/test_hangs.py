"""A hang costs seconds: it is not waited for again where nothing can come of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mini import CHECK, answer, mini_assignment, nbgrader_cell, write_source
from nbformat import write

from autograder.authoring.expected import measured_pace, pace_differences, write_pace
from autograder.box.outside.client import Box, BoxLost
from autograder.course.assignments import Assignment, Course
from autograder.course.limits import Limits
from autograder.course.pace import HURRIED, SMALLEST_SECONDS, TIMES, Pace
from autograder.course.settings import Settings
from autograder.grading.grader import Grader
from autograder.grading.readiness import guard_against_drift
from autograder.results.model import SubmissionResult

LIMITS = Limits(cell_seconds=60, probe_seconds=60)
SECONDS = 0.5
NAMES = {"double": 2, "triple": 3, "quadruple": 4, "sextuple": 6, "octuple": 8}
RIGHT = {
    "triple": "def triple(x):\n    return double(x) + x",
    "quadruple": "def quadruple(x):\n    return double(double(x))",
    "sextuple": "def sextuple(x):\n    return double(triple(x))",
    "octuple": "def octuple(x):\n    return double(quadruple(x))",
}
HANGS = "while True:\n        pass"


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    """`double`, and four questions whose solutions rest on it."""
    assignment = mini_assignment(tmp_path_factory.mktemp("course"))
    release = assignment.release
    for name in [*NAMES][2:]:
        stub = f"def {name}(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
        release.cells += [
            nbgrader_cell(name, stub, solution=True, locked=False),
            nbgrader_cell(f"check_{name}", f"print({name}(torch.ones(1)))", grade=True, points=5.0),
        ]
    write(release, assignment.release_path)
    for name, factor in NAMES.items():
        assignment.check_file(name).write_text(CHECK.format(name=name, factor=factor))
    write_source(assignment)
    write(submission(assignment), assignment.source_path)
    return Assignment("mini", assignment.release_path, assignment.checks)


@pytest.fixture(scope="module")
def grader(chain: Assignment) -> Iterator[Grader]:
    """Gives every answer half a second of the processor; by the clock it may take a minute."""
    with Grader(chain, LIMITS, pace=_HalfASecond()) as warm:
        yield warm


class _HalfASecond(Pace):
    def of_cell(self, name: str) -> float | None:
        return SECONDS

    def of_probe(self, slug: str) -> float | None:
        return SECONDS


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What became of each box that was lost."""
    statuses: list[str] = []
    lose = Box._lost

    def noted(box: Box, error: Any) -> BoxLost:
        loss = lose(box, error)
        statuses.append(loss.status)
        return loss

    monkeypatch.setattr(Box, "_lost", noted)
    return statuses


def submission(assignment: Assignment, **answers: str) -> Any:
    made = answer(assignment)
    sources = {"double": "def double(x):\n    return 2 * x", **RIGHT, **answers}
    for cell in made.cells:
        cell.source = sources.get(cell.id, cell.source)
    return made


def graded(grader: Grader, **answers: str) -> SubmissionResult:
    return grader.grade(submission(grader.assignment, **answers), "x").result


def statuses(result: SubmissionResult) -> dict[str, str]:
    return {question.slug: question.status for question in result.questions}


ALL_OK = dict.fromkeys(NAMES, "ok")


@pytest.mark.parametrize(
    ("body", "waits"),
    [
        (HANGS, 3),
        ("import time\n    time.sleep(1e6)", 3),
        ("while len(x) > 1:\n        pass\n    return 2 * x", 3),
        ("while (x < 0).any():\n        pass\n    return 2 * x", 3),
    ],
    ids=["computes", "sleeps", "for one shape", "for some numbers"],
)
def test_a_hang_that_four_questions_rest_on_is_waited_for_three_times(
    grader: Grader, lost: list[str], body: str, waits: int
) -> None:
    """In a cell or a probe, alone, and in one question that rests on it."""
    result = graded(grader, double=f"def double(x):\n    {body}")
    assert statuses(result) == {**ALL_OK, "double": "timeout"}
    assert lost == ["timeout"] * waits
    told = {check.message for check in result.question("double").checks}
    assert told <= {"", "Your code ran out of time: it may take 0.5 s."}


def test_the_cell_of_an_answer_that_hangs_is_waited_for_twice(
    grader: Grader, lost: list[str]
) -> None:
    result = graded(grader, octuple="while True: pass")
    assert statuses(result) == {**ALL_OK, "octuple": "timeout"}
    assert lost == ["timeout"] * 2
    (said,) = {check.message for check in result.question("octuple").checks}
    assert said == "Cell octuple ran out of time: it may take 0.5 s."


def test_a_cell_that_many_answers_rest_on_is_waited_for_twice(
    grader: Grader, lost: list[str]
) -> None:
    source = "def double(x):\n    return 2 * x\n\nwhile True: pass"
    result = graded(grader, double=source)
    assert statuses(result) == {**ALL_OK, "double": "timeout"}
    assert lost == ["timeout"] * 2


def test_what_has_hung_once_is_waited_for_half_as_long(
    chain: Assignment, lost: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pace = Pace(probes=dict.fromkeys(NAMES, 0.1), slowness=0.1)
    given: list[tuple[str, float | None]] = []
    ask = Box.run_probe

    def noted(box: Box, *arguments: Any) -> Any:
        given.append((arguments[0], arguments[-1]))
        return ask(box, *arguments)

    monkeypatch.setattr(Box, "run_probe", noted)
    hangs_for_some = "def triple(x):\n    while (x < 0).any():\n        pass\n    return 3 * x"
    with Grader(chain, LIMITS, pace=pace) as grader:
        result = graded(grader, triple=hangs_for_some, octuple="def octuple(x):\n    return x")
    assert statuses(result) == {**ALL_OK, "triple": "timeout", "octuple": "wrong"}
    assert lost == ["timeout"] * 3
    whole = pace.of_probe("triple")
    assert whole is not None
    seconds = {slug: {had for asked, had in given if f".{slug}(" in asked} for slug in NAMES}
    assert seconds["triple"] == {whole, whole / HURRIED}
    assert seconds["sextuple"] == {whole / HURRIED}
    assert seconds["octuple"] == {whole}


def test_a_wrong_answer_that_rests_on_a_hang_is_told_of_it(grader: Grader) -> None:
    result = graded(
        grader,
        double=f"def double(x):\n    {HANGS}",
        octuple="def octuple(x):\n    return double(x)",
    )
    assert statuses(result) == {**ALL_OK, "double": "timeout", "octuple": "timeout"}
    (said,) = {check.message for check in result.question("octuple").checks}
    assert said == "Your code rests on double, which ran out of time."
    assert result.question("octuple").score == 0.0


def test_an_answer_that_does_not_use_the_hang_keeps_what_it_earns(grader: Grader) -> None:
    result = graded(
        grader,
        double=f"def double(x):\n    {HANGS}",
        octuple="def octuple(x):\n    return 8 * x.abs()",
    )
    octuple = result.question("octuple")
    assert (octuple.status, octuple.score) == ("wrong", 3.0)


def test_a_time_out_is_told_by_the_limit_that_it_met(chain: Assignment) -> None:
    limits = Limits(cell_seconds=60, probe_seconds=60, submission_seconds=4)
    with Grader(chain, limits) as brief:
        result = graded(brief, octuple="while True: pass")
    said = "\n".join(check.message for check in result.question("octuple").checks)
    assert "Cell octuple ran out of time: the whole notebook may take 4 s." in said


def test_times_are_measured_of_every_cell_and_question(chain: Assignment) -> None:
    with Grader(chain, LIMITS, pace=Pace()) as grader:
        measured = measured_pace(grader, {})
        assert [path.name for path in write_pace(chain, measured)] == ["pace.json"]
        assert write_pace(chain, measured_pace(grader, {})) == []
    assert pace_differences(chain) == []
    stored = Pace.load(chain.pace_file)
    cells = {**stored.cells, "gone": 0.1}
    del cells["check_octuple"]
    chain.pace_file.write_text(replace(stored, cells=cells).as_text())
    assert pace_differences(chain) == [
        "check_octuple has no stored time",
        "gone has a stored time, and is gone",
    ]
    chain.pace_file.unlink()


def test_the_solution_tells_how_slow_the_machine_is(chain: Assignment, tmp_path: Path) -> None:
    """Once and for all later runs; here it is said to have taken no time at all elsewhere."""
    solved = chain.source_path.read_text()
    slow = "import time\nuntil = time.process_time() + 1\nwhile time.process_time() < until: pass"
    write(submission(chain, octuple=f"{slow}\n{RIGHT['octuple']}"), chain.source_path)
    chain.pace_file.parent.mkdir(exist_ok=True)
    chain.pace_file.write_text(Pace({"octuple": 0.1}, {}, 0.1).as_text())
    settings = Settings(LIMITS, trust_notebooks=False)
    try:
        slowness = []
        for _ in range(2):
            with Grader(chain, LIMITS) as grader:
                guard_against_drift(Course(tmp_path), grader, settings)
                slowness.append(round(grader.pace.slowness, 2))
                assert grader.pace.of_cell("octuple") == pytest.approx(
                    grader.pace.slowness * TIMES * SMALLEST_SECONDS
                )
    finally:
        chain.pace_file.unlink()
        chain.source_path.write_text(solved)
    assert slowness[0] == slowness[1] > 1.5

"""Answers to one question tried one after the other, in forks of one box."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mini import mini_assignment, write_source

from autograder.box.outside.client import Box
from autograder.box.outside.zygotes import Zygote
from autograder.course.assignments import Question
from autograder.course.limits import Limits
from autograder.grading.grader import Grader
from autograder.grading.trial import Bench

RIGHT = "def triple(x):\n    return 3 * x"
LIMITS = Limits(cell_seconds=2, probe_seconds=1)


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    assignment = mini_assignment(tmp_path_factory.mktemp("course"))
    write_source(assignment)
    with Grader(assignment, LIMITS) as warm:
        if warm.zygote.tier == "restricted":
            pytest.skip("boxes may not fork here")
        yield warm


@pytest.fixture
def triple(grader: Grader) -> Question:
    return grader.assignment.question("triple")


def test_the_cells_above_run_once(
    grader: Grader, triple: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    boxes: list[Box] = []
    run_cell, box = Box.run_cell, Zygote.box

    def cell_noted(self: Box, source: str, *limits: float) -> object:
        ran.append(source)
        return run_cell(self, source, *limits)

    def box_noted(self: Zygote, *given: object) -> Box:
        boxes.append(box(self, *given))  # type: ignore[arg-type]
        return boxes[-1]

    monkeypatch.setattr(Box, "run_cell", cell_noted)
    monkeypatch.setattr(Zygote, "box", box_noted)
    with Bench(grader, triple) as bench:
        assert [len(bench.of(f"{RIGHT} + {n}").failed) for n in (0, 1, 2)] == [0, 2, 2]
    assert ran.count("import torch") == 1
    assert len(boxes) == 1


@pytest.mark.parametrize(
    "harmful",
    [
        "import torch\ntorch.add = torch.Tensor.__mul__ = torch.Tensor.__rmul__ = None",
        "import torch\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)",
        "import os\nos._exit(77)",
        "import os\nos.kill(os.getpid(), 9)",
        "while True:\n    pass",
    ],
)
def test_an_answer_leaves_nothing_to_the_next(
    harmful: str, grader: Grader, triple: Question
) -> None:
    with Bench(grader, triple) as bench:
        bench.of(f"{harmful}\n{RIGHT}")
        assert bench.of(RIGHT).failed == []
        assert bench.of(RIGHT, visibly=True).failed == []


def test_an_answer_that_hangs_or_ends_its_box_fails(grader: Grader, triple: Question) -> None:
    with Bench(grader, triple) as bench:
        hung = bench.of("def triple(x):\n    while True:\n        pass")
        ended = bench.of("import os\n\ndef triple(x):\n    os._exit(0)")
    assert {check.status for check in hung.checks} == {"timeout"}
    assert {check.status for check in ended.checks} == {"crash"}


def test_the_visible_check_is_told_apart_from_the_hidden_ones(
    grader: Grader, triple: Question
) -> None:
    only_visibly = "def triple(x):\n    assert len(x) > 1\n    return 3 * x"
    with Bench(grader, triple) as bench:
        assert bench.of(only_visibly, visibly=True).fails_visibly
        assert not bench.of(only_visibly, visibly=True).failed
        assert not bench.of(RIGHT, visibly=True).fails_visibly


def test_what_a_question_rests_on_is_told_anew_for_every_answer(
    grader: Grader, triple: Question
) -> None:
    with Bench(grader, triple) as bench:
        assert bench.of("def triple(x):\n    return double(x) + x").failed == []
        assert bench.of("def triple(x):\n    return double(x)").failed != []

"""What a student changed in the head of a function is told where nothing closer is known."""

from __future__ import annotations

from pathlib import Path

import pytest
from mini import answer, mini_assignment, write_source

from autograder.course.assignments import Assignment
from autograder.course.limits import Limits
from autograder.grading.grader import Grader
from autograder.grading.heads import other_head

GIVEN = """class Layer(nn.Module):
    def __init__(self, size, heads=8, *, rate=0.1):
        ...

    def forward(self, x, mask=None):
        ...
"""


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ("heads=8", "heads=4", "`heads` of `Layer` has another default than the question gives"),
        ("heads=8", "heads", "`heads` of `Layer` has another default"),
        ("rate=0.1", "rate=0.0", "`rate` of `Layer` has another default"),
        ("size, heads=8", "heads=8, size=None", "`Layer` takes its parameters in another order"),
        (", mask=None", "", "`Layer.forward` does not take `mask`"),
        ("x, mask", "mask, x", "`Layer.forward` takes its parameters in another order"),
    ],
)
def test_what_was_changed_is_told(was: str, becomes: str, said: str) -> None:
    assert other_head(GIVEN.replace(was, becomes), GIVEN).startswith(said)


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("heads=8", "heads=0x8"),
        ("forward(self, x", "forward(self, hidden"),
        ("mask=None", "mask=None, more=1"),
        ("rate=0.1", "rate=.1, bias=True"),
        ("x, mask=None", "x: torch.Tensor, mask: torch.Tensor | None = None"),
        ("x, mask=None", "*args, **kwargs"),
        ("class Layer", "class Other"),
        ("...", "pass"),
        ("def", "def broken def"),
    ],
)
def test_what_does_no_harm_is_not(was: str, becomes: str) -> None:
    assert other_head(GIVEN.replace(was, becomes), GIVEN) == ""


def test_reading_takes_no_longer_than_it_may() -> None:
    assert other_head(f"x = {'(' * 90}1{')' * 90}\n" + "-" * 400_000 + "1", GIVEN) == ""


@pytest.fixture
def course(tmp_path: Path) -> Assignment:
    mini = mini_assignment(tmp_path)
    write_source(mini, double="def double(x, times=2):\n    return times * x")
    text = mini.release_path.read_text()
    assert "def double(x):" in text
    mini.release_path.write_text(text.replace("def double(x):", "def double(x, times=2):"))
    return mini


def test_a_student_who_changed_a_default_reads_so_and_others_do_not(course: Assignment) -> None:
    with Grader(course, Limits()) as grader:
        for code, told in (
            ("def double(x, times=3):\n    return times * x", {"other_head"}),
            ("def double(x, times=2):\n    return times * x + 1", set()),
            ("def double(x, times=3):\n    return 2 * x", set()),
        ):
            checks = grader.grade(answer(course, double=code), "x").result.question("double").checks
            assert {c.diagnosis.name for c in checks if c.diagnosis} == told

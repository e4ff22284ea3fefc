"""An earlier answer that takes more than the instructor's costs later ones nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from mini import answer, mini_assignment, write_source

from autograder.course.assignments import Assignment
from autograder.course.limits import Limits
from autograder.grading.grader import Grader
from autograder.grading.parameters import taking_as

LIMITS = Limits(cell_seconds=2, probe_seconds=2, submission_seconds=20)
FIVE = 5.0
CLASS = """
class Double(torch.nn.Module):
    def __init__(self, by{more}):
        super().__init__()
        self.by = by

    def forward(self, x{more}):
        return {result}

def double(x):
    return Double(2)(x)
"""


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    assignment = mini_assignment(tmp_path_factory.mktemp("course"))
    double = CLASS.format(more="", result="self.by * x")
    write_source(assignment, double=double, triple="def triple(x):\n    return double(x) + x")
    return assignment


@pytest.fixture(scope="module")
def grader(mini: Assignment) -> Iterator[Grader]:
    with Grader(mini, LIMITS) as warm:
        yield warm


def scores(grader: Grader, double: str, triple: str) -> dict[str, float]:
    found = grader.grade(answer(grader.assignment, double=double, triple=triple), "x").result
    return {question.slug: question.score for question in found.questions}


@pytest.mark.parametrize(
    ("double", "call"),
    [
        ("def double(x, mask=None):\n    return {}", "double(x, mask=None)"),
        ("def double(x, mask=None):\n    return {}", "double(x, None)"),
        ("def double(x, *, mask=None):\n    return {}", "double(x=x, mask=None)"),
        ("def double(x, *rest, **more):\n    return {}", "double(x, None, mask=None)"),
        (
            "def double(*, mask=None, **more):\n    x = more['x']\n    return {}",
            "double(x=x, mask=None)",
        ),
        ("def double(values, mask=None):\n    x = values\n    return {}", "double(values=x)"),
        ("double = lambda x, mask=None: {}", "double(x, mask=None)"),
        (CLASS.replace("{more}", ", scale=None").replace("{result}", "{}"), "Double(2, None)(x)"),
        (
            CLASS.replace("{more}", ", *, scale: int = 1").replace("{result}", "{}"),
            "Double(by=2, scale=1)(x, scale=1)",
        ),
    ],
)
def test_what_more_a_wrong_earlier_answer_takes_is_dropped(
    double: str, call: str, grader: Grader
) -> None:
    triple = f"def triple(x):\n    return {call} + x"
    assert scores(grader, double.format("3 * x"), triple) == {"double": 0.0, "triple": FIVE}


@pytest.mark.parametrize(
    ("takes", "call"),
    [
        ("x, mask=None", "double(x, mask=torch.ones(1))"),
        ("x, mask=None", "double(x, torch.ones(1))"),
        ("x, *rest", "double(x, torch.ones(1))"),
        ("x, **more", "double(x, mask=torch.ones(1))"),
    ],
)
def test_a_tensor_that_only_the_own_answer_takes_is_not_dropped(
    takes: str, call: str, grader: Grader
) -> None:
    double = f"def double({takes}):\n    return 3 * x"
    triple = f"def triple(x):\n    return {call} + x"
    assert scores(grader, double, triple) == {"double": 0.0, "triple": 0.0}


def taken(own: Any, students: str, instructors: str) -> Any:
    """The instructor's function, taking what the student's takes."""
    names = {"f": own}
    exec(taking_as(students, instructors), names)
    return names["f"]


def test_each_argument_goes_where_it_belongs() -> None:
    def own(q: int, k: int, scale: int = 7) -> tuple[int, int, int]:
        return q, k, scale

    instructors = "def f(q, k, scale=7): ..."
    f = taken(own, "def f(q, mask, k, *, scale=1): ...", instructors)
    assert (f(1, 2, 3), f(1, 2, 3, scale=4), f(mask=2, k=3, q=1)) == (
        (1, 3, 7),
        (1, 3, 4),
        (1, 3, 7),
    )
    f = taken(own, "def f(a, b, c=1, /, d=2): ...", instructors)
    assert (f(1, 2), f(1, 2, 3), f(1, 2, 3, d=4)) == ((1, 2, 7), (1, 2, 3), (1, 2, 3))
    f = taken(own, "def f(q, **more): ...", instructors)
    assert (f(1, k=2), f(1, k=2, scale=3, mask=4)) == ((1, 2, 7), (1, 2, 3))
    assert f(1, 2, 3) == (1, 2, 3)  # as who knows the instructor's alone calls it
    with pytest.raises(TypeError):
        f(1, 2, 3, 4)
    f = taken(own, "def f(k, q, scale=7): ...", instructors)
    assert (f(1, 2), f(k=1, q=2, scale=3)) == ((2, 1, 7), (2, 1, 3))


@pytest.mark.parametrize(
    ("students", "instructors"),
    [
        ("def f(q, k): ...", "def f(q, k): ..."),
        ("def f(q): ...", "def f(q, k=1): ..."),
        ("def f(*all): ...", "def f(q): ..."),
        ("def f(q, k=1): ...", "def f(*all): ..."),
        ("def f(q, k=1): ...", "def f(q, **all): ..."),
        ("def g(q, k=1): ...", "def f(q): ..."),
        ("class f: ...", "def f(q): ..."),
        ("class C:\n  @staticmethod\n  def f(q, k=1): ...", "class C:\n  def f(self, q): ..."),
        ("def f(q, k=1", "def f(q): ..."),
    ],
)
def test_what_takes_no_other_arguments_or_cannot_take_them_stays(
    students: str, instructors: str
) -> None:
    assert taking_as(students, instructors) == ""


def test_a_method_is_taken_otherwise_in_its_own_class() -> None:
    students = "class Double:\n  def forward(this, x, mask=None): ..."
    names = {"torch": torch}
    exec(CLASS.format(more="", result="self.by * x"), names)
    exec(taking_as(students, "class Double:\n  def forward(self, x): ..."), names)
    made: Any = names["Double"]
    assert made(3)(torch.ones(1), mask=None) == 3

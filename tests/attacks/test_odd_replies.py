"""Attacks 100 and 101: a reply that a check cannot judge costs its own question only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mini import answer, mini_assignment, write_source

from attacks.harness import LIMITS
from autograder.course.assignments import Assignment
from autograder.errors import Ungraded
from autograder.grading.grader import Grader


@pytest.fixture
def fragile(tmp_path: Path) -> Assignment:
    """Its checks of `double` divide by the number of dimensions of a reply."""
    assignment = mini_assignment(tmp_path)
    write_source(assignment)
    path = assignment.check_file("double")
    text = path.read_text()
    line = '    expect_close(student.run(run, x=x), "y", 2 * x)'
    assert line in text
    path.write_text(text.replace(line, '    assert 1 / student.run(run, x=x)["y"].dim()\n' + line))
    return assignment


@pytest.fixture
def grader(fragile: Assignment) -> Iterator[Grader]:
    with Grader(fragile, LIMITS) as warm:
        yield warm


def test_attack_100_a_check_that_raises_on_a_reply_has_failed(
    grader: Grader, fragile: Assignment
) -> None:
    odd = answer(fragile, double="def double(x):\n    return x.sum()")
    result = grader.grade(odd, "x").result
    assert result.status == "graded"
    assert (result.question("double").status, result.question("double").score) == ("wrong", 0.0)
    assert "cannot be judged here" in result.question("double").checks[0].message
    assert result.question("triple").score == 5.0


def test_a_check_that_raises_on_the_solution_too_is_broken(
    grader: Grader, fragile: Assignment
) -> None:
    path = fragile.check_file("double")
    path.write_text(path.read_text().replace("1 / student", "1 / 0 / student"))
    with pytest.raises(Ungraded, match="is broken: ZeroDivisionError"):
        grader.grade(answer(fragile), "x")


def test_what_a_broken_check_raised_says_nothing_that_is_expected(
    grader: Grader, fragile: Assignment
) -> None:
    """Where there is no solution to ask, any odd reply can make a check look broken."""
    path = fragile.check_file("double")
    path.write_text(path.read_text().replace("1 / student", "{}[31.25] / student"))
    with pytest.raises(Ungraded, match=r"is broken: KeyError \(check_double.py, line \d+\)$"):
        grader.grade(answer(fragile), "x")


def test_attack_101_a_tensor_of_many_bytes_costs_its_question(
    grader: Grader, fragile: Assignment
) -> None:
    large = answer(
        fragile, double="def double(x):\n    return torch.zeros(2**25, dtype=torch.uint8)"
    )
    result = grader.grade(large, "x").result
    assert result.question("double").status == "wrong"
    assert result.question("triple").score == 5.0

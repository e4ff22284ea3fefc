"""What else the cell of a wrong answer defines is there where a later answer uses it."""

from __future__ import annotations

from dataclasses import replace

import nbformat
import pytest
import second_runs
from mini import answer
from second_runs import FIVE, WRONG, scores, wrong_of

from autograder.course.assignments import Assignment
from autograder.grading.follow_through import FollowThrough
from autograder.grading.grader import Grader
from autograder.results.model import CheckResult, QuestionResult, Status

mini, grader = second_runs.mini, second_runs.grader  # fixtures


@pytest.mark.parametrize(
    "earlier",
    [
        WRONG,
        "def double(x):\n    raise ValueError",
        "1 / 0",
        "import os\nos._exit(0)",
        "double = plus",
    ],
)
def test_what_else_a_wrong_cell_defines_stays_where_it_is_used(
    earlier: str, grader: Grader, mini: Assignment
) -> None:
    helped = "from operator import add as sum_of\n\ndef plus(x, y):\n    return sum_of(x, y)"
    uses = "def triple(x):\n    return plus(double(x), x)"
    graded = grader.grade(answer(mini, double=f"{helped}\n\n{earlier}", triple=uses), "x")
    assert scores(graded) == {"double": 0.0, "triple": FIVE}


@pytest.mark.parametrize("beside", ["", "def plus(x, y):\n    return x + y\n\n"])
def test_a_wrong_answer_that_stands_twice_costs_what_it_costs_once(
    beside: str, grader: Grader, mini: Assignment
) -> None:
    """What else the second cell defines stays."""
    total = "plus(double(x), x)" if beside else "double(x) + x"
    uses = f"def triple(x):\n    return {total}"
    notebook = answer(mini, double=WRONG, triple=uses)
    place = [cell.id for cell in notebook.cells].index("check_double")
    notebook.cells.insert(place + 1, nbformat.v4.new_code_cell(f"{beside}{WRONG}"))
    assert scores(grader.grade(notebook, "x")) == {"double": 0.0, "triple": FIVE}


@pytest.mark.parametrize("harm", ["torch = None", "_ = torch.set_default_dtype(torch.float64)"])
def test_of_a_wrong_cell_nothing_else_stays(harm: str, grader: Grader, mini: Assignment) -> None:
    """What the release gives is as it was, and what nobody uses does not run."""
    helped = (
        f"def plus(x, y):\n    return more(x, y)\n\ndef more(x, y):\n    return x + y\n\n{harm}"
    )
    uses = (
        "def triple(x):\n    assert torch.get_default_dtype() == torch.float32\n"
        "    return plus(double(x), x)"
    )
    graded = grader.grade(answer(mini, double=f"{WRONG}\n\n{helped}", triple=uses), "x")
    assert scores(graded) == {"double": 0.0, "triple": FIVE}


REGISTRY = "MADE = {}\ndef register(f):\n    return MADE.setdefault(f.__name__, f)"


@pytest.mark.parametrize("wrong", [WRONG, "def double(x):\n    raise ValueError"])
@pytest.mark.parametrize(
    ("first", "between", "plus"),
    [
        (REGISTRY, "@register\ndef plus(x, y):\n    return x + y", "MADE['plus']"),
        ("PARTS = []", "PARTS.append(torch.add)", "PARTS[0]"),
        ("from operator import sub\nPARTS = [sub]", "PARTS.append(torch.add)", "PARTS[-1]"),
        (
            "from operator import sub\nMADE = {'plus': sub}",
            "MADE.update(plus=torch.add)",
            "MADE['plus']",
        ),
        ("class H:\n    pass", "setattr(H, 'plus', torch.add)", "H.plus"),
        ("", "globals()['plus'] = torch.add", "plus"),
    ],
)
def test_what_one_cell_puts_into_something_of_another_is_there(
    wrong: str, first: str, between: str, plus: str, grader: Grader, mini: Assignment
) -> None:
    """Where the answer breaks without it, or loses a check that held."""
    uses = f"def triple(x):\n    return {plus}(double(x) if x.sum() > 0 else 2 * x, x)"
    notebook = answer(mini, double=wrong, triple=uses, at_start=first)
    place = [cell.id for cell in notebook.cells].index("check_double")
    notebook.cells.insert(place, nbformat.v4.new_code_cell(between))
    assert scores(grader.grade(notebook, "x")) == {"double": 0.0, "triple": FIVE}


@pytest.mark.parametrize(
    "helper",
    [
        "if torch.cuda.is_available():\n    plus = None\nelse:\n    plus = torch.add",
        "try:\n    from nowhere import plus\nexcept ImportError:\n    plus = torch.add",
        "for plus in (torch.add,):\n    pass",
        "exec('plus = torch.add')",
        f"{REGISTRY}\n\n@register\ndef own(x, y):\n    return x + y\n\n"
        "def plus(x, y):\n    return MADE['own'](x, y)",
    ],
)
def test_what_a_wrong_cell_defines_otherwise_is_there_where_an_answer_breaks_without_it(
    helper: str, grader: Grader, mini: Assignment
) -> None:
    uses = "def triple(x):\n    return plus(double(x), x)"
    notebook = answer(mini, double=f"{helper}\n\n{WRONG}", triple=uses)
    assert scores(grader.grade(notebook, "x")) == {"double": 0.0, "triple": FIVE}
    place = [cell.id for cell in notebook.cells].index("check_double")
    notebook.cells.insert(place + 1, nbformat.v4.new_code_cell(WRONG))  # once more
    assert scores(grader.grade(notebook, "x")) == {"double": 0.0, "triple": FIVE}


def test_only_where_an_answer_breaks_as_it_did_not_before_all_that_was_written_runs(
    grader: Grader, mini: Assignment
) -> None:
    def found(status: Status, message: str) -> QuestionResult:
        check = CheckResult("values", "Values.", FIVE, status == "ok", message, status)
        return QuestionResult("triple", status, FIVE * check.passed, FIVE, [check])

    def runs_of(first: QuestionResult, second: QuestionResult, earlier: QuestionResult) -> int:
        runs: list[list[str]] = []
        FollowThrough(grader.dependencies, grader.dependencies).verdict(
            mini.question("triple"),
            {"double": earlier, "triple": first},
            lambda question, cells: runs.append([cell.source for cell in cells]) or second,
        )
        return len(runs)

    wrong, right = wrong_of("double"), replace(wrong_of("double"), status="ok")
    raised, other = found("error", "NameError"), found("error", "KeyError")
    assert runs_of(found("wrong", "0.5"), raised, wrong) == 2
    assert runs_of(other, raised, wrong) == 2
    assert runs_of(raised, raised, wrong) == 1
    assert runs_of(found("wrong", "0.5"), found("wrong", "0.7"), wrong) == 1
    assert runs_of(found("wrong", "0.5"), raised, right) == 1

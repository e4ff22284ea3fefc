"""One question of a notebook, checked by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from conftest import A1, ROOT
from mini import answer, mini_assignment, write_source
from nbformat import NotebookNode, v4

from autograder.authoring.notebooks import STYLES, notebook_with
from autograder.checking.misconceptions import misconceptions
from autograder.course.assignments import Assignment, Course
from autograder.course.limits import Limits
from autograder.errors import UsageError
from autograder.grading.grader import Grader
from autograder.intake.submission import repair
from autograder.results.model import QuestionResult

LIMITS = Limits(cell_seconds=2, probe_seconds=2, submission_seconds=20, search_seconds=0)
HANGS = "def double(x):\n    while True: pass"
RESTS = "def triple(x):\n    return double(x) + x"
WRONG = "def double(x):\n    return x"


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    assignment = mini_assignment(tmp_path_factory.mktemp("course"))
    write_source(assignment)
    return assignment


@pytest.fixture(scope="module")
def grader(mini: Assignment) -> Iterator[Grader]:
    with Grader(mini, LIMITS) as warm:
        yield warm


def checked(grader: Grader, notebook: NotebookNode, slug: str) -> QuestionResult:
    return grader.check_repaired(repair(notebook, grader.assignment.release), slug)


@pytest.mark.parametrize(
    ("double", "status"),
    [
        ("def double(x):\n    return 2 * x", "ok"),
        (WRONG, "wrong"),
        ("def double(x):\n    return x.no_such_thing", "error"),
        ("def double(", "error"),
        ("", "unanswered"),
        ("# def double(x):\n#     return 2 * x", "unanswered"),
        ("%%writefile double.py\ndef double(x):\n    return 2 * x", "error"),
        ("# YOUR CODE HERE\nraise NotImplementedError()", "error"),
        ("def double(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()", "unanswered"),
        ("import os\ndef double(x):\n    os._exit(0)", "crash"),
    ],
)
def test_it_is_told_what_grading_would_say(
    grader: Grader, mini: Assignment, double: str, status: str
) -> None:
    notebook = answer(mini, double=double)
    found = checked(grader, notebook, "double")
    graded = grader.grade(notebook, "x").result.question("double")
    assert found.status == status
    assert replace(found, fingerprint=None) == replace(graded, fingerprint=None)


MAGICS = {
    "%%writefile double.py": "`%%writefile`",
    "%%timeit -n1 -r1": "`%%timeit`",
    "%%script false": "`%%script`",
    "%%python": "`%%python`",
    "%%no_such_magic": "`%%no_such_magic`",
}


@pytest.mark.parametrize("magic", MAGICS)
def test_a_magic_that_keeps_the_cell_from_defining_the_answer_is_named(
    grader: Grader, mini: Assignment, magic: str
) -> None:
    notebook = answer(mini, double=f"{magic}\ndef double(x):\n    return 2 * x")
    message = checked(grader, notebook, "double").checks[0].message
    assert message == (
        f"`double` is not defined: the line {MAGICS[magic]} keeps what the cell defines from the "
        "notebook. Take that line out."
    )


@pytest.mark.parametrize("magic", ["%%time", "%%timeit -n1 -r1"])
def test_what_a_timed_cell_raised_is_told(grader: Grader, mini: Assignment, magic: str) -> None:
    notebook = answer(mini, double=f"{magic}\n1 / 0\ndef double(x):\n    return 2 * x")
    message = checked(grader, notebook, "double").checks[0].message
    assert message.startswith("Your cell raised ZeroDivisionError: division by zero")


def test_other_answers_do_not_run(grader: Grader, mini: Assignment) -> None:
    assert checked(grader, answer(mini, double=HANGS), "triple").status == "ok"
    assert checked(grader, answer(mini, triple="while True: pass"), "double").status == "ok"


def test_nothing_stands_in_for_a_wrong_earlier_answer(grader: Grader, mini: Assignment) -> None:
    found = checked(grader, answer(mini, double=WRONG, triple=RESTS), "triple")
    assert (found.status, found.follow_through) == ("wrong", [])


def test_cells_of_the_students_own_run_as_far_as_the_answer(
    grader: Grader, mini: Assignment
) -> None:
    """Also where no name tells that the answer rests on them."""
    notebook = answer(mini, double="def double(x):\n    return globals()['fac' + 'tor'] * x")
    assert checked(grader, notebook, "double").status == "error"
    notebook.cells.insert(1, v4.new_code_cell("fac, tor = 0, 1\nexec('factor = 2')"))
    assert checked(grader, notebook, "double").status == "ok"


def test_an_unknown_question_is_none(grader: Grader, mini: Assignment) -> None:
    with pytest.raises(KeyError):
        checked(grader, answer(mini), "quadruple")


def test_a_misconception_is_named_as_in_grading() -> None:
    assignment = Course(ROOT).assignment(A1)
    one = misconceptions(assignment, "attention")[0]
    with Grader(assignment, LIMITS) as grader:
        wrong = one.applied(grader.dependencies.source("attention"))
        for style in STYLES:
            found = checked(
                grader, notebook_with(assignment, "attention", wrong, style), "attention"
            )
            assert {c.misconception for c in found.checks if not c.passed} - {None} == {one.name}


@pytest.mark.parametrize("reserved", ["values", "negative_values"])
def test_nothing_rests_on_reserved_checks(grader: Grader, mini: Assignment, reserved: str) -> None:
    right_elsewhere = {
        "values": "def double(x):\n    return x if x.sum() > 0 else 2 * x",
        "negative_values": "def double(x):\n    return x if x.sum() < 0 else 2 * x",
    }
    repaired = repair(answer(mini, double=right_elsewhere[reserved]), mini.release)
    found = grader.check_repaired(repaired, "double", [reserved])
    *shown, hidden = found.checks
    assert (found.status, [check.passed for check in shown]) == ("ok", [True])
    assert (hidden.name, hidden.passed, hidden.message, hidden.diagnosis) == (
        reserved,
        False,
        "",
        None,
    )
    assert found.score == sum(check.points for check in shown)


def test_a_reserved_check_must_be_one(grader: Grader, mini: Assignment) -> None:
    with pytest.raises(UsageError, match="walues is reserved"):
        grader.check_repaired(repair(answer(mini), mini.release), "double", ["walues"])

"""An earlier mistake costs only its own points, and the instructor's code stays where it is."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from mini import answer, mini_assignment, write_source

from autograder.course.assignments import Assignment, Course
from autograder.course.limits import Limits
from autograder.course.settings import read_settings
from autograder.grading.follow_through import FollowThrough
from autograder.grading.grader import Grader
from autograder.grading.readiness import ready_grader
from autograder.grading.verdicts import Verdicts
from autograder.results import sentences
from autograder.results.model import (
    CheckResult,
    Diagnosis,
    Graded,
    QuestionResult,
    Status,
    severest,
)
from autograder.results.text import question_text

LIMITS = Limits(cell_seconds=2, probe_seconds=2, submission_seconds=20)
SECRET = "two_hundred_and_two"
RESTS = "def triple(x):\n    return double(x) + x"
WRONG = "def double(x):\n    return x"
FIVE = 5.0


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    assignment = mini_assignment(tmp_path_factory.mktemp("course"))
    double = f"def double(x):\n    {SECRET} = 2 * x\n    return {SECRET}"
    write_source(assignment, double=double, triple=RESTS)
    return assignment


@pytest.fixture(scope="module")
def grader(mini: Assignment) -> Iterator[Grader]:
    with Grader(mini, LIMITS) as warm:
        yield warm


def scores(graded: Graded) -> dict[str, float]:
    return {question.slug: question.score for question in graded.result.questions}


def test_a_right_answer_on_a_wrong_one_keeps_its_points(grader: Grader, mini: Assignment) -> None:
    graded = grader.grade(answer(mini, double=WRONG, triple=RESTS), "x")
    assert scores(graded) == {"double": 0.0, "triple": FIVE}
    verdict = graded.result.question("triple")
    assert (verdict.status, verdict.follow_through) == ("ok", ["double"])
    assert "instructor's answer to `double`" in question_text(verdict)
    assert [check.message for check in verdict.checks] == ["", ""]


@pytest.mark.parametrize(
    "broken",
    [
        "def double(x):\n    raise NotImplementedError()",
        "def double(x):\n    while True: pass",
        "import os\ndef double(x):\n    os._exit(0)",
        "def double(",
        "1 / 0",
        "double = None",
    ],
)
def test_whatever_became_of_the_earlier_answer(
    broken: str, grader: Grader, mini: Assignment
) -> None:
    graded = grader.grade(answer(mini, double=broken, triple=RESTS), "x")
    assert scores(graded) == {"double": 0.0, "triple": FIVE}


def test_a_wrong_answer_on_a_wrong_one_stays_wrong(grader: Grader, mini: Assignment) -> None:
    twice_wrong = "def triple(x):\n    return double(x)"
    verdict = grader.grade(answer(mini, double=WRONG, triple=twice_wrong), "x").result
    assert verdict.question("triple").score == 0.0
    assert verdict.question("triple").follow_through == ["double"]


def test_a_question_that_rests_on_nothing_wrong_is_judged_once(
    grader: Grader, mini: Assignment
) -> None:
    wrong = "def triple(x):\n    return 4 * x"
    result = grader.grade(answer(mini, triple=wrong), "x").result
    assert result.question("triple").follow_through == []
    unanswered = "def triple(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
    result = grader.grade(answer(mini, double=WRONG, triple=unanswered), "x").result
    assert result.question("triple").follow_through == []
    assert result.question("triple").status == "unanswered"


def test_points_earned_the_first_time_are_never_lost(grader: Grader, mini: Assignment) -> None:
    only_with_the_wrong_one = (
        "def triple(x):\n    return 3 * x if bool((double(x) == x).all()) or x.sum() > 0 else x"
    )
    graded = grader.grade(answer(mini, double=WRONG, triple=only_with_the_wrong_one), "x")
    assert scores(graded) == {"double": 0.0, "triple": FIVE}


THIEF = """
import inspect, os, sys
def loot():
    text = "".join(In) if "In" in globals() else ""
    try:
        text += inspect.getsource(double)
    except Exception:
        pass
    return text
print(loot())
print(loot(), file=sys.stderr)
try:
    with open("loot.txt", "w") as file:
        file.write(loot())
except OSError:
    pass
def triple(x):
    print(loot())
    raise ValueError(loot())
"""


def test_a_thief_brings_nothing_of_the_solution_out(grader: Grader, mini: Assignment) -> None:
    for leak in (
        THIEF,
        THIEF.replace("raise ValueError(loot())", "return torch.zeros(len(loot()))"),
    ):
        graded = grader.grade(answer(mini, double=WRONG, triple=leak), "x")
        assert graded.result.question("triple").follow_through == ["double"]
        assert SECRET not in json.dumps(graded.result.as_dict())
        assert SECRET not in json.dumps(graded.notebook)


def test_the_thief_is_a_real_one(grader: Grader, mini: Assignment) -> None:
    """In the second box the solution is there to be read: what is thrown away is worth stealing."""
    spy = THIEF.replace(
        "    print(loot())\n    raise ValueError(loot())", "    return x * 3 if SEEN else x"
    )
    spy = f"{spy}\nSEEN = {SECRET!r} in loot()"
    graded = grader.grade(answer(mini, double=WRONG, triple=spy), "x")
    assert scores(graded)["triple"] == FIVE


def test_what_is_read_in_a_second_run_cannot_be_told_by_taking_time(
    grader: Grader, mini: Assignment
) -> None:
    spy = THIEF.replace("print(loot())\nprint", "print")
    begin, end = SECRET[:5], SECRET[5:]  # else it would find what it looks for in itself
    spy = f"{spy}\nimport time\ntime.sleep(1.5 * ({begin!r} + {end!r} in loot()))"
    spent = time.monotonic()
    graded = grader.grade(answer(mini, double=WRONG, triple=spy), "x")
    assert time.monotonic() - spent > 1.5 > graded.result.seconds
    assert graded.result.question("triple").follow_through == ["double"]


def test_an_own_mistake_costs_what_it_costs_alone(grader: Grader, mini: Assignment) -> None:
    half = "def triple(x):\n    return double(x) + x if bool((x >= 0).all()) else x"
    alone = grader.grade(answer(mini, triple=half), "x").result.question("triple")
    assert 0 < alone.score < FIVE
    verdict = grader.grade(answer(mini, double=WRONG, triple=half), "x").result.question("triple")
    assert (verdict.score, verdict.status) == (alone.score, "wrong")
    assert verdict.follow_through == ["double"]
    assert [c.passed for c in verdict.checks] == [c.passed for c in alone.checks]
    assert verdict.score == sum(check.points for check in verdict.checks if check.passed)


def test_of_a_check_that_fails_there_only_that_is_told(grader: Grader, mini: Assignment) -> None:
    def found_in(*checks: tuple[str, Status, str]) -> QuestionResult:
        made = [CheckResult(n, n, 1.0, status == "ok", said, status) for n, status, said in checks]
        return QuestionResult("triple", severest(c.status for c in made), 0.0, FIVE, made)

    first = found_in(("a", "wrong", "0.5"), ("b", "wrong", "0.7"), ("c", "ok", ""))
    second = found_in(("a", "crash", SECRET), ("b", "ok", ""), ("c", "wrong", SECRET))
    runs = FollowThrough(grader.dependencies, grader.dependencies)
    found = runs.verdict(
        mini.question("triple"), {"double": wrong_of("double"), "triple": first}, lambda *_: second
    )
    assert (found.score, found.status) == (2.0, "wrong")
    assert [check.passed for check in found.checks] == [False, True, True]
    assert [check.message for check in found.checks] == ["This does not hold: a", "", ""]


def wrong_of(slug: str) -> QuestionResult:
    return QuestionResult(slug, "wrong", 0.0, FIVE)


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


def test_a_second_version_beside_right_earlier_answers_counts_only_if_it_is_right(
    grader: Grader, mini: Assignment
) -> None:
    """Else each answer would be two guesses, of which either could win a check."""
    mine = "def double(x):\n    'mine'\n    return 2 * x"
    guesses = (
        "def triple(x):\n    mine = double.__doc__ == 'mine'\n"
        "    return 3 * x if (x.sum() < 0) == mine else x"
    )
    alone = grader.grade(answer(mini, double=mine, triple=guesses), "x").result
    assert alone.question("double").score == FIVE
    assert 0 < alone.question("triple").score < FIVE
    assert alone.question("triple").follow_through == []


def test_a_second_run_in_vain_shows_no_numbers_and_pictures_of_the_first(
    grader: Grader, mini: Assignment
) -> None:
    half = "def triple(x):\n    return double(x) + x + (x < 2)"
    verdict = grader.grade(answer(mini, double=WRONG, triple=half), "x").result.question("triple")
    assert verdict.follow_through == ["double"]
    assert {check.error_map for check in verdict.checks} == {None}
    assert all(check.message == f"This does not hold: {check.title}" for check in verdict.checks)


@pytest.mark.parametrize(
    ("diagnosis", "told"),
    [
        (Diagnosis("misconception", "seen_before", "You did."), True),
        (Diagnosis("kind", "operator", "Your answer gives the same."), True),
        (Diagnosis("kind", "squeezed", "An axis got lost."), False),
        (Diagnosis("kind", "of_one_question", "Look there."), False),
        (None, False),
    ],
)
def test_a_known_mistake_is_told_although_an_earlier_answer_is_wrong(
    diagnosis: Diagnosis | None, told: bool, grader: Grader, mini: Assignment
) -> None:
    check = CheckResult("values", "Values.", FIVE, False, "0.5 is wrong.", "wrong", diagnosis)
    wrong = QuestionResult("triple", "wrong", 0.0, FIVE, [check])
    runs = FollowThrough(grader.dependencies, grader.dependencies)
    found = runs.verdict(
        mini.question("triple"), {"double": wrong, "triple": wrong}, lambda question, cells: wrong
    )
    assert found.checks[0].diagnosis == (diagnosis if told else None)
    assert found.checks[0].message == "This does not hold: Values."


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("The model was asked while it trained.", "The model was asked while it trained.", True),
        ("The model was asked while it trained.", "Other words.", False),
        ("12% are wrong.", "12% are wrong.", False),
        (sentences.not_counted(), "Other words.", True),
    ],
)
def test_what_fails_in_the_same_words_on_right_earlier_answers_is_told_in_these(
    first: str, second: str, told: bool, grader: Grader, mini: Assignment
) -> None:
    def of(message: str) -> QuestionResult:
        check = CheckResult("values", "Values.", FIVE, False, message, "wrong")
        return QuestionResult("triple", "wrong", 0.0, FIVE, [check])

    runs = FollowThrough(grader.dependencies, grader.dependencies)
    found = runs.verdict(
        mini.question("triple"),
        {"double": of(first), "triple": of(first)},
        lambda question, cells: of(second),
    )
    assert found.checks[0].message == (first if told else "This does not hold: Values.")


def test_the_students_own_answer_may_rest_on_more_than_the_instructors(tmp_path: Path) -> None:
    assignment = mini_assignment(tmp_path)
    write_source(assignment)
    with Grader(assignment, LIMITS) as own:
        graded = own.grade(answer(assignment, double=WRONG, triple=RESTS), "x")
    assert scores(graded) == {"double": 0.0, "triple": FIVE}
    assert graded.result.question("triple").follow_through == ["double"]


def test_second_runs_have_no_time_of_their_own(mini: Assignment) -> None:
    """The cell takes three seconds, there are four, and a third of them more."""
    slow = f"import time\ntime.sleep(3)\n{RESTS}"
    limits = Limits(cell_seconds=9, probe_seconds=9, submission_seconds=4)
    with Grader(mini, limits) as brief:
        verdict = brief.grade(answer(mini, double=WRONG, triple=slow), "x").result.question(
            "triple"
        )
    assert (verdict.score, verdict.follow_through) == (0.0, ["double"])


def test_places_of_mistakes_are_looked_for_before_second_runs(
    mini: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what runs beside the instructor's answer could leave no time for it."""
    order: list[str] = []

    def noting(kind: type, name: str) -> None:
        own = getattr(kind, name)

        def noted(*given: Any) -> Any:
            order.append(name)
            return own(*given)

        monkeypatch.setattr(kind, name, noted)

    noting(Verdicts, "_place")
    noting(FollowThrough, "verdict")
    with Grader(mini, replace(LIMITS, search_seconds=1)) as own:
        own.grade(answer(mini, double="def double(x):\n    return 3 * x", triple=RESTS), "x")
    assert order == ["_place", "verdict", "verdict"]


def test_shapes_of_the_second_run_do_not_reach_the_messages(
    grader: Grader, mini: Assignment
) -> None:
    tells = "def triple(x):\n    return torch.zeros(777 if bool((double(x) != x).any()) else 3)"
    graded = grader.grade(answer(mini, double=WRONG, triple=tells), "x")
    assert "777" not in json.dumps(graded.result.as_dict())


def test_the_course_can_switch_it_off(mini: Assignment, tmp_path: Path) -> None:
    (tmp_path / "nbgrader_config.py").write_text(
        'c = get_config()\nc.GradeInBox.no_follow_through = ["mini"]\n'
    )
    settings = read_settings(tmp_path)
    with ready_grader(Course(tmp_path), mini, settings) as grader:
        graded = grader.grade(answer(mini, double=WRONG, triple=RESTS), "x")
    assert scores(graded) == {"double": 0.0, "triple": 0.0}


def test_a_course_without_sources_grades_as_well(tmp_path: Path) -> None:
    assignment = mini_assignment(tmp_path)
    with Grader(assignment, LIMITS) as grader:
        graded = grader.grade(answer(assignment, double=WRONG, triple=RESTS), "x")
    assert scores(graded) == {"double": 0.0, "triple": 0.0}

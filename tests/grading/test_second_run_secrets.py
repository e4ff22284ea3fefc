"""The instructor's code stays where it is: of a second run beside it hardly anything is told."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest
import second_runs
from conftest import IDS, GraderOf
from mini import answer
from second_runs import FIVE, SECRET, WRONG, scores, wrong_of

from autograder.checking.kinds import CLAUSES, COMMON, OBSERVED, SEEN_AS
from autograder.checking.misconceptions import misconceptions
from autograder.course.assignments import Assignment
from autograder.grading.change_library import Library
from autograder.grading.follow_through import FollowThrough
from autograder.grading.grader import Grader
from autograder.results import sentences
from autograder.results.model import CheckResult, Diagnosis, QuestionResult, Status, severest

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
mini, grader = second_runs.mini, second_runs.grader  # fixtures


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
    assert time.monotonic() - spent - graded.result.seconds > 1.5
    assert graded.result.question("triple").follow_through == ["double"]


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


KNOWN = Diagnosis("misconception", "tripled_twice", "You triple twice.")
SQUEEZED = Diagnosis("kind", "squeezed", OBSERVED["squeezed"])
OTHER = Diagnosis("misconception", "doubled_twice", "You double twice.")


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ([("wrong", KNOWN), ("wrong", KNOWN)], [KNOWN, KNOWN]),
        ([("wrong", KNOWN), ("ok", None)], [KNOWN, None]),
        ([("wrong", KNOWN), ("wrong", OTHER)], [None, None]),
        ([("wrong", KNOWN), ("wrong", None)], [None, None]),
        ([("wrong", KNOWN), ("error", KNOWN)], [None, None]),
        ([("wrong", replace(KNOWN, source="place"))] * 2, [None, None]),
        ([("wrong", replace(KNOWN, source="part"))] * 2, [None, None]),
        ([("wrong", Diagnosis("kind", "squeezed", "An axis got lost."))] * 2, [None, None]),
        ([("wrong", SQUEEZED)] * 2, [SQUEEZED, SQUEEZED]),
    ],
)
def test_of_a_mistake_of_its_own_one_name_is_told_that_explains_all_that_failed_there(
    second: list[tuple[Status, Diagnosis | None]],
    told: list[Diagnosis | None],
    grader: Grader,
    mini: Assignment,
) -> None:
    def of(*found: tuple[Status, Diagnosis | None], said: str) -> QuestionResult:
        checks = [
            CheckResult(n, n, 1.0, status == "ok", said * (status != "ok"), status, diagnosis)
            for n, (status, diagnosis) in zip("ab", found, strict=True)
        ]
        return QuestionResult("triple", severest(s for s, _ in found), 0.0, FIVE, checks)

    first = of(("wrong", None), ("wrong", None), said="0.5")
    runs = FollowThrough(grader.dependencies, grader.dependencies)
    found = runs.verdict(
        mini.question("triple"),
        {"double": wrong_of("double"), "triple": first},
        lambda *_: of(*second, said=SECRET),
    )
    assert [check.diagnosis for check in found.checks] == told
    assert SECRET not in json.dumps(found.as_dict())


@pytest.mark.parametrize("assignment", IDS)
def test_the_name_of_a_mistake_is_eleven_bits_at_most(assignment: str, grader_of: GraderOf) -> None:
    own = grader_of(assignment).assignment
    for question in own.questions:
        file = own.kinds_file(question.slug)
        words = {word for row in Library.load(file).kinds for _, word in row}
        kinds = (len({*CLAUSES, *COMMON} - {*OBSERVED})) * len({"", *words})
        mistakes = 2 * len(misconceptions(own, question.slug))  # in all cases, or in some
        assert mistakes + kinds + len(OBSERVED) + sum(map(len, SEEN_AS.values())) <= 2**11


def test_shapes_of_the_second_run_do_not_reach_the_messages(
    grader: Grader, mini: Assignment
) -> None:
    tells = "def triple(x):\n    return torch.zeros(777 if bool((double(x) != x).any()) else 3)"
    graded = grader.grade(answer(mini, double=WRONG, triple=tells), "x")
    assert "777" not in json.dumps(graded.result.as_dict())

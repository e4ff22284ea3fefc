"""The numbers of the class report, against cases worked out by hand."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_to_show import misconception

from autograder.pages.class_report.item_analysis import (
    Summary,
    discrimination,
    histogram,
    puzzles,
    question_items,
    share,
    summary,
    topics,
)
from autograder.results.model import (
    CheckResult,
    Diagnosis,
    QuestionResult,
    Status,
    SubmissionResult,
)
from autograder.results.sentences import not_counted


def check(name: str, *, passed: bool = False, points: float = 2.0, **more: Any) -> CheckResult:
    status: Status = "ok" if passed else "wrong"
    return CheckResult(name, f"The {name} is right.", points, passed, status=status, **more)


def question(slug: str, *checks: CheckResult, status: Status = "wrong") -> QuestionResult:
    score = sum(one.points for one in checks if one.passed)
    return QuestionResult(slug, status, score, sum(one.points for one in checks), list(checks))


def result(*questions: QuestionResult) -> SubmissionResult:
    score = sum(one.score for one in questions)
    most = sum(one.max_score for one in questions)
    return SubmissionResult(
        "ps1", "x", "graded", score, most, "full", 0.1, [], list(questions), "", "out-of-reach"
    )


def test_quartiles_are_interpolated_between_the_values() -> None:
    assert summary([4, 1, 3, 2]) == Summary(2.5, 1, 1.75, 2.5, 3.25, 4)


def test_one_value_is_its_own_mean_median_and_quartiles() -> None:
    assert summary([7]) == Summary(7, 7, 7, 7, 7, 7)


def test_a_score_at_a_border_counts_above_it_and_a_full_one_in_the_last_bin() -> None:
    assert histogram([0, 0.05, 0.1, 0.3, 0.7, 0.95, 1]) == [2, 1, 0, 1, 0, 0, 0, 1, 0, 2]


def test_extra_credit_and_a_negative_score_stay_in_the_outer_bins() -> None:
    assert histogram([-0.2, 1.3], bins=2) == [1, 1]


@given(st.lists(st.integers(0, 100), min_size=1))
def test_every_student_is_in_one_bin(points: list[int]) -> None:
    shares = [share(earned, 100) for earned in points]
    tens = [min(earned // 10, 9) for earned in points]
    assert histogram(shares) == [tens.count(place) for place in range(10)]


def test_nothing_can_be_lost_of_no_points() -> None:
    assert share(0, 0) == 1.0


def test_fewer_than_four_students_give_no_discrimination() -> None:
    assert discrimination([1, 2, 3], [0, 0.5, 1]) is None


def test_of_four_students_the_groups_have_one_each() -> None:
    assert discrimination([9, 5, 6, 1], [0.8, 0, 1, 0.3]) == pytest.approx(0.5)


def test_of_ten_students_the_groups_have_three_each() -> None:
    shares = [1, 1, 0.7, 0.4, 0.4, 0.4, 0.4, 0.6, 0, 0]
    assert discrimination(range(20, 10, -1), shares) == pytest.approx(0.9 - 0.2)


def test_a_question_that_weak_students_do_better_in_discriminates_negatively() -> None:
    assert discrimination([4, 3, 2, 1], [0, 0, 1, 1]) == -1


def test_students_tied_at_the_border_share_the_last_places() -> None:
    # Of eight the groups have two: one place is left for each of the three with 5 and with 1.
    totals = [9, 5, 5, 5, 1, 1, 1, 0]
    shares = [1, 1, 0.5, 0, 0.3, 0, 0, 0]
    assert discrimination(totals, shares) == pytest.approx((1 + 0.5) / 2 - (0 + 0.1) / 2)


def test_a_class_of_equals_discriminates_nothing() -> None:
    assert discrimination([5] * 6, [1, 0, 0.2, 0.4, 1, 0]) == 0


@given(st.randoms(use_true_random=False), st.lists(st.integers(0, 5), min_size=4, max_size=40))
def test_the_order_of_the_students_does_not_matter(order: random.Random, totals: list[int]) -> None:
    students = [(total, place % 3 / 2) for place, total in enumerate(totals)]
    mixed = order.sample(students, len(students))
    found = [discrimination(*zip(*each, strict=True)) for each in (students, mixed)]
    assert found[0] == pytest.approx(found[1])
    assert -1 <= (found[0] or 0) <= 1


def test_sums_that_differ_by_rounding_are_ties() -> None:
    assert discrimination([0.1 + 0.2, 0.3, 0.3, 0.3], [1, 0, 0, 0]) == 0


def class_of_four() -> dict[str, SubmissionResult]:
    best = result(
        question("one", check("shape", passed=True), check("value", passed=True), status="ok"),
        question("two", check("mask", passed=True), status="ok"),
    )
    half = result(
        question("one", check("shape", passed=True), check("value", message="No.")),
        question("two", check("mask", passed=True), status="ok"),
    )
    none = result(
        question("one", check("shape", message="Oh."), check("value", message="No.")),
        question("two", check("mask", message="It looks ahead.")),
    )
    return {"ann": none, "bob": half, "cem": best, "dan": half}


def test_a_question_tells_its_difficulty_discrimination_and_statuses() -> None:
    one, two = question_items(class_of_four())
    assert (one.number, one.slug, one.points) == (1, "one", 4.0)
    assert one.difficulty == pytest.approx((0 + 0.5 + 1 + 0.5) / 4)
    assert one.discrimination == 1
    assert one.statuses == [("ok", 1), ("wrong", 3)]
    assert (two.number, two.difficulty) == (2, 0.75)


def test_checks_come_hardest_first_with_the_message_most_read() -> None:
    value, shape = question_items(class_of_four())[0].checks
    assert (value.name, value.passed, value.total, value.message) == ("value", 1, 4, "No.")
    assert (shape.name, shape.share) == ("shape", 0.75)
    assert value.unexplained == ["ann", "bob", "dan"]


def test_a_question_without_points_has_neither_difficulty_nor_discrimination() -> None:
    bonus = result(question("bonus", check("extra", points=0.0)))
    (item,) = question_items(dict.fromkeys("abcde", bonus))
    assert (item.difficulty, item.discrimination) == (None, None)
    assert item.checks[0].passed == 0


def test_what_only_does_not_count_puzzles_nobody() -> None:
    waits = CheckResult("way", "By hand.", 1.0, passed=False, message=not_counted(), status="wrong")
    items = question_items({name: result(question("one", waits)) for name in "abc"})
    assert items[0].checks[0].unexplained == []
    assert puzzles(items) == []


def test_unanswered_questions_puzzle_nobody() -> None:
    empty = CheckResult("value", "It is right.", 1.0, False, "Unanswered.", "unanswered")
    items = question_items({name: result(question("one", empty)) for name in "abc"})
    assert items[0].checks[0].unexplained == []
    assert puzzles(items) == []


def test_gradings_past_an_earlier_wrong_answer_are_counted() -> None:
    later = QuestionResult("two", "ok", 1.0, 1.0, [], follow_through=["one"])
    plain = QuestionResult("two", "ok", 1.0, 1.0)
    items = question_items({"ann": result(later), "bob": result(plain)})
    assert items[0].second_gradings == 1


def test_a_misconception_counts_once_a_student_and_once_for_all_its_questions() -> None:
    said = {"diagnosis": misconception("unscaled", "You left it unscaled.")}
    both = result(
        question("one", check("value", **said), check("scale", **said)),
        question("two", check("value", **said)),
    )
    once = result(question("one", check("value", passed=True)), question("two", check("v", **said)))
    other = result(question("one", check("mask", diagnosis=misconception("late", "Too late."))))
    late, unscaled = sorted(
        topics({"bob": other, "dan": once, "ann": both}), key=lambda topic: topic.name
    )
    assert (unscaled.sentence, unscaled.slugs) == ("You left it unscaled.", ["one", "two"])
    assert unscaled.students == ["ann", "dan"]
    assert late.students == ["bob"]


def test_the_same_name_with_another_sentence_is_another_misconception() -> None:
    found = topics(
        {
            "ann": result(question("one", check("v", diagnosis=misconception("swap", "A.")))),
            "bob": result(question("two", check("v", diagnosis=misconception("swap", "B.")))),
        }
    )
    assert [(topic.sentence, topic.slugs) for topic in found] == [("A.", ["one"]), ("B.", ["two"])]


def test_lines_of_several_students_are_one_topic_that_names_no_line() -> None:
    places = [Diagnosis("place", kind, f"In line {n}.") for n, kind in enumerate(("line", "two"))]
    ann, bob = (result(question("one", check("v", diagnosis=one))) for one in places)
    (topic,) = topics({"ann": ann, "bob": bob})
    assert topic.students == ["ann", "bob"]
    assert not any(character.isdigit() for character in topic.sentence)


def test_the_most_frequent_misconception_comes_first() -> None:
    rare = result(question("one", check("v", diagnosis=misconception("rare", "R."))))
    often = result(question("one", check("v", diagnosis=misconception("often", "O."))))
    found = topics({"ann": rare, "bob": often, "cem": often})
    assert [(topic.name, len(topic.students)) for topic in found] == [("often", 2), ("rare", 1)]


def test_a_puzzle_is_the_check_of_a_question_that_most_failed_for_reasons_unknown() -> None:
    known = check("value", diagnosis=misconception("swap", "You swapped."))
    strange = result(question("one", check("shape"), check("value")))
    swapped = result(question("one", check("shape"), known))
    items = question_items({"ann": strange, "bob": swapped, "cem": swapped})
    assert [(found.slug, found.check.name) for found in puzzles(items)] == [("one", "shape")]
    assert puzzles(question_items({"ann": strange, "bob": result(known_only(known))})) == []


def known_only(known: CheckResult) -> QuestionResult:
    return question("one", check("shape", passed=True), known)

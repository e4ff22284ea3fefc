"""How sentences name several things, and what they quote of others."""

from __future__ import annotations

import pytest

from autograder.results import battery_sentences, sentences


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
    ],
)
def test_the_last_two_words_stand_at_both_sides_of_an_and(words: list[str], said: str) -> None:
    assert sentences.listed(words) == said


def test_sentences_that_name_several_things_read_as_sentences() -> None:
    three = ["one", "three", "two"]
    assert sentences.rests_on_hung("Your code", set(three)) == (
        "Your code rests on one, three and two, which ran out of time."
    )
    followed = sentences.followed_through(three, all_right=True)
    assert "answer to `one`, `three` and `two` in place" in followed
    assert sentences.followed_through(three, all_right=False).startswith(followed)
    assert "numbers in `one`, `three` and `two`." in battery_sentences.entries(three)
    assert "Your code calls `one` and `two`, which" in battery_sentences.forbidden(["one", "two"])
    assert "changes its input `x` and `y` in place" in battery_sentences.care("changed", ["x", "y"])
    returns = {"loss": "", "left": "N L", "right": "N"}
    assert battery_sentences.aspect("values", "step", returns).startswith(
        "`step` gives loss, left (N, L) and right (N) with the right values"
    )


def test_cells_that_are_left_out_for_one_reason_share_a_sentence() -> None:
    said = "Cell a ran out of time."
    assert sentences.left_out(said) == "Cell a ran out of time. It was left out."
    assert sentences.left_out(said, ["Your own cell `x = 1`"]) == (
        "Cell a ran out of time. It was left out, and for the same reason your own cell `x = 1`."
    )
    assert sentences.left_out(said, [f"Cell {letter}" for letter in "bcdef"]).endswith(
        "left out, and for the same reason cell b, cell c, cell d and 2 more."
    )


def test_what_an_exception_says_is_no_sentence_of_the_graders() -> None:
    text = "no.\n\nThe grader broke here: this question is not judged.\nScore: 10 of 10"
    said = sentences.raised("ValueError", text, ["line 3: stop()"])
    assert said.splitlines() == [
        "Your code raised ValueError: no.",
        "  The grader broke here: this question is not judged.",
        "  Score: 10 of 10",
        "  in your cell, line 3: stop()",
    ]
    assert sentences.raised("ValueError", "", []) == "Your code raised ValueError."


FORGED = "x\n\n**attention: 30 of 30 points**\u2028all held"


@pytest.mark.parametrize(
    "said",
    [
        sentences.missing_name(FORGED),
        sentences.cell_raised(FORGED, "", 3, sentences.not_defined(FORGED)),
        sentences.not_a_tensor("y", FORGED),
        sentences.unfit(FORGED, ""),
        battery_sentences.unregistered([FORGED, FORGED]),
        battery_sentences.no_such_layer([FORGED]),
        battery_sentences.care("altered", [FORGED]),
        battery_sentences.forbidden([FORGED]),
        battery_sentences.not_called(FORGED, ""),
    ],
)
def test_no_name_of_a_students_makes_a_line_of_its_own(said: str) -> None:
    assert "x **attention: 30 of 30 points** all held" in said
    assert len(said.splitlines()) == 1


def test_no_line_of_a_students_makes_another() -> None:
    said = sentences.raised("ValueError", "no", [f"line 3: {FORGED}"])
    assert [line[:17] for line in said.splitlines()] == ["Your code raised ", "  in your cell, l"]


def test_words_among_sizes_are_quoted() -> None:
    said = battery_sentences.in_case("ones", {"N": 1, "text": "The cat, least 2", "left": ""})
    assert (
        said
        == 'Where all sizes are as small as they may be (N 1, text "The cat, least 2", left ""):'
    )


@pytest.mark.parametrize(
    ("name", "lines", "said"),
    [
        ("AttributeError", [], "Your answer, or what it gives back, cannot be used as"),
        ("TypeError", [], "Calling your answer as the question says ended with TypeError: no"),
        ("AttributeError", ["line 2: x.get()"], "Your code raised AttributeError: no"),
    ],
)
def test_what_is_raised_outside_of_an_answer_is_not_said_to_be_raised_in_it(
    name: str, lines: list[str], said: str
) -> None:
    found = battery_sentences.raised_in("", {"name": name, "text": "no", "lines": lines})
    assert found.startswith(said)

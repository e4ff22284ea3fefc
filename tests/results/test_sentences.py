"""Words that a sentence names one after the other."""

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
    assert "answer to `one`, `three` and `two` in place" in sentences.followed_through(three)
    assert "numbers in `one`, `three` and `two`." in battery_sentences.entries(three)
    assert "Your code calls `one` and `two`, which" in battery_sentences.forbidden(["one", "two"])
    assert "changes its input `x` and `y` in place" in battery_sentences.care("changed", ["x", "y"])
    returns = {"loss": "", "left": "N L", "right": "N"}
    assert battery_sentences.aspect("values", "step", returns).startswith(
        "`step` gives loss, left (N, L) and right (N) with the right values"
    )

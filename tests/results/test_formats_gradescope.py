"""Gradescope's results.json: points and visibility of every check, and no score when ungraded."""

from __future__ import annotations

import json

import pytest
from results_to_show import IN_BOX, MIXED, UNGRADED

from autograder.errors import UsageError
from autograder.results.formats.gradescope import VISIBILITIES, Visibility, as_gradescope, refusal


def test_every_check_is_a_test_with_its_points() -> None:
    found = json.loads(as_gradescope([MIXED]))
    assert (found["score"], found["execution_time"]) == (6.5, 0.4125)
    assert found["stdout_visibility"] == "hidden"
    tests = found["tests"]
    assert [(t["number"], t["score"], t["max_score"], t["status"]) for t in tests] == [
        ("1.1", 2.0, 2.0, "passed"),
        ("1.2", 0.0, 3.0, "failed"),
        ("2.1", 4.5, 4.5, "passed"),
    ]
    assert tests[1]["name"] == "attention: The values are right."
    assert "Your softmax runs over the queries." in tests[1]["output"]
    assert MIXED.flags[0] in found["output"]


def test_what_students_wrote_is_shown_as_text() -> None:
    found = json.loads(as_gradescope([MIXED]))
    assert {found["output_format"], *(test["output_format"] for test in found["tests"])} == {"text"}
    assert "\x1b" not in found["tests"][1]["output"]


@pytest.mark.parametrize("visibility", VISIBILITIES)
def test_each_check_has_the_visibility_asked_for(visibility: Visibility) -> None:
    found = json.loads(as_gradescope([MIXED], visibility))
    assert {test["visibility"] for test in found["tests"]} == {visibility}


def test_questions_without_checks_are_tests_too() -> None:
    tests = json.loads(as_gradescope([IN_BOX]))["tests"]
    assert [(test["score"], test["max_score"]) for test in tests] == [(1.0, 1.0), (0.0, 2.0)]


def test_an_ungraded_submission_has_no_score_and_keeps_the_reason_from_students() -> None:
    text = as_gradescope([UNGRADED])
    assert "score" not in json.loads(text)
    assert "tests" not in json.loads(text)
    assert "not yours" in text
    assert "zygote" not in text


def test_a_refused_submission_earns_nothing_and_is_told_why() -> None:
    found = json.loads(refusal("Hand in a1.ipynb\x1b[2J."))
    assert (found["score"], found["output"]) == (0.0, "Hand in a1.ipynb.")


def test_several_results_are_refused() -> None:
    with pytest.raises(UsageError, match="one notebook"):
        as_gradescope([MIXED, IN_BOX])

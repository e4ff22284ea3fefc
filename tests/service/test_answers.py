"""What an answer tells at each level, and what it never tells."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from autograder.errors import Ungraded
from autograder.results import sentences
from autograder.results.model import CheckResult, Diagnosis, QuestionResult
from autograder.service.answers import answer, shown
from autograder.service.policy import Allowance, CheckService, Policy

ROWS = Diagnosis("misconception", "rows", "The rows are added, not the columns.")
RESULT = QuestionResult(
    "attention",
    "timeout",
    3.0,
    10.0,
    [
        CheckResult("shape", "The shape is right.", 3.0, True),
        CheckResult("values", "The values are right.", 4.0, False, "They are not.", "wrong", ROWS),
        CheckResult("large", "Large ones too.", 1.0, False, "They are not.", "wrong", ROWS),
        CheckResult("secret", "A hidden one.", 2.0, False, "Hidden words.", "timeout"),
    ],
)
LEFT = Allowance(9, 4.96)
ROOMS = "course"


def policy(**options: Any) -> Policy:
    return Policy.of(CheckService(**options))


def told(result: QuestionResult = RESULT, **options: Any) -> dict[str, Any]:
    return answer(policy(**options), ROOMS, result, LEFT)


def test_everything_is_told_where_everything_is_revealed() -> None:
    checks = [
        ("The shape is right.", True, None, None, 3.0),
        ("The values are right.", False, "They are not.", ROWS.sentence, 4.0),
        ("Large ones too.", False, sentences.AS_ABOVE, None, 1.0),
        ("A hidden one.", False, "Hidden words.", None, 2.0),
    ]
    names = ("title", "passed", "message", "diagnosis", "points")
    assert told(show_points=True) == {
        "question": "attention",
        "status": "timeout",
        "words": "ran out of time",
        "passed": False,
        "score": 3.0,
        "max_score": 10.0,
        "checks": [dict(zip(names, check, strict=True)) for check in checks],
        "reserved": 0,
        "rests_on": [],
        "attempts_left": 9,
        "next_in_seconds": 5.0,
    }


def test_only_passed_or_not_tells_nothing_else() -> None:
    found = told(reveal="passed")
    assert found["checks"] == []
    assert (found["score"], found["max_score"]) == (None, None)
    assert (found["status"], found["words"], found["passed"]) == ("wrong", "not right yet", False)
    others = [
        replace(RESULT, status=status, checks=RESULT.checks[1:2]) for status in ("error", "crash")
    ]
    assert [told(other, reveal="passed") for other in others] == [found, found]


@pytest.mark.parametrize(
    ("reveal", "messages", "diagnoses"),
    [
        ("titles", [None] * 4, [None] * 4),
        ("sentences", [None, "They are not.", sentences.AS_ABOVE, "Hidden words."], [None] * 4),
    ],
)
def test_each_level_tells_what_it_is_called_and_no_more(
    reveal: str, messages: list[str | None], diagnoses: list[str | None]
) -> None:
    found = told(reveal=reveal)
    assert [check["message"] for check in found["checks"]] == messages
    assert [check["diagnosis"] for check in found["checks"]] == diagnoses
    assert [check["title"] for check in found["checks"]] == [c.title for c in RESULT.checks]
    assert [check["passed"] for check in found["checks"]] == [True, False, False, False]
    assert {check["points"] for check in found["checks"]} == {None}


@pytest.mark.parametrize("reveal", ["passed", "titles", "sentences", "diagnoses"])
def test_a_reserved_check_stands_in_nothing_but_their_number(reveal: str) -> None:
    options: dict[str, Any] = {"reveal": reveal, "reserved": {ROOMS: ["attention/secret"]}}
    options["show_points"] = reveal != "passed"
    held = replace(RESULT.checks[-1], passed=True, message="", status="ok")
    both = [RESULT, replace(RESULT, status="wrong", score=5.0, checks=[*RESULT.checks[:-1], held])]
    one, other = (told(result, **options) for result in both)
    assert one == other
    assert one["reserved"] == 1
    assert "idden" not in json.dumps(one)
    right = [replace(check, passed=True, message="", status="ok") for check in RESULT.checks[:-1]]
    all_but_it = replace(RESULT, checks=[*right, RESULT.checks[-1]])
    found = told(all_but_it, **options)
    assert (found["passed"], found["status"], found["words"]) == (True, "ok", "right")
    assert found["score"] == found["max_score"]


def test_what_is_said_as_above_was_said_by_a_check_that_is_shown() -> None:
    found = told(reserved={ROOMS: ["attention/values"]})
    large = found["checks"][1]
    assert (large["message"], large["diagnosis"]) == ("They are not.", ROWS.sentence)


def test_a_reservation_that_hides_nothing_or_everything_gives_no_answer() -> None:
    with pytest.raises(Ungraded, match="secrets is reserved and is no check of attention"):
        told(reserved={ROOMS: ["attention/secrets"]})
    everything = [f"attention/{check.name}" for check in RESULT.checks]
    with pytest.raises(Ungraded, match="every check of attention is reserved"):
        told(reserved={ROOMS: everything})


def test_what_all_checks_say_is_said_once() -> None:
    said = [replace(check, passed=False, message="Not answered.") for check in RESULT.checks]
    found = told(replace(RESULT, status="unanswered", checks=said))
    messages = [check["message"] for check in found["checks"]]
    assert messages == ["Not answered.", None, None, None]


@pytest.mark.parametrize(("reveal", "earlier"), [("passed", []), ("titles", ["q"])])
def test_what_a_question_rests_on_is_told_where_it_did_not_pass(
    reveal: str, earlier: list[str]
) -> None:
    found = answer(policy(reveal=reveal), ROOMS, RESULT, LEFT, ["q"])
    assert found["rests_on"] == earlier
    right = replace(RESULT, status="ok", checks=RESULT.checks[:1])
    assert answer(policy(reveal=reveal), ROOMS, right, LEFT, ["q"])["rests_on"] == []


def test_another_assignments_reservations_are_its_own() -> None:
    found = shown(policy(reserved={"other": ["attention/secret"]}), ROOMS, RESULT)
    assert (found.reserved, len(found.checks)) == (0, 4)


def test_texts_have_nothing_that_a_terminal_obeys() -> None:
    check = CheckResult("values", "A \x1b[31mred\x1b[0m title", 1.0, False, "raised \x07\ud800")
    [found] = told(QuestionResult("attention", "wrong", 0, 1, [check]))["checks"]
    assert (found["title"], found["message"]) == ("A red title", "raised ?")

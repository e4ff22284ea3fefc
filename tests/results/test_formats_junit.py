"""JUnit XML: valid by its schema whatever students write, and ungraded is never a verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest
import xmlschema
from results_to_show import HOSTILE, IN_BOX, MIXED, RIGHT, UNGRADED

from autograder.results.formats.junit import as_junit
from autograder.results.model import QuestionResult, SubmissionResult

SCHEMA = xmlschema.XMLSchema(Path(__file__).parent / "schemas" / "junit.xsd")


def parsed(*results: SubmissionResult) -> Element:
    text = as_junit(results)
    SCHEMA.validate(text.partition("\n")[2])
    return fromstring(text.encode())


@pytest.mark.parametrize("result", [MIXED, RIGHT, IN_BOX, UNGRADED])
def test_every_kind_of_result_is_valid(result: SubmissionResult) -> None:
    parsed(result)


def test_the_schema_refuses_what_is_not_junit() -> None:
    text = as_junit([MIXED]).partition("\n")[2]
    for wrong in (text.replace("testcase", "case"), text.replace(' failures="1"', "")):
        assert not SCHEMA.is_valid(wrong)


def test_a_suite_counts_and_names_its_checks() -> None:
    root = parsed(MIXED, UNGRADED)
    assert [root.get(name) for name in ("tests", "failures", "errors")] == ["4", "1", "1"]
    suite = root[0]
    assert suite.get("name") == "s01/a1_attention_blocks.ipynb"
    cases = [(case.get("classname"), case.get("name")) for case in suite.iter("testcase")]
    assert cases == [
        ("a1_attention_blocks.attention", "check_shape"),
        ("a1_attention_blocks.attention", "check_values"),
        ("a1_attention_blocks.self_attention", "check_shape"),
    ]
    facts = {fact.get("name"): fact.get("value") for fact in suite.iter("property")}
    assert (facts["score"], facts["max_score"], facts["score.attention"]) == ("6.5", "9.5", "2/5")
    assert suite.findtext("system-out") == MIXED.flags[0]


def test_a_failure_tells_why_in_full_but_for_what_xml_cannot_hold() -> None:
    failure = parsed(MIXED).find(".//failure")
    assert failure is not None
    assert failure.get("type") == "softmax_over_queries"
    said = failure.text or ""
    assert "Your softmax runs over the queries." in said
    assert HOSTILE.splitlines()[0] in said


@pytest.mark.parametrize("questions", [UNGRADED.questions, MIXED.questions, []])
def test_what_is_ungraded_is_an_error_and_has_no_score(questions: list[QuestionResult]) -> None:
    root = parsed(replace(UNGRADED, questions=questions))
    assert root.find(".//failure") is None
    error = root.find(".//error")
    assert error is not None
    assert (error.get("type"), error.get("message")) == ("ungraded", UNGRADED.reason)
    assert "score" not in {fact.get("name") for fact in root.iter("property")}


def test_a_question_without_checks_is_a_case_of_its_own() -> None:
    cases = {case.get("name"): case.find("failure") for case in parsed(IN_BOX).iter("testcase")}
    assert cases["exact"] is None
    assert cases["partial"] is not None
    assert cases["partial"].get("type") == "timeout"

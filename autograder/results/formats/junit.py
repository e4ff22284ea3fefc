"""JUnit XML: a suite for each submission, a case for each check.

A failed check is a `failure`; what the grader could not judge is an `error`. Points, which JUnit
does not know, are properties of the suite.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from autograder.results.formats.commands import without_commands
from autograder.results.model import CheckResult, QuestionResult, SubmissionResult
from autograder.results.plain import one_line, straight
from autograder.results.text import check_lines, question_text


def as_junit(results: Sequence[SubmissionResult]) -> str:
    """The results as one `testsuites` document."""
    suites = [_suite(result) for result in results]
    counts = {
        name: str(sum(int(suite.attrib[name]) for suite in suites))
        for name in ("tests", "failures", "errors")
    }
    seconds = sum(result.seconds for result in results)
    root = Element("testsuites", {"name": "autograder", **counts, "time": f"{seconds:.3f}"})
    root.extend(suites)
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode")


def _suite(result: SubmissionResult) -> Element:
    cases = _cases(result)
    failures = sum(case.find("failure") is not None for case in cases)
    errors = sum(case.find("error") is not None for case in cases)
    suite = Element(
        "testsuite",
        name=_text(result.submission),
        tests=str(len(cases)),
        failures=str(failures),
        errors=str(errors),
        skipped="0",
        time=f"{result.seconds:.3f}",
    )
    properties = SubElement(suite, "properties")
    for name, value in _facts(result).items():
        SubElement(properties, "property", name=_text(name), value=_text(value))
    suite.extend(cases)
    if result.flags:
        SubElement(suite, "system-out").text = _text("\n".join(map(one_line, result.flags)))
    return suite


def _facts(result: SubmissionResult) -> dict[str, str]:
    facts = {"assignment": result.assignment, "status": result.status}
    if result.status == "graded":
        facts |= {"score": f"{result.score:g}", "max_score": f"{result.max_score:g}"}
        facts |= {f"score.{q.slug}": f"{q.score:g}/{q.max_score:g}" for q in result.questions}
    return {**facts, "sandbox": result.sandbox, "verdict": result.verdict}


def _cases(result: SubmissionResult) -> list[Element]:
    if result.status == "graded":
        return [case for q in result.questions for case in _question_cases(result.assignment, q)]
    case = Element("testcase", classname=_text(result.assignment), name="grading")
    SubElement(case, "error", type="ungraded", message=_text(result.reason))
    return [case]


def _question_cases(assignment: str, question: QuestionResult) -> list[Element]:
    """A case for each check; for the question itself where there are none."""
    where = _text(f"{assignment}.{question.slug}")
    if question.checks:
        return [_case(where, check) for check in question.checks]
    case = Element("testcase", classname=where, name=_text(question.slug))
    if question.status != "ok":
        said = _text(question_text(question))
        SubElement(case, "failure", type=question.status, message=said)
    return [case]


def _case(where: str, check: CheckResult) -> Element:
    case = Element("testcase", classname=where, name=_text(check.name))
    if not check.passed:
        kind = check.misconception or check.status
        failure = SubElement(case, "failure", type=_text(kind), message=_text(check.message))
        failure.text = _text("\n".join(check_lines(check)))
    return case


def _text(text: str) -> str:
    """`text` without what XML cannot hold."""
    return without_commands(straight(text))

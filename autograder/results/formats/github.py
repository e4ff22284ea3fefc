"""GitHub Actions: the step's summary, error annotations, and the result for GitHub Classroom.

The summary is HTML, which Markdown lets through as it is as long as no line is empty: so nothing in
it is read as Markdown, and escaping is that of HTML.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from autograder.files import write_out
from autograder.results.formats.commands import command, without_commands
from autograder.results.model import QuestionResult, SubmissionResult
from autograder.results.plain import straight
from autograder.results.text import Said, question_text

SUMMARY = "GITHUB_STEP_SUMMARY"
OUTPUT = "GITHUB_OUTPUT"

SUMMARY_BYTES = 1_000_000  # GitHub drops a summary above 1 MiB
DETAIL_CHARACTERS = 20_000  # of one question
ANNOTATIONS = 10  # of one step; GitHub shows no more
ANNOTATION_CHARACTERS = 2_000
CLASSROOM_BYTES = 90_000  # the reporter gets it, in base64, as an environment variable
MESSAGE_CHARACTERS = 500

_CUT = "<p>The rest is left out: GitHub shows 1 MiB at most.</p>"


def deliver(results: Sequence[SubmissionResult], output: Path | None) -> None:
    """Puts each part where GitHub looks for it.

    The summary goes to `output`, or to the end of the step's summary, or else to standard output;
    annotations go to standard output; the Classroom result becomes the step's output `result`.
    """
    steps = os.environ.get(SUMMARY)
    if output is not None:
        write_out(output, summary(results))
    elif steps:
        held = os.path.getsize(steps) if os.path.exists(steps) else 0
        _append(steps, summary(results, SUMMARY_BYTES - held))
    else:
        print(summary(results))
    print("\n".join(annotation_lines(results)))
    if outputs := os.environ.get(OUTPUT):
        encoded = base64.b64encode(classroom(results).encode()).decode()
        _append(outputs, f"result={encoded}\n")


def _append(path: str, text: str) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)


def summary(results: Sequence[SubmissionResult], most_bytes: int = SUMMARY_BYTES) -> str:
    """Markdown with a table for each result, and each question's report folded below it."""
    made = ""
    for block in (block for result in results for block in _blocks(result)):
        if len((made + block + _CUT).encode()) + 2 > most_bytes:
            return made + _CUT + "\n\n"
        made += block + "\n\n"
    return made


def _blocks(result: SubmissionResult) -> Iterable[str]:
    """Pieces of HTML that close what they open; none has an empty line."""
    title = f"<h2>{_html(result.assignment)}: {_total(result)}</h2>\n"
    origin = f"<p><code>{_html(result.submission)}</code>, sandbox {result.sandbox}</p>\n"
    if result.status == "ungraded":
        yield f"{title}{origin}<pre>{_html(result.reason)}</pre>"
        return
    rows = [
        f"<tr><td><code>{_html(q.slug)}</code></td><td>{_mark(q)} {q.status}</td>"
        f'<td align="right">{q.score:g} / {q.max_score:g}</td></tr>'
        for q in result.questions
    ]
    head = '<tr><th>question</th><th>status</th><th align="right">points</th></tr>'
    notes = [f"<li>{_html(flag)}</li>" for flag in result.flags]
    listed = ["<ul>", *notes, "</ul>"] if notes else []
    yield "\n".join([title + origin + "<table>", head, *rows, "</table>", *listed])
    for question in result.questions:
        report = question_text(question)[:DETAIL_CHARACTERS]
        yield (
            f"<details><summary><code>{_html(question.slug)}</code>: {question.status}</summary>\n"
            f"<pre>{_html(report)}</pre>\n</details>"
        )


def _total(result: SubmissionResult) -> str:
    if result.status == "ungraded":
        return "ungraded"
    return f"{result.score:g} of {result.max_score:g} points"


def _mark(question: QuestionResult) -> str:
    return "✅" if question.status == "ok" else "❌"


def _html(text: str) -> str:
    """`text` on one line, which is no command to the runner either, should it be printed."""
    return escape(straight(text)).replace("\n", "&#10;").replace("##[", "#&#35;[")


def annotation_lines(results: Sequence[SubmissionResult]) -> list[str]:
    """An error for each question that lost points, on its notebook; a notice of each total."""
    errors = [error for result in results for error in _errors(result)]
    totals = [
        command(
            "notice", f"{result.assignment}: {_total(result)}", file=straight(result.submission)
        )
        for result in results
    ]
    return errors[:ANNOTATIONS] + totals[:ANNOTATIONS]


def _errors(result: SubmissionResult) -> Iterable[str]:
    file = straight(result.submission)
    if result.status == "ungraded":
        yield command("error", straight(result.reason), file=file, title="ungraded")
        return
    for question in result.questions:
        if question.status != "ok":
            title = f"{question.slug}: {question.score:g} of {question.max_score:g} points"
            message = _why(question)[:ANNOTATION_CHARACTERS] or question.status
            yield command("error", message, file=file, title=straight(title))


def _why(question: QuestionResult) -> str:
    return "\n".join(
        line
        for check in question.checks
        if not check.passed
        for line in [straight(check.title), *Said.of(check).lines]
    )


def classroom(results: Sequence[SubmissionResult]) -> str:
    """The JSON that GitHub Classroom's reporter takes.

    As long as anything is ungraded the maximum is 0, for which the reporter tells no score.
    """
    ungraded = any(result.status == "ungraded" for result in results)
    tests = _tests(results, _by_check)
    failed = any(test["status"] != "pass" for test in tests)
    status = "error" if ungraded else "fail" if failed else "pass"
    most = 0 if ungraded else sum(result.max_score for result in results)
    found = ""
    for fewer in _shortened(results, tests):
        found = json.dumps({"version": 1, "status": status, "max_score": most, "tests": fewer})
        if len(found) <= CLASSROOM_BYTES:
            break
    return found


def _shortened(
    results: Sequence[SubmissionResult], tests: list[dict[str, Any]]
) -> Iterator[list[dict[str, Any]]]:
    """All tests; without their messages; one for each question; one for each notebook."""
    yield tests
    yield [{**test, "message": ""} for test in tests]
    yield _tests(results, _by_question)
    yield _tests(results, _by_notebook)


def _tests(
    results: Sequence[SubmissionResult],
    made: Callable[[SubmissionResult], Iterable[dict[str, Any]]],
) -> list[dict[str, Any]]:
    tests: list[dict[str, Any]] = []
    for result in results:
        if result.status == "ungraded":
            tests.append(_test(result.submission, "error", 0.0, straight(result.reason)))
        else:
            tests += made(result)
    return tests


def _by_check(result: SubmissionResult) -> Iterable[dict[str, Any]]:
    for question in result.questions:
        for check in question.checks:
            name, score = f"{question.slug}: {check.title}", check.points if check.passed else 0.0
            yield _test(name, _status(check.passed), score, "\n".join(Said.of(check).lines))
        if not question.checks:
            yield _of_question(question)


def _by_question(result: SubmissionResult) -> Iterable[dict[str, Any]]:
    return map(_of_question, result.questions)


def _of_question(question: QuestionResult) -> dict[str, Any]:
    return _test(question.slug, _status(question.status == "ok"), question.score, question.status)


def _by_notebook(result: SubmissionResult) -> Iterable[dict[str, Any]]:
    passed = all(question.status == "ok" for question in result.questions)
    yield _test(result.submission, _status(passed), result.score, "")


def _status(passed: bool) -> str:
    return "pass" if passed else "fail"


def _test(name: str, status: str, score: float, message: str) -> dict[str, Any]:
    """A test; the reporter prints its name and message, which therefore hold no commands."""
    return {
        "name": without_commands(straight(name)),
        "status": status,
        "score": score,
        "message": without_commands(message)[:MESSAGE_CHARACTERS],
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "duration": 0,
    }

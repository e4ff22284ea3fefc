"""Gradescope's results.json: a test for each check, with points and visibility."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args

from autograder.errors import UsageError
from autograder.results import sentences
from autograder.results.formats.commands import json_without_commands
from autograder.results.model import QuestionResult, SubmissionResult
from autograder.results.plain import one_line, straight
from autograder.results.text import Said, question_text

Visibility = Literal["visible", "after_due_date", "after_published", "hidden"]
VISIBILITIES: tuple[Visibility, ...] = get_args(Visibility)
ONE_FOR_GRADESCOPE = "Gradescope takes the result of one notebook: give only one"


def as_gradescope(results: Sequence[SubmissionResult], visibility: Visibility = "visible") -> str:
    """What Gradescope reads of one result; an ungraded one holds no score at all.

    Args:
        results: exactly one.
        visibility: when students see the tests and, with them, their score.

    Raises:
        UsageError: there are several results.
    """
    if len(results) != 1:
        raise UsageError(ONE_FOR_GRADESCOPE)
    [result] = results
    if result.status == "ungraded":
        return json_without_commands(_shown(sentences.not_graded()))
    return json_without_commands(_graded(result, visibility))


def refusal(why: str) -> str:
    """The results of a submission in which there is nothing to grade, which earns nothing."""
    return json_without_commands({**_shown(straight(why)), "score": 0.0})


def _shown(output: str) -> dict[str, Any]:
    return {"output": output, "output_format": "text", "stdout_visibility": "hidden"}


def _graded(result: SubmissionResult, visibility: Visibility) -> dict[str, Any]:
    facts = f"Graded in {result.seconds:.2f} s, sandbox {result.sandbox}."
    return {
        **_shown("\n".join([facts, *map(one_line, result.flags)])),
        "score": result.score,
        "execution_time": result.seconds,
        "tests": [
            {**test, "visibility": visibility}
            for number, question in enumerate(result.questions, start=1)
            for test in _tests(number, question)
        ],
    }


def _tests(number: int, question: QuestionResult) -> Iterator[dict[str, Any]]:
    """A test for each check; one for the question itself where there are none."""
    for place, check in enumerate(question.checks, start=1):
        yield {
            "name": straight(f"{question.slug}: {check.title}"),
            "number": f"{number}.{place}",
            "score": check.points if check.passed else 0.0,
            "max_score": check.points,
            "status": "passed" if check.passed else "failed",
            "output": "\n".join(Said.of(check).lines),
            "output_format": "text",
            "tags": [question.slug],
        }
    if not question.checks:
        yield {
            "name": straight(question.slug),
            "number": str(number),
            "score": question.score,
            "max_score": question.max_score,
            "status": "passed" if question.status == "ok" else "failed",
            "output": question_text(question),
            "output_format": "text",
        }

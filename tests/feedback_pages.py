"""Feedback pages on results of every kind, and on whatever a student may have written."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

from mini import nbgrader_cell
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograder.pages.feedback.content import Page, Region, feedback
from autograder.results.model import (
    CheckResult,
    Diagnosis,
    ErrorMap,
    QuestionResult,
    SubmissionResult,
)
from autograder.results.stored import RESULT_NAME

CAUSE = "Your softmax runs over the queries (`dim=1`): look at its axis."
HOSTILE_NAME = '"><script>alert(1)</script>'
HIDDEN = [Region("BEGIN HIDDEN TESTS", "END HIDDEN TESTS")]


def graded_cells(
    slug: str, score: float, points: float, source: str = "f(1)"
) -> list[NotebookNode]:
    """An answer and its test cell, with the score that nbgrader keeps."""
    word = re.sub(r"\W", "", slug)
    code = f"def {word}(x):\n    return 1"
    answer = nbgrader_cell(word, code, solution=True, locked=False)
    test = nbgrader_cell(f"check_{word}", source, grade=True, points=points, score=score)
    answer.metadata.nbgrader.grade_id = slug
    test.metadata.nbgrader.grade_id = f"check_{slug}"
    return [answer, test]


def check(name: str, points: float, *, passed: bool, **settings: object) -> CheckResult:
    status = "ok" if passed else "wrong"
    made = CheckResult(name, f"Rule of `{name}`.", points, passed=passed, status=status)
    return replace(made, **settings)  # type: ignore[arg-type]


SOFTMAX = Diagnosis("misconception", "softmax_over_queries", CAUSE)
ATTENTION = QuestionResult(
    "attention",
    "wrong",
    4.0,
    10.0,
    [
        check("shapes", 4.0, passed=True),
        check(
            "values",
            5.0,
            passed=False,
            message="`weights` has the right shape.\n  in your cell, line 2",
            diagnosis=SOFTMAX,
            error_map=ErrorMap("weights", [2, 3, 4], [[0, 0, 1, 4]] * 6),
        ),
        check("sums", 1.0, passed=False, diagnosis=SOFTMAX),
    ],
)
SELF_ATTENTION = QuestionResult(
    "self_attention",
    "wrong",
    2.0,
    15.0,
    [check("rests", 15.0, passed=False, message="Wrong.")],
    follow_through=["attention"],
)
ENCODER = QuestionResult("encoder", "ok", 5.0, 5.0, [check("waves", 5.0, passed=True)])
UNANSWERED = QuestionResult(
    "heads",
    "unanswered",
    0.0,
    20.0,
    [
        check(name, 10.0, passed=False, status="unanswered", message="Not answered.")
        for name in ("one", "two")
    ],
)


def page_of(
    folder: Path,
    *questions: QuestionResult,
    cells: tuple[NotebookNode, ...] = (),
    flags: tuple[str, ...] = (),
    **names: object,
) -> Page:
    """The page on a notebook of these questions, whose result lies in `folder`."""
    made = [c for q in questions for c in graded_cells(q.slug, q.score, q.max_score)]
    result = SubmissionResult(
        *("demo", "demo/demo.ipynb", "graded"),
        score=sum(q.score for q in questions),
        max_score=sum(q.max_score for q in questions),
        sandbox="full",
        seconds=1.0,
        flags=list(flags),
        questions=list(questions),
    )
    if questions:
        (folder / RESULT_NAME).write_text(json.dumps(result.as_dict()))
    said = {"assignment": "demo", "notebook": "demo", "student": "demo-student", **names}
    resources = {"nbgrader": said, "metadata": {"path": str(folder)}}
    return feedback(new_notebook(cells=[*made, *cells]), resources, HIDDEN)


def noisy_cells() -> list[NotebookNode]:
    """A student's cells with every kind of output, and wide ones."""
    wide = "word " * 60
    outputs = [
        new_output("stream", name="stdout", text=f"\x1b[31m{HOSTILE_NAME}\x1b[0m {wide}\n"),
        new_output("display_data", {"text/html": f"<table><tr><td>{'1' * 300}</td></tr></table>"}),
        new_output("display_data", {"text/latex": r"$\displaystyle \frac{a}{b}$"}),
        new_output("display_data", {"image/png": "iVBORw0KGgo="}, metadata={}),
        new_output("execute_result", {"text/plain": HOSTILE_NAME}),
        new_output("error", ename="E", evalue="", traceback=[HOSTILE_NAME, wide]),
    ]
    long = "$$" + "x + " * 80 + "y$$"
    return [
        new_markdown_cell(f"# Title\n\n{long}\n\n{'w' * 200}\n\n|a|b|\n|-|-|\n|{'1' * 200}|2|"),
        new_markdown_cell(
            "## Part\n\n![](attachment:none) [out](https://example.org)\n\n### Small"
        ),
        new_code_cell(f"# {'c' * 200}\nprint({HOSTILE_NAME!r})", outputs=outputs),
        nbgrader_cell("given", "import math\n" * 9),
    ]

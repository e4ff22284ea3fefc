"""What stands in an autograded notebook: each question's score, and whose work it is of."""

from __future__ import annotations

import hashlib
import json

from nbformat import NotebookNode

from autograder.course.cells import CHECK_PREFIX, grade_id
from autograder.results.model import QuestionResult, SubmissionResult
from autograder.results.text import question_text


def write_scores(notebook: NotebookNode, result: SubmissionResult) -> None:
    """Replaces every graded cell's outputs by its report and one finite score in [0, max]."""
    by_cell = {CHECK_PREFIX + question.slug: question for question in result.questions}
    for cell in notebook.cells:
        question = by_cell.get(grade_id(cell) or "")
        if question is not None:
            cell.outputs = _score_outputs(question)
            cell.execution_count = None


def _score_outputs(question: QuestionResult) -> list[NotebookNode]:
    score = min(max(question.score, 0.0), question.max_score)
    return [
        NotebookNode(output_type="stream", name="stdout", text=question_text(question) + "\n"),
        NotebookNode(
            output_type="execute_result",
            data=NotebookNode({"text/plain": repr(score)}),
            metadata=NotebookNode(),
            execution_count=None,
        ),
    ]


def code_digest(notebook: NotebookNode) -> str:
    """The digest of what somebody wrote, whatever came out of running it."""
    told = json.dumps([(cell.cell_type, cell.source) for cell in notebook.cells])
    return hashlib.sha256(told.encode()).hexdigest()[:16]

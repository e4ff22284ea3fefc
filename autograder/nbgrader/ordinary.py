"""Assignments without checks of their own: nbgrader's meaning of points and errors, in a box.

Theory of operation. The asserts of such an assignment stand in its cells, next to the student's
code, so its verdict is made in the box and not out of the student's reach; every result says so.
The cells run in a box as a kernel would run them. What nbgrader reads points from, the outputs of
the graded cells, can only lose by a limit: a cell that raised keeps an error, and so does a graded
cell whose outputs were cut, because nbgrader takes a cell without outputs for a passed one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from nbformat import NotebookNode
from nbgrader.utils import has_failed

from autograder.box.outside.replies import CellReply
from autograder.box.outside.zygotes import Zygote
from autograder.box.walls.policy import Tier
from autograder.course.cells import grade_id, is_graded
from autograder.course.gradebook import Grade
from autograder.course.limits import Limits
from autograder.errors import Ungraded
from autograder.grading.run_of_cells import RunOfCells, Terms
from autograder.grading.runs import by_some_zygote
from autograder.results import sentences
from autograder.results.model import QuestionResult, Status, SubmissionResult, added

SKIP_TAG = "skip-execution"

_STATUS_OF_ERROR: dict[str, Status] = {
    "AssertionError": "wrong",
    "CellTimeoutError": "timeout",
    "MemoryError": "memory",
    "DeadKernelError": "crash",
    "OutputLimit": "output",
}


@dataclass(frozen=True)
class Run:
    """How a notebook ran in a box.

    Attributes:
        seconds: wall clock of all its cells.
        flags: what was left out or cut, one sentence each.
    """

    sandbox: str
    seconds: float
    flags: list[str]


def run_in_box(
    notebook: NotebookNode,
    zygote_of: Callable[[], Zygote],
    limits: Limits,
    files: dict[str, Path],
) -> Run:
    """Runs the cells of `notebook`, which get their outputs, beside copies of `files`.

    Where the zygote ends meanwhile they are begun anew, with another one of `zygote_of`.

    Raises:
        Ungraded: the notebook is not written in Python, or there is no box.
    """
    _expect_python(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and _runs(cell)]
    numbered = NotebookNode(
        cells=[
            NotebookNode({**cell, "id": str(number), "outputs": [], "execution_count": None})
            for number, cell in enumerate(cells, start=1)
        ]
    )
    started = time.monotonic()

    def ran() -> tuple[Tier, list[str]]:
        zygote = zygote_of()
        with _OrdinaryRun(Terms(zygote, [], limits, files, seed=0), numbered) as run:
            run.run_cells()
        return zygote.tier, run.flags

    tier, flags = by_some_zygote(ran, numbered)
    for cell, done in zip(cells, numbered.cells, strict=True):
        cell.outputs, cell.execution_count = done.outputs, done.execution_count
    return Run(tier, round(time.monotonic() - started, 3), sentences.noted(flags))


def _expect_python(notebook: NotebookNode) -> None:
    """Boxes run Python whatever the kernel's name is; nbgrader's default language is Python too."""
    kernel = notebook.metadata.get("kernelspec", {})
    name, language = str(kernel.get("name", "python")), str(kernel.get("language", ""))
    if (language or name).lower().startswith("python"):
        return
    raise Ungraded(
        f"this notebook is written for the kernel '{name}', and a box runs Python only: "
        "it cannot be graded in this course"
    )


def _runs(cell: NotebookNode) -> bool:
    skipped = SKIP_TAG in cell.metadata.get("tags", []) and not is_graded(cell)
    return bool(cell.source.strip()) and not skipped


class _OrdinaryRun(RunOfCells):
    """Lets no error get lost: not to a patched traceback, not to a limit on output."""

    def _show(self, cell: NotebookNode, reply: CellReply) -> None:
        super()._show(cell, reply)
        shown = [output.get("ename") for output in cell.outputs]
        if reply.error is not None and reply.error not in shown:
            cell.outputs.append(_error(reply.error, "This cell raised an error."))
        elif is_graded(cell) and len(cell.outputs) < len(reply.outputs):
            cell.outputs.append(_error("OutputLimit", sentences.too_much_output(self._limits)))
        elif is_graded(cell) and reply.truncated:
            said = sentences.truncated(f"cell {grade_id(cell)}", self._limits)
            cell.outputs.append(_error("OutputLimit", said))


def _error(name: str, said: str) -> NotebookNode:
    return NotebookNode(output_type="error", ename=name, evalue=said, traceback=[f"{name}: {said}"])


def in_box_result(
    assignment: str, submission: str, notebook: NotebookNode, grades: Iterable[Grade], run: Run
) -> SubmissionResult:
    """The recorded verdict on one notebook."""
    cells = {grade_id(cell): cell for cell in notebook.cells}
    questions = [
        QuestionResult(
            grade.cell,
            _status(cells.get(grade.cell), grade),
            grade.auto_score or 0.0,
            grade.max_score,
        )
        for grade in grades
    ]
    return SubmissionResult(
        assignment=assignment,
        submission=submission,
        status="graded",
        score=added(question.score for question in questions),
        max_score=added(question.max_score for question in questions),
        sandbox=run.sandbox,
        seconds=run.seconds,
        flags=run.flags,
        questions=questions,
        verdict="in-box",
    )


def _status(cell: NotebookNode | None, grade: Grade) -> Status:
    if cell is None:
        return "unanswered"
    if grade.auto_score == grade.max_score and not has_failed(cell):
        return "ok"
    errors = [output.ename for output in cell.outputs if output.output_type == "error"]
    return _STATUS_OF_ERROR.get(errors[0], "error") if errors else "wrong"


def merged(
    name: str, result: SubmissionResult, earlier: SubmissionResult | None
) -> SubmissionResult:
    """`result` of notebook `name`, with what `earlier` says of the assignment's other notebooks.

    Its questions and flags get the notebook's name in front: ids are unique in a notebook only.
    """
    mark = f"{name}/"
    others = [q for q in earlier.questions if not q.slug.startswith(mark)] if earlier else []
    flags = [flag for flag in earlier.flags if not flag.startswith(mark)] if earlier else []
    own = [replace(question, slug=mark + question.slug) for question in result.questions]
    questions = sorted([*others, *own], key=lambda question: question.slug.partition("/")[0])
    return replace(
        result,
        score=added(question.score for question in questions),
        max_score=added(question.max_score for question in questions),
        flags=[*flags, *(mark + flag for flag in result.flags)],
        questions=questions,
    )

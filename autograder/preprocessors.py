"""The first door: preprocessors that `nbgrader autograde` and formgrader run.

Theory of operation. nbgrader converts a submission twice. While it sanitizes, `RepairCells` puts
the notebook back into the shape of its release and leaves its flags in the notebook's metadata,
which never comes from the student. While it autogrades, `GradeInBox` runs the cells in a box and
the checks in this process, then gives each graded cell exactly one output that nbgrader takes for
the score. An assignment without checks of its own keeps nbgrader's meaning: its cells run in the
box, and nbgrader reads their points from their outputs.
"""

from __future__ import annotations

import atexit
import json
from functools import cache
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import Execute, OverwriteCells
from traitlets.config import LoggingConfigurable

from autograder.authoring import guard_against_drift
from autograder.box.client import Zygote
from autograder.course import Assignment, Course, grade_id, released_assignment
from autograder.errors import Ungraded
from autograder.grading import Grader
from autograder.limits import Limits
from autograder.report import question_text
from autograder.results import QuestionResult, SubmissionResult
from autograder.session import Session
from autograder.submission import Repaired, repair

METADATA = "autograder"
RESULT_NAME = "result.json"

Converted = tuple[NotebookNode, dict[str, Any]]


class RepairCells(OverwriteCells):  # type: ignore[misc]
    """Takes ids, points, order and locked cells from the release, and answers from the student."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> Converted:
        assignment = _assignment(self, resources)
        if not assignment.has_checks:
            return super().preprocess(nb, resources)  # type: ignore[no-any-return]
        if not assignment.release_path.is_file():
            raise Ungraded(
                f"{assignment.release_path} is missing: "
                f"run `nbgrader generate_assignment {assignment.id}`"
            )
        repaired = repair(nb, assignment.release)
        for flag in repaired.flags:
            self.log.warning("%s: %s", resources["nbgrader"]["student"], flag)
        repaired.notebook.metadata[METADATA] = {
            "flags": repaired.flags,
            "unanswered": sorted(repaired.unanswered),
        }
        return repaired.notebook, resources


class GradeInBox(Execute):  # type: ignore[misc]
    """Runs cells in a box and checks in this process, and writes the scores nbgrader records."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> Converted:
        assignment = _assignment(self, resources)
        limits = Limits(cell_seconds=float(self.timeout)) if self.timeout else Limits()
        folder = _folder(self, resources)
        if not assignment.has_checks:
            with Session(_zygote(), nb, [], limits, _files(folder), seed=0) as session:
                session.run_cells()
            return nb, resources
        grader = _grader(assignment, limits, Path(_coursedir(self).root))
        left = nb.metadata.pop(METADATA)
        repaired = Repaired(nb, list(left["flags"]), frozenset(left["unanswered"]))
        graded = grader.grade_repaired(
            repaired, f"{resources['nbgrader']['student']}/{assignment.id}"
        )
        write_scores(graded.notebook, graded.result)
        text = json.dumps(graded.result.as_dict(), indent=1)
        (folder / RESULT_NAME).write_text(text + "\n", encoding="utf-8")
        return graded.notebook, resources


def write_scores(notebook: NotebookNode, result: SubmissionResult) -> None:
    """Replaces every graded cell's outputs by its report and one finite score in [0, max]."""
    by_cell = {f"check_{question.slug}": question for question in result.questions}
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


@cache
def _grader(assignment: Assignment, limits: Limits, root: Path) -> Grader:
    """One warm grader for each assignment, which ends with the program."""
    grader = Grader(assignment, limits)
    atexit.register(grader.close)
    guard_against_drift(Course(root), grader)
    return grader


@cache
def _zygote() -> Zygote:
    """One warm zygote for assignments without checks, which ends with the program."""
    zygote = Zygote()
    atexit.register(zygote.close)
    return zygote


def _coursedir(preprocessor: LoggingConfigurable) -> Any:
    """nbgrader's CourseDirectory: the exporter's parent is the converter, which holds it."""
    return preprocessor.parent.parent.coursedir  # type: ignore[union-attr]


def _assignment(preprocessor: LoggingConfigurable, resources: dict[str, Any]) -> Assignment:
    coursedir = _coursedir(preprocessor)
    name = resources["nbgrader"]["assignment"]
    return released_assignment(
        name, Path(coursedir.format_path(coursedir.release_directory, ".", name)).resolve()
    )


def _folder(preprocessor: LoggingConfigurable, resources: dict[str, Any]) -> Path:
    """Where nbgrader is writing this submission's autograded notebook."""
    coursedir, names = _coursedir(preprocessor), resources["nbgrader"]
    path = coursedir.format_path(
        coursedir.autograded_directory, names["student"], names["assignment"]
    )
    return Path(path).resolve()


def _files(folder: Path) -> dict[str, Path]:
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".ipynb")
    return {str(path.relative_to(folder)): path for path in found}

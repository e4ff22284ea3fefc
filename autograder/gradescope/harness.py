"""One submission inside of Gradescope: found, graded, and written where Gradescope reads it.

What the student can put right, like a missing notebook, is told and earns nothing. A fault of the
grader's own leaves results without a score, which Gradescope does not take for a grade.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from nbformat import NotebookNode

from autograder.course.assignments import Assignment, Course
from autograder.course.settings import Settings, read_settings
from autograder.errors import Ungraded, UnreadableSubmission, UsageError
from autograder.intake.belonging import origin, released_in_folder
from autograder.intake.submission import read_notebook
from autograder.results.formats.gradescope import Visibility, as_gradescope, refusal
from autograder.results.model import SubmissionResult

GRADED, UNGRADED = 0, 3


def grade_submission(root: Path, visibility: Visibility) -> int:
    """Grades what lies in `root`/submission by the course in the working folder.

    Returns:
        the exit code: 0, or 3 when the submission is ungraded.
    """
    course = Course.find()
    [assignment_id] = course.released_ids()
    assignment, settings = course.assignment(assignment_id), read_settings(course.root)
    results = root / "results" / "results.json"
    results.parent.mkdir(exist_ok=True)
    try:
        name, notebook = submitted(root / "submission", assignment, settings.limits.notebook_bytes)
    except UnreadableSubmission as refused:
        results.write_text(refusal(str(refused)), encoding="utf-8")
        return GRADED
    result = _result(course, assignment, settings, name, notebook)
    results.write_text(as_gradescope([result], visibility), encoding="utf-8")
    if result.status == "ungraded":
        print(f"ungraded: {result.reason}")  # which only instructors see
        return UNGRADED
    return GRADED


def _result(
    course: Course, assignment: Assignment, settings: Settings, name: str, notebook: NotebookNode
) -> SubmissionResult:
    from autograder.nbgrader.single import opened_grader
    from autograder.results.ungraded import ungraded

    try:
        with opened_grader(course, assignment, settings) as grade:
            result = grade(notebook, name)
    except (Ungraded, UsageError) as fault:
        return ungraded(assignment, name, str(fault))
    wanted = assignment.release_path.name
    renamed = [] if name == wanted else [f"{name} was graded as {wanted}"]
    return replace(result, flags=[*renamed, *result.flags])


def submitted(folder: Path, assignment: Assignment, max_bytes: int) -> tuple[str, NotebookNode]:
    """The notebook to grade, and its path in `folder`.

    It is the one that has the assignment's name, or else the only one of the assignment.

    Raises:
        UnreadableSubmission: there is none, or more than one.
    """
    wanted, found = assignment.release_path.name, _notebooks(folder)
    if wanted in found:
        found = [wanted]
    read: dict[str, NotebookNode] = {}
    refused: list[str] = []
    for name in found:
        try:
            read[name] = read_notebook(folder / name, max_bytes)
        except UnreadableSubmission as error:
            refused.append(str(error).replace(f"{folder}{os.sep}", ""))
    released = released_in_folder(assignment.release_path.parent)
    fitting: dict[str, NotebookNode] = {}
    for name, notebook in read.items():
        try:
            origin(notebook, released, name, assignment.id)
            fitting[name] = notebook
        except UnreadableSubmission as error:
            refused.append(str(error))
    if len(fitting) == 1:
        return fitting.popitem()
    if fitting:
        several = f"These are all notebooks of {assignment.id}: {', '.join(fitting)}"
        raise UnreadableSubmission(f"{several}. Hand in one, named {wanted}.")
    raise UnreadableSubmission(
        "\n".join(refused) or f"There is no notebook in the submission: hand in {wanted}."
    )


def _notebooks(folder: Path) -> list[str]:
    """The paths of notebooks in `folder`, without what editors and archivers leave behind."""
    found = (path.relative_to(folder) for path in folder.rglob("*.ipynb"))
    return sorted(
        str(path)
        for path in found
        if not any(part.startswith((".", "__MACOSX")) for part in path.parts)
    )

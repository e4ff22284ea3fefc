"""A grader that has been seen to be safe and true: what every door starts grading with."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import islice
from pathlib import Path

from nbformat import NotebookNode

from autograder.box.outside.canaries import guard_against_breaches
from autograder.checking.expected import Recorder
from autograder.checking.misconceptions import misconceptions
from autograder.course.assignments import Assignment, Course
from autograder.course.cells import CHECK_PREFIX, error_in, name_of
from autograder.course.pace import Pace
from autograder.course.settings import Settings
from autograder.errors import Ungraded, Unready, UsageError
from autograder.files import write_whole
from autograder.grading.grader import Grader
from autograder.grading.identity import Identity, versions, versions_line
from autograder.intake.submission import repair
from autograder.results.model import Graded
from autograder.results.text import question_text


def ready_grader(
    course: Course,
    assignment: Assignment,
    settings: Settings,
    lender: str = "",
    kept: Path | None = None,
) -> Grader:
    """A grader that has been seen to be safe and true: the one way to start grading a course.

    Args:
        lender: where to ask for zygotes before one is started.
        kept: where it is remembered that it was true; None for the course's own folder.

    Raises:
        Unready: it is not.
    """
    follows_through = assignment.id not in settings.no_follow_through
    grader = Grader(assignment, settings.limits, follows_through=follows_through, lender=lender)
    try:
        guard_against_breaches(
            grader.zygote, course.root, settings.limits, trust_notebooks=settings.trust_notebooks
        )
        guard_against_drift(course, grader, settings, kept)
    except BaseException as error:
        grader.close()
        if isinstance(error, Ungraded):
            raise Unready(str(error)) from error
        raise
    return grader


def guard_against_drift(
    course: Course, grader: Grader, settings: Settings, kept: Path | None = None
) -> None:
    """Grades the instructor's solution: with this torch it must still earn every point.

    How long that takes tells the grader how slow this machine is. A success is remembered until
    something changes that verdicts depend on: in the folder `kept`, or else the course's own.

    Raises:
        Ungraded: it does not, so no verdict of this run could be trusted.
    """
    assignment = grader.assignment
    memory = (kept or course.drift_memory) / Identity.of(assignment, settings).state
    stored = Pace.load(assignment.pace_file)
    if memory.is_file():
        grader.pace = replace(stored, slowness=float(memory.read_text()))
        return
    _expect_misconceptions(assignment)
    grader.pace = Pace()
    graded = grader.grade(assignment.solved, "solution")
    if failed := failures(graded):
        here = versions_line(versions())
        if by_itself := _failures_by_itself(grader):
            raise Ungraded(
                f"the instructor's solution of {assignment.id} fails its own checks under {here}, "
                f"whatever tensors are expected: mend the check or the solution:\n{by_itself}"
            )
        raise Ungraded(
            f"the expected tensors of {assignment.id} do not fit the instructor's solution under "
            f"{here}; run `autograder expected {assignment.id} --check`:\n{failed}"
        )
    slowness = stored.slower_by(graded.pace) if graded.pace else 1.0
    grader.pace = replace(stored, slowness=slowness)
    memory.parent.mkdir(parents=True, exist_ok=True)
    write_whole(memory, f"{slowness:.2f}".encode())


def failures(graded: Graded) -> str:
    """What went wrong: the first cell that raised, an import maybe, then all that rests on it."""
    failed = [question_text(q) for q in graded.result.questions if q.status != "ok"]
    raised = (
        f"cell {cell.id} raised {error}"
        for cell in graded.notebook.cells
        if (error := error_in(cell))
    )
    return "\n".join([*islice(raised, 1), *failed]) if failed else ""


def _failures_by_itself(grader: Grader) -> str:
    """What of the solution goes wrong where every tensor is as expected."""
    recorders: defaultdict[str, Recorder] = defaultdict(lambda: Recorder({}))
    repaired = repair(grader.assignment.solved, grader.assignment.release)
    return failures(grader.grade_repaired(repaired, "solution", recorders.__getitem__))


def fails_visibly(grader: Grader) -> str:
    """Which cell that students see the solution fails, and how; empty where it fails none."""
    repaired = repair(grader.assignment.solved, grader.assignment.release)
    with grader.ran(repaired.notebook.cells):
        return visible_failure(repaired.notebook)


def visible_failure(notebook: NotebookNode) -> str:
    """The first cell of a run notebook whose check students see, if one raised, and what."""
    for cell in notebook.cells:
        if name_of(cell).startswith(CHECK_PREFIX) and (raised := error_in(cell)):
            return f"the cell {name_of(cell)} raised {raised}"
    return ""


def _expect_misconceptions(assignment: Assignment) -> None:
    """Raises Ungraded where a file of them cannot be read: it would cost every wrong answer."""
    for question in assignment.questions:
        try:
            misconceptions(assignment, question.slug)
        except UsageError as error:
            raise Ungraded(str(error)) from error

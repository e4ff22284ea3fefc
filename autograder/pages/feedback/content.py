"""What the feedback page of one notebook says, ready for its template.

Scores, comments and the late penalty are those of nbgrader's gradebook, which `GradesToShow` leaves
in the notebook; what each check found stands in the result beside the notebook. Where there is no
result, as in a course that stock nbgrader graded, the page shows the rest. All of this is text that
students wrote or chose: the template escapes whatever it prints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from nbformat import NotebookNode
from nbgrader.preprocessors import GetGrades

from autograder.course.cells import CHECK_PREFIX, grade_id, is_graded, is_solution, is_task
from autograder.course.gradebook import is_waiting
from autograder.pages.feedback.summary import (
    FirstLook,
    Row,
    State,
    first_look,
    has_score,
    human,
    row_of,
)
from autograder.results.model import QuestionResult, SubmissionResult
from autograder.results.plain import straight
from autograder.results.stored import sound_result

Kind = Literal["text", "answer", "added", "given", "tests", "raw"]


class GradesToShow(GetGrades):  # type: ignore[misc]
    """Leaves in each graded cell what the gradebook holds of it."""

    def _get_score(self, cell: NotebookNode, resources: dict[str, Any]) -> None:
        super()._get_score(cell, resources)
        names = (self.notebook_id, self.assignment_id, self.student_id)
        grade = self.gradebook.find_grade(grade_id(cell), *names)
        cell.metadata.nbgrader.update(
            waiting=is_waiting(grade),
            by_hand=grade.manual_score is not None,
            extra_credit=grade.extra_credit or 0.0,
        )


LABELS: dict[Kind, str] = {"answer": "Your answer", "added": "Your own cell"}
OWN_MARKUP = ("<table", "<h")
DRAWN = ("<img", "style=")
"""What makes a text look like a part of this page: in its source, and in what is made of it."""


@dataclass(frozen=True)
class ShownCell:
    """A cell of the notebook.

    Attributes:
        outputs: those that a student may see.
        row: the verdict that stands beneath it.
        comment: what the instructor wrote about it, as Markdown.
    """

    kind: Kind
    cell: NotebookNode
    source: str
    outputs: Sequence[NotebookNode]
    row: Row | None
    comment: str

    @property
    def lines(self) -> int:
        return self.source.count("\n") + 1

    @property
    def label(self) -> str:
        """Whose it is; of a text see `looks_like_a_page`."""
        return LABELS.get(self.kind, "")


def looks_like_a_page(source: str, made: str) -> bool:
    """Whether a text, and the HTML that was made of it, could be taken for the page's own words."""
    written = source.lower()
    return any(word in written for word in OWN_MARKUP) or any(word in made for word in DRAWN)


@dataclass(frozen=True)
class Page:
    """All that the template shows."""

    title: str
    student: str
    score: float
    max_score: float
    late_penalty: float
    rows: list[Row]
    first: FirstLook | None
    cells: list[ShownCell]
    flags: list[str]

    @property
    def share(self) -> float:
        """Percent of the points that are earned."""
        return 100 * min(max(self.score / self.max_score, 0.0), 1.0) if self.max_score else 0.0

    @property
    def state(self) -> State:
        return "full" if self.score >= self.max_score else "part" if self.score > 0 else "none"

    @property
    def full(self) -> int:
        """How many questions have all their points."""
        return sum(row.state == "full" for row in self.rows)

    @property
    def waiting(self) -> list[str]:
        """Titles of what a person has still to grade."""
        return [row.title for row in self.rows if row.state == "waiting"]


@dataclass(frozen=True)
class Region:
    """The words that enclose what stays with the instructor, as a course configured them."""

    begin: str
    end: str

    def cut_from(self, source: str) -> str:
        """`source` without its regions; one that does not end goes on to the end."""
        kept, inside = [], False
        for line in source.split("\n"):
            inside = inside or self.begin in line
            if not inside:
                kept.append(line)
            inside = inside and self.end not in line
        return "\n".join(kept)


def feedback(
    notebook: NotebookNode, resources: Mapping[str, Any], hidden: Sequence[Region]
) -> Page:
    """The page on an autograded notebook that holds nbgrader's grades."""
    names = resources.get("nbgrader", {})
    result = sound_result(Path(resources["metadata"].get("path", "")))
    found = _by_cell(result, names.get("notebook", "")) if result else {}
    rows: dict[str | None, Row] = {}
    for cell in filter(has_score, notebook.cells):
        name = grade_id(cell) or ""
        rows[name] = row_of(cell, len(rows) + 1, found.get(name))
    listed = list(rows.values())
    return Page(
        title=_page_title(names.get("assignment", ""), names.get("notebook", "")),
        student=names.get("student", ""),
        score=max(0.0, names.get("score", sum(row.score for row in listed))),
        max_score=names.get("max_score", sum(row.max_score for row in listed)),
        late_penalty=names.get("late_penalty", 0.0),
        rows=listed,
        first=first_look(listed),
        cells=[_shown(cell, rows.get(grade_id(cell)), hidden) for cell in notebook.cells],
        flags=_flags(result, names.get("notebook", "")) if result else [],
    )


def _by_cell(result: SubmissionResult, notebook: str) -> dict[str, QuestionResult]:
    """What was found of each graded cell of one notebook, by grade_id."""
    if result.verdict == "in-box":
        return {
            question.slug.removeprefix(f"{notebook}/"): question for question in result.questions
        }
    return {CHECK_PREFIX + question.slug: question for question in result.questions}


def _flags(result: SubmissionResult, notebook: str) -> list[str]:
    """Those of one notebook: in a result on several, each has its notebook's name in front."""
    if not any("/" in question.slug for question in result.questions):
        return result.flags
    mark = f"{notebook}/"
    return [flag.removeprefix(mark) for flag in result.flags if flag.startswith(mark)]


def _page_title(assignment: str, notebook: str) -> str:
    title = human(assignment or notebook, 1)
    return title if notebook in ("", assignment) else f"{title}: {human(notebook, 1)}"


def _shown(cell: NotebookNode, row: Row | None, hidden: Sequence[Region]) -> ShownCell:
    kind, source, outputs = _kind(cell), cell.source, cell.get("outputs", [])
    if kind == "tests" or is_task(cell):
        for region in hidden:
            source = region.cut_from(source)
    if kind == "tests" and row is not None:
        if row.question is not None and row.question.checks:
            outputs = []  # the report on the same checks, and the score
        elif source != cell.source:
            outputs = _without_hidden_tests(outputs)
    settings = cell.metadata.get("nbgrader", {})
    return ShownCell(kind, cell, straight(source), outputs, row, settings.get("comment") or "")


def _kind(cell: NotebookNode) -> Kind:
    if cell.cell_type != "code":
        return "raw" if cell.cell_type == "raw" else "answer" if is_solution(cell) else "text"
    if grade_id(cell) is None:
        return "added"
    if is_solution(cell):
        return "answer"
    return "tests" if is_graded(cell) else "given"


def _without_hidden_tests(outputs: Sequence[NotebookNode]) -> list[NotebookNode]:
    """Only which errors were raised: all else may quote a hidden test or a value it expects."""
    names = [output.ename for output in outputs if output.output_type == "error"]
    return [
        NotebookNode(output_type="error", ename=name, evalue="", traceback=[f"{name} in a test"])
        for name in names
    ]

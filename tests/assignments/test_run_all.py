"""Whole assignments: restart and run all is clean, and the same once more, in a box."""

from __future__ import annotations

import re
from typing import Any

import nbformat
import pytest
from conftest import IDS, ExecutedOf
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from normal_form import in_normal_form
from running import RUN_ALL_SECONDS, solved

from autograder.course.assignments import Course
from autograder.course.limits import Limits
from autograder.course.pace import Pace
from autograder.grading.runs import Runs
from autograder.pages.feedback.content import feedback
from autograder.pages.feedback.exporter import rendered
from autograder.pages.inert import SanitizeOutputs

AS_A_STUDENT = "import os\n\ndel os.environ['NBGRADER_EXECUTION']"  # graded, it is shorter
PATIENT = Limits(cell_seconds=RUN_ALL_SECONDS, submission_seconds=5 * RUN_ALL_SECONDS)
NO_WORDS = "No description has been provided for this image"  # says nbconvert
UNKNOWN = "Picture that this cell drew"  # says the feedback page


@pytest.mark.parametrize("name", IDS)
def test_restart_and_run_all_of_a_solved_assignment_is_clean_and_the_same_in_a_box(
    name: str, course: Course, executed_of: ExecutedOf
) -> None:
    first, second = executed_of(name), solved(name)
    assert first.cells.pop().outputs[0].text == "asked for: []\n"
    second.cells.insert(0, nbformat.v4.new_code_cell(AS_A_STUDENT))
    with (
        Runs(course.assignment(name), PATIENT, pace=Pace()) as runs,
        runs.session(second) as session,
    ):
        session.run_cells()
    assert session.flags == []
    del first.cells[0], second.cells[0]
    code = [cell for cell in first.cells if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    assert sum("image/png" in o.get("data", {}) for o in outputs) >= 6
    for one, other in zip(first.cells, second.cells, strict=True):
        if one.cell_type == "code":
            assert one.execution_count == other.execution_count
            assert shown_by(one) == shown_by(other), one.id
    page, _ = HTMLExporter().from_notebook_node(first)
    assert NO_WORDS not in page
    SanitizeOutputs().preprocess(first, {})
    shown = rendered(feedback(first, {"metadata": {}}, []))
    words = re.findall(r'<img[^>]*? alt="([^"]*)"', shown)
    assert len(words) >= 6
    assert [text for text in words if len(text.split()) < 5 or text.startswith(UNKNOWN)] == []


def shown_by(cell: NotebookNode) -> list[dict[str, Any]]:
    """The outputs of a cell without what a kernel alone notes beside them."""
    return in_normal_form(
        [{k: v for k, v in output.items() if k != "metadata"} for output in cell.outputs]
    )

"""Whole assignments: restart and run all is clean, and a box shows the same a second time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import IDS, ExecutedOf
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from normal_form import in_normal_form
from running import RUN_ALL_SECONDS, printed, run_in_kernel, solved

from autograder.box.wire import MIME_TYPES
from autograder.course.assignments import Course
from autograder.course.limits import Limits
from autograder.course.pace import Pace
from autograder.grading.grader import Grader
from autograder.pages.feedback.content import feedback
from autograder.pages.feedback.exporter import rendered
from autograder.pages.inert import SanitizeOutputs

NO_WORDS = "No description has been provided for this image"  # says nbconvert
UNKNOWN = "Picture that this cell drew"  # says the feedback page
GENEROUS = Limits(cell_seconds=RUN_ALL_SECONDS, submission_seconds=4 * RUN_ALL_SECONDS)


@pytest.mark.parametrize("name", IDS)
def test_restart_and_run_all_of_a_solved_assignment_is_clean(
    name: str, executed_of: ExecutedOf
) -> None:
    notebook = executed_of(name)
    assert printed(notebook, "told") == "asked for: []\nleft: []\n"
    notebook.cells.pop()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    assert sum("image/png" in o.get("data", {}) for o in outputs) >= 6
    del notebook.cells[0]
    page, _ = HTMLExporter().from_notebook_node(notebook)
    assert NO_WORDS not in page
    SanitizeOutputs().preprocess(notebook, {})
    shown = rendered(feedback(notebook, {"metadata": {}}, []))
    words = re.findall(r'<img[^>]*? alt="([^"]*)"', shown)
    assert len(words) >= 6
    assert [text for text in words if len(text.split()) < 5 or text.startswith(UNKNOWN)] == []


@pytest.mark.parametrize("name", IDS)
def test_a_box_puts_out_what_a_kernel_does(name: str, course: Course, tmp_path: Path) -> None:
    """So every run of the notebook puts out the same, and every cell in a box what it should."""
    assignment, ours, theirs = course.assignment(name), solved(name), solved(name)
    run_in_kernel(theirs, assignment, tmp_path, graded=True)
    with Grader(assignment, GENEROUS, pace=Pace()) as grader, grader.session(ours) as session:
        session.run_cells()
    assert session.flags == []
    for found, wanted in zip(ours.cells, theirs.cells, strict=True):
        if found.cell_type == "code":
            assert found.execution_count == wanted.execution_count
            assert in_normal_form(found.outputs) == in_normal_form(passed_on(wanted)), wanted.id


def passed_on(cell: NotebookNode) -> list[NotebookNode]:
    """Its outputs in the forms that leave a box: not interactive figures, see the tests of a5."""
    for output in cell.outputs:
        if "data" in output:
            output.data = {mime: data for mime, data in output.data.items() if mime in MIME_TYPES}
    outputs: list[NotebookNode] = cell.outputs
    return outputs

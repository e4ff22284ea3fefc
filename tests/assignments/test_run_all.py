"""Whole assignments: restart and run all is clean, and the same twice."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from conftest import IDS, ExecutedOf
from nbconvert import HTMLExporter
from normal_form import in_normal_form
from running import run_in_kernel, solved

from autograder.course.assignments import Course
from autograder.pages.feedback.content import feedback
from autograder.pages.feedback.exporter import rendered
from autograder.pages.inert import SanitizeOutputs

NO_WORDS = "No description has been provided for this image"  # says nbconvert
UNKNOWN = "Picture that this cell drew"  # says the feedback page


@pytest.mark.parametrize("name", IDS)
def test_restart_and_run_all_of_a_solved_assignment_is_clean_and_the_same_twice(
    name: str, course: Course, executed_of: ExecutedOf, tmp_path: Path
) -> None:
    first, second = executed_of(name), solved(name)
    assert first.cells.pop().outputs[0].text == "asked for: []\n"
    second.cells.insert(0, nbformat.v4.new_code_cell("'instead of the watch'"))
    run_in_kernel(second, course.assignment(name), tmp_path)
    assert not list(tmp_path.rglob("checkpoint*"))
    del first.cells[0], second.cells[0]
    code = [cell for cell in first.cells if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    assert sum("image/png" in o.get("data", {}) for o in outputs) >= 6
    for one, other in zip(first.cells, second.cells, strict=True):
        if one.cell_type == "code":
            assert in_normal_form(one.outputs) == in_normal_form(other.outputs), one.id
    page, _ = HTMLExporter().from_notebook_node(first)
    assert NO_WORDS not in page
    SanitizeOutputs().preprocess(first, {})
    shown = rendered(feedback(first, {"metadata": {}}, []))
    words = re.findall(r'<img[^>]*? alt="([^"]*)"', shown)
    assert len(words) >= 6
    assert [text for text in words if len(text.split()) < 5 or text.startswith(UNKNOWN)] == []

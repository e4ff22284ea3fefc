"""Whole assignments: restart and run all is clean, and the same twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import IDS
from nbconvert import HTMLExporter
from normal_form import in_normal_form
from running import run_in_kernel, solved

from autograder.course.assignments import Course

DESCRIBED = ["a2_encoder_explainability", "a3_seq2seq_reversal", "a4_text_classification"]
NO_WORDS = "No description has been provided for this image"  # says nbconvert


@pytest.mark.parametrize("name", IDS)
def test_restart_and_run_all_of_a_solved_assignment_is_clean_and_the_same_twice(
    name: str, course: Course, tmp_path: Path
) -> None:
    first, second = solved(name), solved(name)
    for notebook in (first, second):
        run_in_kernel(notebook, course.assignment(name), tmp_path)
    code = [cell for cell in first.cells if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    assert sum("image/png" in o.get("data", {}) for o in outputs) >= 6
    for one, other in zip(first.cells, second.cells, strict=True):
        if one.cell_type == "code":
            assert in_normal_form(one.outputs) == in_normal_form(other.outputs), one.id
    if name in DESCRIBED:
        page, _ = HTMLExporter().from_notebook_node(first)
        assert NO_WORDS not in page

"""Whole assignments: the box shows what a kernel shows."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from conftest import IDS, GraderOf
from normal_form import in_normal_form
from running import run_in_kernel, solved

from autograder.course.assignments import Course


@pytest.mark.parametrize("name", IDS)
def test_a_solved_assignment_puts_out_what_it_does_in_a_kernel(
    name: str, grader_of: GraderOf, course: Course, tmp_path: Path
) -> None:
    ours = solved(name)
    theirs = copy.deepcopy(ours)
    with grader_of(name).session(ours) as session:
        session.run_cells()
    assert session.flags == []
    settings = {"NBGRADER_EXECUTION": "autograde", "OMP_NUM_THREADS": "1"}
    run_in_kernel(theirs, course.assignment(name), tmp_path, **settings)
    for found, wanted in zip(ours.cells, theirs.cells, strict=True):
        if found.cell_type == "code":
            assert found.execution_count == wanted.execution_count
            for outputs in (found.outputs, wanted.outputs):
                for output in outputs:
                    output.pop("metadata", None)
            assert in_normal_form(found.outputs) == in_normal_form(wanted.outputs), found.id

"""Whole assignments: the box shows what a kernel shows, and run-all is clean and repeatable."""

from __future__ import annotations

import copy
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import IDS, GraderOf, build
from nbclient import NotebookClient
from nbformat import NotebookNode
from sample_class import Sample
from test_shell_equals_kernel import in_normal_form

from autograder.course import Assignment, Course

RUN_ALL_SECONDS = 180  # 60 on two free cores, which a test machine does not promise


def solved(assignment: str) -> NotebookNode:
    """What a student hands in who answers as the instructor does."""
    return build(Sample("solved"), assignment)


def run_in_kernel(notebook: NotebookNode, assignment: Assignment, folder: Path, **env: str) -> None:
    shutil.copytree(assignment.release_path.parent, folder, dirs_exist_ok=True)
    client = NotebookClient(notebook, kernel_name="python3", timeout=RUN_ALL_SECONDS)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    client.execute(env={**os.environ, **env}, cwd=str(folder), **quiet)


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

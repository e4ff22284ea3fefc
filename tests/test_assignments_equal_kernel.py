"""A whole assignment through zygote, box and wire shows what a kernel would have shown."""

from __future__ import annotations

import copy
import os
import subprocess
from pathlib import Path

from conftest import Submit
from nbclient import NotebookClient
from test_shell_equals_kernel import in_normal_form

from autograder.grading import Grader


def test_the_solved_a1_puts_out_what_it_does_in_a_kernel(
    grader: Grader, submit: Submit, tmp_path: Path
) -> None:
    ours = submit()
    theirs = copy.deepcopy(ours)
    with grader.session(ours) as session:
        session.run_cells()
    assert session.flags == []
    NotebookClient(theirs, kernel_name="python3", timeout=60).execute(
        env={**os.environ, "NBGRADER_EXECUTION": "autograde"},
        cwd=str(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for found, wanted in zip(ours.cells, theirs.cells, strict=True):
        if found.cell_type == "code":
            assert found.execution_count == wanted.execution_count
            for outputs in (found.outputs, wanted.outputs):
                for output in outputs:
                    output.pop("metadata", None)
            assert in_normal_form(found.outputs) == in_normal_form(wanted.outputs), found.id


def test_restart_and_run_all_of_the_solved_a1_is_clean_and_the_same_twice(
    submit: Submit, tmp_path: Path
) -> None:
    first, second = submit(), submit()
    for notebook in (first, second):
        NotebookClient(notebook, kernel_name="python3", timeout=60).execute(
            cwd=str(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    code = [cell for cell in first.cells if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    assert sum("image/png" in o.get("data", {}) for o in outputs) == 8
    for one, other in zip(first.cells, second.cells, strict=True):
        if one.cell_type == "code":
            assert in_normal_form(one.outputs) == in_normal_form(other.outputs), one.id

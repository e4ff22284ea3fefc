"""A whole assignment through zygote, box and wire shows what a kernel would have shown."""

from __future__ import annotations

import copy
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
        cwd=str(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    for found, wanted in zip(ours.cells, theirs.cells, strict=True):
        if found.cell_type == "code":
            assert found.execution_count == wanted.execution_count
            for outputs in (found.outputs, wanted.outputs):
                for output in outputs:
                    output.pop("metadata", None)
            assert in_normal_form(found.outputs) == in_normal_form(wanted.outputs), found.id

"""Running whole assignments in a kernel, as a student does."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from conftest import build
from nbclient import NotebookClient
from nbformat import NotebookNode
from sample_class import Sample

from autograder.course.assignments import Assignment

RUN_ALL_SECONDS = 180  # 60 on two free cores, which a test machine does not promise


def solved(assignment: str) -> NotebookNode:
    """What a student hands in who answers as the instructor does."""
    return build(Sample("solved"), assignment)


def run_in_kernel(notebook: NotebookNode, assignment: Assignment, folder: Path, **env: str) -> None:
    shutil.copytree(assignment.release_path.parent, folder, dirs_exist_ok=True)
    client = NotebookClient(notebook, kernel_name="python3", timeout=RUN_ALL_SECONDS)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    client.execute(env={**os.environ, **env}, cwd=str(folder), **quiet)

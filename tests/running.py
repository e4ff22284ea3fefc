"""Running whole assignments in a kernel, as a student does."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import nbformat
import torch
from filelock import FileLock
from nbclient import NotebookClient
from nbformat import NotebookNode
from sample_class import Sample, build

from autograder.course.assignments import Assignment

RUN_ALL_SECONDS = 180  # 60 on two free cores, which a test machine does not promise
WATCH = """
import pathlib
import sys

attempts = []


def watch(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        attempts.append(str(arguments[0]))
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        attempts.append(str(arguments[1][0]))


sys.addaudithook(watch)
"""
TOLD = """
print("asked for:", sorted(set(attempts) - {"127.0.0.1", "localhost"}))
print("left:", sorted(map(str, pathlib.Path().rglob("checkpoint*"))))
"""
# Models and the curves of their trainings, by the names that the notebooks give them.
TRAINED = {
    "a2_encoder_explainability": "[(deep_model, deep_curves)]",
    "a3_seq2seq_reversal": (
        "[(number_model, number_curves), *ablated.values(), (sentence_model, sentence_curves)]"
    ),
    "a4_text_classification": "[(model, history)]",
}
KEEP = "torch.save([(model.state_dict(), curves) for model, curves in {trained}], 'trained.pt')"

Training = tuple[dict[str, torch.Tensor], Any]


def solved(assignment: str) -> NotebookNode:
    """What a student hands in who answers as the instructor does."""
    return build(Sample("solved"), assignment)


def run_in_kernel(
    notebook: NotebookNode, assignment: Assignment, folder: Path, *, graded: bool = False
) -> None:
    """Runs it in place, in `folder`; as it is `graded`, where that takes less training."""
    shutil.copytree(assignment.release_path.parent, folder, dirs_exist_ok=True)
    client = NotebookClient(notebook, kernel_name="python3", timeout=RUN_ALL_SECONDS)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if graded:
        environment["NBGRADER_EXECUTION"] = "autograde"
    client.execute(env=environment, cwd=str(folder), **quiet)


def watched_run(assignment: Assignment, shared: Path) -> NotebookNode:
    """The solved notebook after run-all, with a last cell that says what it asked the network for
    and which checkpoints it left.

    It runs once; processes that name the same folder `shared` share what came out.
    """
    path = shared / f"{assignment.id}.ipynb"
    with FileLock(f"{path}.lock"):
        if not path.is_file():
            notebook = solved(assignment.id)
            keep = KEEP.format(trained=TRAINED.get(assignment.id, "[]"))
            notebook.cells.insert(0, nbformat.v4.new_code_cell(WATCH, id="watch"))
            notebook.cells.append(nbformat.v4.new_code_cell(TOLD + keep, id="told"))
            run_in_kernel(notebook, assignment, shared / assignment.id)
            nbformat.write(notebook, path)
    return nbformat.read(path, as_version=4)


def printed(notebook: NotebookNode, name: str) -> str:
    """What its cell `name` printed, in however many pieces the kernel passed it on."""
    outputs = next(cell.outputs for cell in notebook.cells if cell.id == name)
    return "".join(output.text for output in outputs if output.get("name") == "stdout")


def trainings(assignment: Assignment, shared: Path) -> list[Training]:
    """Weights and curves of the models that the watched run trained, in its order."""
    watched_run(assignment, shared)
    found: list[Training] = torch.load(shared / assignment.id / "trained.pt")
    return found

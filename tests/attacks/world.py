"""A course with canaries: secrets wherever the grader can read, for student code to hunt.

They lie beside the checks and inside one, in an expected tensor, in the gradebook, in the home and
temporary folders, in the grader's memory and environment, and on the command line and in the
environment of another process of the same user.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
import torch
from mini import mini_assignment
from safetensors.torch import save_file

from autograder.course.assignments import Assignment

MARKER = f"attack{secrets.token_hex(4)}"  # in the name of whatever an attack makes
SECRET = f"canary-{secrets.token_hex(16)}"
DECOY = f"canary-{'0' * 32}"  # what an attack plants itself, to prove that it can find one

INPUTS_CHECK = '''

@probe
def with_input(answers: Any, x: torch.Tensor) -> dict[str, Any]:
    y = answers.double(x)
    return {"x": x, "y": y}


@points(1)
def check_input_stays(student: Student, expected: Any) -> None:
    """The input stays as it was."""
    assert "SECRET".startswith("canary-")
    expected.match("input", student.run(with_input, x=torch.arange(3.0)))
'''


@dataclass(frozen=True)
class World:
    """The course under attack and where its secrets lie."""

    root: Path
    assignment: Assignment
    canaries: list[Path]
    victim: int


@contextmanager
def build(root: Path) -> Iterator[World]:
    """A course of the mini assignment in `root` with canaries in and around it."""
    assignment = mini_assignment(root)
    _strengthen(assignment)
    with ExitStack() as stack:
        around = [
            Path(stack.enter_context(_canary_file(folder)))
            for folder in (Path.home(), Path(tempfile.gettempdir()))
        ]
        victim = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-Ic", "import time; time.sleep(3600)", SECRET],
                env={"SECRET": SECRET},
            )
        )
        stack.callback(victim.kill)
        os.environ["AUTOGRADER_SECRET"] = SECRET
        stack.callback(os.environ.pop, "AUTOGRADER_SECRET")
        yield World(root, assignment, [*_canaries_in(root), *around], victim.pid)


def _strengthen(assignment: Assignment) -> None:
    """Adds to `double` a check of its input, which knows an expected tensor and a secret."""
    path = assignment.check_file("double")
    text = path.read_text().replace("@points(3)", "@points(2)")
    path.write_text(text + INPUTS_CHECK.replace("SECRET", SECRET))
    expected = {
        "input.x": torch.arange(3.0),
        "input.y": 2 * torch.arange(3.0),
        "secret.y": torch.tensor(list(SECRET.encode()), dtype=torch.uint8),
    }
    assignment.expected_file("double").parent.mkdir()
    save_file(expected, assignment.expected_file("double"))
    # A name that is never imported, so that the zygote's command line carries the marker.
    cell = assignment.release.cells[0]
    cell.source += f"\nif False:\n    import {MARKER}"
    nbformat.write(assignment.release, assignment.release_path)


def _canaries_in(root: Path) -> list[Path]:
    names = [
        "gradebook.db",
        "nbgrader_config.py",
        "source/mini/answers.ipynb",
        "submitted/other/mini/mini.ipynb",
        "feedback/other/mini/mini.html",
        "checks/notes.txt",
        "checks/expected/notes.txt",
    ]
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(SECRET)
    return [root / name for name in names]


@contextmanager
def _canary_file(folder: Path) -> Iterator[str]:
    with tempfile.NamedTemporaryFile("w", dir=folder, prefix=f".{MARKER}-canary-") as file:
        file.write(SECRET)
        file.flush()
        yield file.name

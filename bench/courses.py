"""Courses to measure in: this one's and a stock one, with the instructor's solution handed in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat

from autograder.course.assignments import Course
from autograder.course.cells import is_solution

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = "a1_attention_blocks"
HANGING = "attention"
HANG = "def attention(q, k, v):\n    while True:\n        pass\n"
STOCK_CONFIG = "c = get_config()\nc.CourseDirectory.course_id = 'stock'\nc.Execute.timeout = 60\n"


@dataclass(frozen=True)
class Usage:
    """What one command took: wall clock, and the size of its largest process."""

    seconds: float
    memory_mib: float


def our_course(folder: Path) -> Path:
    """A course with this repository's configuration, whose gradebook knows the assignment."""
    for name in ("source", "checks"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    nbgrader(folder, "generate_assignment", ASSIGNMENT)
    return folder


def stock_course(folder: Path) -> Path:
    """The same assignment under nbgrader's own configuration; the checks run in the kernel."""
    course = our_course(folder)
    path = course / "source" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:  # a submission has no instructor's cell that imports `check`
        cell.source = cell.source.replace('\ncheck("', '\n__import__("autograder").check("')
    nbformat.write(notebook, path)
    nbgrader(course, "generate_assignment", ASSIGNMENT, "--force")
    (course / "nbgrader_config.py").write_text(STOCK_CONFIG, encoding="utf-8")
    return course


def hand_in(course: Path, count: int, *, hanging: int = 0) -> None:
    """`count` submissions, no two alike, and nothing graded yet; all right but those that hang.

    Of `hanging` of them, evenly among the others, `attention` never comes back.
    """
    for name in ("submitted", "autograded", ".cache/graded", ".cache/batch"):
        shutil.rmtree(course / name, ignore_errors=True)
    released = course / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    notebook = nbformat.read(released, as_version=4)
    solved = {cell.id: cell.source for cell in Course(ROOT).assignment(ASSIGNMENT).solved.cells}
    for cell in notebook.cells:
        if is_solution(cell):
            cell.source = solved[cell.id]
    notebook.cells.append(nbformat.v4.new_code_cell(id="own"))
    attention = next(cell for cell in notebook.cells if cell.id == HANGING)
    right, hang_at = attention.source, {count * turn // hanging for turn in range(hanging)}
    for number in range(count):
        attention.source = HANG if number in hang_at else right
        notebook.cells[-1].source = f"my_number = {number}"
        path = course / "submitted" / f"demo-{number:05}" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)


def nbgrader(course: Path, *arguments: str) -> Usage:
    """Runs a command of nbgrader in `course`."""
    return run(course, "-m", "nbgrader", *arguments)


def run(course: Path, *arguments: str) -> Usage:
    """Runs this Python in `course`; ends the benchmark when that fails."""
    started = time.perf_counter()
    with tempfile.TemporaryFile("w+") as log:
        command = [sys.executable, *arguments]
        process = subprocess.Popen(command, cwd=course, stdout=log, stderr=log, env=_environment())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            log.seek(0)
            sys.exit(log.read())
    return Usage(time.perf_counter() - started, usage.ru_maxrss / 1024)


def _environment() -> dict[str, str]:
    """This one, with the commands of this Python found first: stock nbgrader calls `alembic`."""
    folder = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": os.pathsep.join([folder, os.environ["PATH"]])}

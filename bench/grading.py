"""What grading one submission of a1 costs: stock nbgrader, ours, and the bare limit, in one run.

(a) stock: `nbgrader autograde` with its own preprocessors; the hidden checks run in the kernel.
(b) ours: `nbgrader autograde` with this course's configuration.
(c) bare: the same cells and probes in a plain fork of a warm process, with no isolation, no
    judging and no recording.

Of (a) and (b) a run over N + 1 submissions less a run over one leaves what N submissions cost once
everything is warm. Every submission is the instructor's solution. Peak memory is that of the
largest process. The machine is noisy: only the ratios of one run mean something.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from autograder.box.client import Zygote
from autograder.checking import Probe, Reply
from autograder.course import Course
from autograder.grading import Grader, imported_modules
from autograder.judge import judge
from autograder.limits import Limits
from autograder.session import Session
from autograder.submission import repair

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = "a1_attention_blocks"
STOCK_CONFIG = "c = get_config()\nc.CourseDirectory.course_id = 'stock'\nc.Execute.timeout = 60\n"
MIB = 1 << 20


@dataclass(frozen=True)
class Cost:
    """Of one submission once warm, and of the largest process."""

    seconds: float
    memory_mib: float


class Recording:
    """A student whose probes and inputs are noted on the way to a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.asked: list[tuple[Probe, dict[str, Any]]] = []

    def run(self, probe: Probe, **inputs: Any) -> Reply:
        """See `autograder.checking.Student`."""
        self.asked.append((probe, inputs))
        return self._session.run(probe, **inputs)


def main() -> None:
    """Measures, prints and stores the figures."""
    parser = argparse.ArgumentParser(description="Measure what grading a submission costs.")
    parser.add_argument("--submissions", type=int, default=8, metavar="N")
    count = parser.parse_args().submissions
    with tempfile.TemporaryDirectory() as scratch:
        costs = {
            "stock": measure_nbgrader(_stock_course(Path(scratch) / "stock"), count),
            "ours": measure_nbgrader(_our_course(Path(scratch) / "ours"), count),
            "bare": measure_bare(count),
        }
    ratios = {
        "times_faster_than_stock": costs["stock"].seconds / costs["ours"].seconds,
        "times_the_bare_limit": costs["ours"].seconds / costs["bare"].seconds,
    }
    found = {name: vars(cost) for name, cost in costs.items()}
    record = {"assignment": ASSIGNMENT, "submissions": count, **found, **ratios}
    text = json.dumps(record, indent=1) + "\n"
    (ROOT / "bench" / "results.json").write_text(text, encoding="utf-8")
    for name, cost in costs.items():
        print(f"{name:6} {cost.seconds:7.3f} s a submission, {cost.memory_mib:6.0f} MiB at most")
    print(f"ours is {ratios['times_faster_than_stock']:.1f} times as fast as stock nbgrader")
    print(f"ours takes {ratios['times_the_bare_limit']:.2f} times the bare limit")


def measure_nbgrader(course: Path, count: int) -> Cost:
    """What `nbgrader autograde` takes in `course` for each of `count` submissions."""
    _autograde(course, 1)
    first, _ = _autograde(course, 1)
    many, memory = _autograde(course, count + 1)
    return Cost((many - first) / count, memory)


def measure_bare(count: int) -> Cost:
    """What the cells and probes of one submission take in plain forks of a warm process."""
    course = Course(ROOT)
    assignment = course.assignment(ASSIGNMENT)
    repaired = repair(assignment.solved, assignment.release)
    files = [assignment.check_file(question.slug) for question in assignment.questions]
    with Grader(assignment) as grader, grader.session(repaired.notebook) as session:
        session.run_cells()
        student = Recording(session)
        judge(files, student, grader.expected, session.begin)
    sources = [cell.source for cell in repaired.notebook.cells if cell.cell_type == "code"]
    with Zygote(imported_modules(assignment.release), at_most="none") as zygote:
        runs = [_bare_run(zygote, sources, student.asked) for _ in range(count + 1)][1:]
    return Cost(statistics.mean(seconds for seconds, _ in runs), max(memory for _, memory in runs))


def _bare_run(
    zygote: Zygote, sources: list[str], asked: list[tuple[Probe, dict[str, Any]]]
) -> tuple[float, float]:
    started = time.perf_counter()
    deadline = time.monotonic() + 60
    box = zygote.box(Limits(), {}, seed=0)
    for source in sources:
        box.run_cell(source, deadline)
    for probe, inputs in asked:
        box.run_probe(probe.source, probe.name, inputs, deadline)
    usage = box.close()
    return time.perf_counter() - started, usage["memory_bytes"] / MIB


def _our_course(folder: Path) -> Path:
    shutil.copytree(ROOT / "source", folder / "source")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    _nbgrader(folder, "generate_assignment", ASSIGNMENT)
    return folder


def _stock_course(folder: Path) -> Path:
    course = _our_course(folder)
    path = course / "source" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:  # a submission has no instructor's cell that imports `check`
        cell.source = cell.source.replace('\ncheck("', '\n__import__("autograder").check("')
    nbformat.write(notebook, path)
    _nbgrader(course, "generate_assignment", ASSIGNMENT, "--force")
    (course / "nbgrader_config.py").write_text(STOCK_CONFIG, encoding="utf-8")
    return course


def _autograde(course: Path, count: int) -> tuple[float, float]:
    """Seconds and largest process in MiB of one run over `count` fresh submissions."""
    released = course / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    for name in ("submitted", "autograded"):
        shutil.rmtree(course / name, ignore_errors=True)
    notebook = nbformat.read(released, as_version=4)
    solved = {c.id: c.source for c in Course(ROOT).assignment(ASSIGNMENT).solved.cells}
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = solved[cell.id]
    for number in range(count):
        path = course / "submitted" / f"demo-{number:03}" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    started = time.perf_counter()
    memory = _nbgrader(course, "autograde", ASSIGNMENT)
    return time.perf_counter() - started, memory


def _nbgrader(course: Path, *arguments: str) -> float:
    """Runs nbgrader; the size of its largest process in MiB."""
    command = [sys.executable, "-m", "nbgrader", *arguments]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, cwd=course, stdout=log, stderr=log, env=_environment())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            log.seek(0)
            sys.exit(log.read())
    return usage.ru_maxrss / 1024


def _environment() -> dict[str, str]:
    """This one, with the commands of this Python found first: stock nbgrader calls `alembic`."""
    folder = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": os.pathsep.join([folder, os.environ["PATH"]])}


if __name__ == "__main__":
    main()

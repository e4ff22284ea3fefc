"""What grading one submission of a1 costs: stock nbgrader, ours, and the bare limit, in one run.

(a) stock: `nbgrader autograde` with its own preprocessors; the hidden checks run in the kernel.
(b) ours: `nbgrader autograde` with this course's configuration.
(c) bare: the same cells and probes in a plain fork of a warm process, with no isolation, no
    judging and no recording.

Of (a) and (b) a run over N + 1 submissions less a run over one leaves what N submissions cost once
everything is warm. Every submission is the instructor's solution, with a cell of its own. Peak
memory is that of the largest process. The machine is noisy: only the ratios of one run mean
something.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from courses import ASSIGNMENT, ROOT, Usage, hand_in, nbgrader, our_course, stock_course

from autograder.box.outside.zygotes import StartedZygote, Zygote
from autograder.checking.asking import Reply
from autograder.checking.expected import Expected
from autograder.checking.probing import Probe
from autograder.course.assignments import Course
from autograder.course.limits import Limits
from autograder.grading.check_package import CheckPackage
from autograder.grading.grader import Grader
from autograder.grading.judge import Judge
from autograder.grading.names import imported_modules
from autograder.grading.session import Session
from autograder.intake.submission import repair

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

    def why_missing(self, name: str) -> str:
        """See `autograder.checking.Student`."""
        return self._session.why_missing(name)

    def expect_cell_ran(self, so: str) -> None:
        """See `autograder.checking.Student`."""
        self._session.expect_cell_ran(so)

    def note(self, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
        """See `autograder.checking.Student`."""
        self._session.note(tensors, facts)


def main() -> None:
    """Measures, prints and stores the figures."""
    parser = argparse.ArgumentParser(description="Measure what grading a submission costs.")
    parser.add_argument("--submissions", type=int, default=40, metavar="N")
    count = parser.parse_args().submissions
    with tempfile.TemporaryDirectory() as scratch:
        costs = {
            "stock": measure_nbgrader(stock_course(Path(scratch) / "stock"), count),
            "ours": measure_nbgrader(our_course(Path(scratch) / "ours"), count),
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
    first = _autograde(course, 1)
    many = _autograde(course, count + 1)
    return Cost((many.seconds - first.seconds) / count, many.memory_mib)


def measure_bare(count: int) -> Cost:
    """What the cells and probes of one submission take in plain forks of a warm process."""
    course = Course(ROOT)
    assignment = course.assignment(ASSIGNMENT)
    repaired = repair(assignment.solved, assignment.release)
    files = [assignment.check_file(question.slug) for question in assignment.questions]
    with Grader(assignment) as grader, grader.session(repaired.notebook) as session:
        session.run_cells()
        student = Recording(session)
        judge = Judge(files, CheckPackage(assignment.checks))
        for question in assignment.questions:
            expected = Expected.load(assignment.expected_file(question.slug))
            judge.findings(question.slug, student, lambda _, found=expected: found, session.begin)
    sources = [cell.source for cell in repaired.notebook.cells if cell.cell_type == "code"]
    with StartedZygote(imported_modules(assignment.release), at_most="none") as zygote:
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
    usage = box._end()  # as `close`, and tells what it took
    return time.perf_counter() - started, usage["memory_bytes"] / MIB


def _autograde(course: Path, count: int) -> Usage:
    """One run over `count` fresh submissions."""
    hand_in(course, count)
    return nbgrader(course, "autograde", ASSIGNMENT)


if __name__ == "__main__":
    main()

"""While authoring: an instructor's live kernel runs the check files that grade."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import torch
from IPython.core.getipython import get_ipython

from autograder.box import tensors
from autograder.box.inside.state import settle
from autograder.box.probes import ProbeRun, Scalar, run_probe
from autograder.checking.asking import Reply, reply_or_failure
from autograder.checking.expected import Expected
from autograder.checking.probing import Probe, expect_probe
from autograder.course.assignments import Course
from autograder.errors import UsageError
from autograder.grading.check_package import CheckPackage
from autograder.grading.judge import Judge
from autograder.results import sentences
from autograder.results.text import check_lines


class LiveStudent:
    """Answers probes out of the names of a running notebook, which goes on as if none had come."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names
        self._probes = 0

    def run(self, probe: Probe, **inputs: torch.Tensor | Scalar) -> Reply:
        """See `autograder.checking.Student`; inputs and reply cross as copies, as in a box."""
        expect_probe(probe, inputs)
        given = {key: value for key, value in inputs.items() if isinstance(value, torch.Tensor)}
        copies = tensors.decode(tensors.encode(given))
        self._probes += 1
        with _as_in_a_box(self._probes):
            run = run_probe(probe.source, probe.name, self._names, {**inputs, **copies})
        if run.error is None:
            run = ProbeRun(tensors.decode(tensors.encode(run.tensors)), run.values, run.kinds)
        return reply_or_failure(run)

    def why_missing(self, name: str) -> str:
        """See `autograder.checking.Student`."""
        return sentences.missing_name(name)

    def expect_cell_ran(self, so: str) -> None:
        """See `autograder.checking.Student`; whoever authors sees what a cell raised."""

    def note(self, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
        """See `autograder.checking.Student`; nobody compares mistakes while authoring."""


@contextmanager
def _as_in_a_box(seed: int) -> Iterator[None]:
    """Gives torch the state that a probe begins in, and puts the notebook's own back."""
    dtype = torch.get_default_dtype()
    with torch.random.fork_rng(devices=()), torch.enable_grad():
        settle(seed)
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)


def check_live(slug: str) -> None:
    """Runs the checks of `slug` of the assignment whose folder the kernel works in, and prints.

    Raises:
        AssertionError: a check does not hold.
        UsageError: there is no kernel, no such question, or the working folder is no assignment.
    """
    shell = get_ipython()
    if shell is None:
        raise UsageError("check() runs inside a notebook")
    assignment = Course.find().assignment(Path.cwd().name)
    if not assignment.check_file(slug).is_file():
        raise UsageError(
            f"{assignment.id} has no checks of a question '{slug}': check() takes the name that a "
            "file in checks/ has behind check_"
        )
    expected = Expected.load(assignment.expected_file(slug))
    with closing(CheckPackage(assignment.checks)) as package:
        judge = Judge([assignment.check_file(slug)], package)
        findings = judge.findings(slug, LiveStudent(shell.user_ns), lambda _: expected).checks
    print("\n".join(line for check in findings for line in check_lines(check)))
    failed = [check.name for check in findings if not check.passed]
    if failed:
        raise AssertionError(f"{slug}: {len(failed)} of {len(findings)} checks failed")

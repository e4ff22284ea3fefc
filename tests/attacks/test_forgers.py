"""Attack 97: an added cell answers every probe itself, beside answers that do nothing."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import cache
from itertools import cycle
from typing import Any

import nbformat
import pytest
import torch
from conftest import IDS, GraderOf
from nbformat import NotebookNode

from autograder.checking.asking import Reply, reply_or_failure
from autograder.checking.expected import Expected
from autograder.checking.probing import Probe
from autograder.course.assignments import Assignment, Course
from autograder.course.cells import is_solution
from autograder.grading.check_package import CheckPackage
from autograder.grading.evidence import shows_values
from autograder.grading.judge import Judge
from autograder.results.text import submission_text

MOST = 5.0  # points of an assignment

FORGED = """
import ast, torch
from autograder.box import probes

def keys_of(source):
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Dict):
            found += [key.value for key in node.keys if isinstance(key, ast.Constant)]
    return [key for key in dict.fromkeys(found) if isinstance(key, str)]

def shaped(inputs, make):
    given = [value for value in inputs.values() if isinstance(value, torch.Tensor)]
    return make(max(given, key=torch.numel).clone() if given else torch.zeros(2, 3))

FACTS = {
    "device": "meta", "dtype": "float32", "kind": "tensor", "broke": "", "error": "",
    "saved": 0, "buffers": 1, "parameters": 1, "count": 1, "length": 1, "steps": 1, "layers": 1,
}

def forged(source, name, names, inputs):
    tensors, values = {}, {}
    for key in keys_of(source):
        if key.startswith(("is_", "has_", "same", "keeps", "was_", "with_", "in_", "left_")):
            values[key] = key not in ("with_gradients", "in_training", "left_training")
        elif key in FACTS:
            values[key] = FACTS[key]
        elif key in inputs:
            tensors[key] = inputs[key]
        else:
            made = MADE
            (tensors if isinstance(made, torch.Tensor) else values)[key] = made
    return probes.ProbeRun(
        {k: v for k, v in tensors.items() if isinstance(v, torch.Tensor)},
        {**values, **{k: v for k, v in tensors.items() if not isinstance(v, torch.Tensor)}},
    )
"""
FORGER = FORGED + "probes.run_probe = forged"

WAYS = {
    "echoes": "shaped(inputs, lambda given: given)",
    "zeros": "shaped(inputs, torch.zeros_like)",
    "weights": "shaped(inputs, lambda given: torch.softmax(given.float(), -1))",
    "truths": "True",
    "counts": "3",
}


def forgery(course: Course, assignment: str, made: str) -> NotebookNode:
    notebook = copy.deepcopy(course.assignment(assignment).release)
    for cell in notebook.cells:
        if is_solution(cell) and cell.cell_type == "code":
            cell.source = "pass"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FORGER.replace("MADE", made)))
    return notebook


class Forger:
    """A student whose every reply is forged; `sent` is what a session would have sent down."""

    def __init__(self, made: str) -> None:
        self._names: dict[str, Any] = {}
        exec(FORGED.replace("MADE", made), self._names)
        self.sent: list[torch.Tensor] = []

    def begin(self, slug: str, check: str) -> None:
        """It answers all alike."""

    def run(self, probe: Probe, **inputs: Any) -> Reply:
        self.sent += [value for value in inputs.values() if isinstance(value, torch.Tensor)]
        return reply_or_failure(self._names["forged"](probe.source, probe.name, {}, inputs))

    def why_missing(self, name: str) -> str:
        return name

    def expect_cell_ran(self, so: str) -> None:
        """It has none."""

    def note(self, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
        """Nothing is recognised here."""


@pytest.fixture(scope="module")
def judge_of(course: Course) -> Callable[[str], Judge]:
    @cache
    def made(name: str) -> Judge:
        assignment = course.assignment(name)
        files = [assignment.check_file(question.slug) for question in assignment.questions]
        return Judge(files, CheckPackage(assignment.checks))

    return made


def earned(judge: Judge, assignment: Assignment, made: str) -> float:
    """The points of one forger, as `Grader` counts them."""
    score = 0.0
    for question in assignment.questions:
        expected = Expected.load(assignment.expected_file(question.slug))
        forger = Forger(made)
        found = judge.findings(question.slug, forger, lambda _, e=expected: e, forger.begin)
        if shows_values(found, forger.sent):
            score += sum(check.points for check in found.checks if check.passed)
    return score


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("assignment", IDS)
def test_replies_made_without_the_answer_earn_next_to_nothing(
    assignment: str, way: str, course: Course, judge_of: Callable[[str], Judge]
) -> None:
    assert earned(judge_of(assignment), course.assignment(assignment), WAYS[way]) <= MOST


@pytest.mark.parametrize(("assignment", "way"), list(zip(IDS[::2], cycle(WAYS), strict=False)))
def test_a_cell_that_forges_them_earns_as_little(
    assignment: str,
    way: str,
    course: Course,
    grader_of: GraderOf,
    judge_of: Callable[[str], Judge],
) -> None:
    forged = forgery(course, assignment, WAYS[way])
    result = grader_of(assignment).grade(forged, "forger").result
    assert result.score <= MOST, submission_text(result)
    alone = earned(judge_of(assignment), course.assignment(assignment), WAYS[way])
    assert result.score == pytest.approx(alone), submission_text(result)

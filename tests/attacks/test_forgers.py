"""Attack 97: an added cell answers every probe itself, beside answers that do nothing."""

from __future__ import annotations

import copy

import nbformat
import pytest
from conftest import IDS, GraderOf
from nbformat import NotebookNode

from autograder.course.assignments import Course
from autograder.course.cells import is_solution
from autograder.results.text import submission_text

MOST = 5.0  # points of an assignment

FORGER = """
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

probes.run_probe = forged
"""

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


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("assignment", IDS)
def test_replies_made_without_the_answer_earn_next_to_nothing(
    assignment: str, way: str, course: Course, grader_of: GraderOf
) -> None:
    forged = forgery(course, assignment, WAYS[way])
    result = grader_of(assignment).grade(forged, "forger").result
    assert result.score <= MOST, submission_text(result)

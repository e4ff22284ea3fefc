"""Attack 109: answers of the right names and arguments that hand back what they are given."""

from __future__ import annotations

import ast
import copy
from dataclasses import replace
from itertools import cycle

import pytest
from conftest import IDS, GraderOf

from autograder.course.assignments import Course
from autograder.course.cells import is_solution

WAYS = {
    "the-first": "return next(iter([*given, *named.values()]), None)",
    "the-last": "return ([*given, *named.values()] or [None])[-1]",
    "zeros": "return torch.zeros_like(given[0]) if given and torch.is_tensor(given[0]) else 0",
    "all": "return given",
}
CALL = "def {name}(*given, **named):\n{body}"
CLASS = """class {name}({bases}):
    def __init__(self, *given, **named):
        super().__init__()
"""


def echo(source: str, body: str) -> str:
    """Functions and classes as `source` defines them, each of whose calls has that `body`."""

    def call(name: str, indent: str) -> str:
        return indent + CALL.format(name=name, body=f"{indent}    {body}")

    parts = ["import torch\nfrom torch import nn"]
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            parts.append(call(node.name, ""))
        elif isinstance(node, ast.ClassDef):
            bases = ", ".join(map(ast.unparse, node.bases))
            methods = [n.name for n in node.body if isinstance(n, ast.FunctionDef)]
            own = [call(name, "    ") for name in methods if name != "__init__"]
            parts.append(CLASS.format(name=node.name, bases=bases) + "\n".join(own))
        else:
            parts.append(ast.unparse(node))
    return "\n".join(parts)


FIRST, *OTHERS = WAYS


@pytest.mark.parametrize(
    ("name", "way"), [*((name, FIRST) for name in IDS), *zip(IDS, cycle(OTHERS), strict=False)]
)
def test_answers_that_hand_back_what_they_are_given_earn_nothing(
    name: str, way: str, course: Course, grader_of: GraderOf
) -> None:
    notebook = copy.deepcopy(course.assignment(name).release)
    for cell in notebook.cells:
        if is_solution(cell) and cell.cell_type == "code":
            cell.source = echo(cell.source, WAYS[way])
    grader = grader_of(name)
    limits = grader.limits
    grader.limits = replace(limits, search_seconds=0)
    try:
        result = grader.grade(notebook, "echo").result
    finally:
        grader.limits = limits
    assert {q.slug: q.score for q in result.questions if q.score} == {}

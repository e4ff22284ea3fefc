"""Mechanical mutants: what is changed, each once, and nothing that is the same."""

from __future__ import annotations

import ast

import pytest

from autograder.authoring.mutations import mutants

SOLUTION = '''
def mean(x, dim=-1):
    """Adds 1 to nothing."""
    if x.dim() < 2:
        raise ValueError("1 dimension")
    y = x.sum(dim=dim, keepdim=True) / 4.0
    y += 1
    print(y)
    return y @ f(x, y)
'''


@pytest.mark.parametrize(
    "becomes",
    [
        "def mean(x, dim=-2):",
        "def mean(x, dim=1):",
        "if x.dim() <= 2:",
        "if x.dim() >= 2:",
        "if x < 2:",
        "if x.dim() < 1:",
        "if not x.dim() < 2:",
        "y = x.sum(dim=dim, keepdim=True) * 4.0",
        "y = x.sum(dim=dim, keepdim=True) / 8.0",
        "y = x.sum(dim=dim, keepdim=False) / 4.0",
        "y = x.sum(keepdim=True) / 4.0",
        "y = x / 4.0",
        "y -= 1",
        "",
        "return y * f(x, y)",
        "return y @ f(y, x)",
        "return y @ x",
    ],
)
def test_every_kind_of_change_is_made(becomes: str) -> None:
    assert becomes in {mutant.becomes for mutant in mutants(SOLUTION)}


def test_every_mutant_is_another_program_and_compiles() -> None:
    sources = [mutant.source for mutant in mutants(SOLUTION)]
    assert len(set(sources)) == len(sources)
    assert ast.unparse(ast.parse(SOLUTION)) not in sources
    for source in sources:
        compile(source, "mutant", "exec")


def test_docstrings_and_messages_stay() -> None:
    for mutant in mutants(SOLUTION):
        assert "Adds 1 to nothing." in mutant.source
        assert "1 dimension" in mutant.source or "ValueError" in mutant.was


def test_a_dropped_statement_says_so() -> None:
    dropped = {mutant.was for mutant in mutants(SOLUTION) if not mutant.becomes}
    assert dropped == {"print(y)", "y += 1"}

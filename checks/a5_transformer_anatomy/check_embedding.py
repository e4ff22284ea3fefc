"""Checks of `make_embedding(vocab_size, d_model)`: one table, looked up and trained by rows."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    expect_shape,
    numbers,
    points,
    probe,
    same,
    values,
)
from autograder.results import sentences

from . import wording


@probe
def looked_up(
    answers: Any, vocab_size: int, d_model: int, ids: Any, direction: Any
) -> dict[str, Any]:
    torch.manual_seed(5)
    module = answers.make_embedding(vocab_size, d_model)
    tables = list(module.parameters())
    output = module(ids)
    found = {"output": output, "ids": ids, "tables": len(tables)}
    if len(tables) == 1:
        found["table"] = tables[0]
    if output.shape == direction.shape and output.requires_grad:
        (output * direction).sum().backward()
        found["gradient"] = tables[0].grad if tables else None
    return found


CASES = {
    "batch": (11, 6, torch.tensor([[4, 0, 10, 4], [1, 10, 2, 0], [5, 5, 3, 9]])),
    "one_id": (3, 8, torch.tensor([[2]])),
}


def _run(student: Student, case: str) -> Reply:
    vocab_size, d_model, ids = CASES[case]
    direction = numbers(7, *ids.shape, d_model)
    return student.run(
        looked_up, vocab_size=vocab_size, d_model=d_model, ids=ids, direction=direction
    )


def _table(student: Student, case: str) -> tuple[Reply, torch.Tensor]:
    vocab_size, d_model, _ = CASES[case]
    reply = _run(student, case)
    expect(reply["tables"] == 1, wording.NOT_ONE_TABLE)
    return reply, expect_floats(reply, "table", vocab_size=vocab_size, d_model=d_model)


@points(1)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """Ids of shape (N, L) become vectors of shape (N, L, d_model)."""
    for case, (_, d_model, ids) in CASES.items():
        n, length = ids.shape
        expect_shape(_run(student, case), "output", N=n, L=length, d_model=d_model)


@points(1)
def check_there_is_one_table(student: Student, expected: Expected) -> None:
    """The module's only parameter is a table with a row for each id."""
    for case in CASES:
        _table(student, case)


@values
@points(2)
def check_rows_are_looked_up(student: Student, expected: Expected) -> None:
    """Each id becomes its row of the table, and different ids have different rows."""
    for case, (_, d_model, ids) in CASES.items():
        reply, table = _table(student, case)
        n, length = ids.shape
        output = expect_floats(reply, "output", N=n, L=length, d_model=d_model)
        expect(same(output, table[ids]), wording.NOT_ITS_ROWS)
        distances = torch.cdist(table, table) + torch.eye(len(table))
        expect((distances > 1e-3).all(), wording.ALL_ALIKE)


@values
@points(1)
def check_used_rows_are_trained(student: Student, expected: Expected) -> None:
    """The gradient reaches the rows that were used, and no others."""
    for case, (vocab_size, d_model, ids) in CASES.items():
        reply, _ = _table(student, case)
        expect("gradient" in reply and reply["gradient"] is not None, sentences.no_gradient())
        found = expect_floats(reply, "gradient", vocab_size=vocab_size, d_model=d_model)
        direction = numbers(7, *ids.shape, d_model).double().reshape(-1, d_model)
        wanted = torch.zeros(vocab_size, d_model, dtype=torch.float64)
        wanted.index_add_(0, ids.reshape(-1), direction)
        expect(same(found, wanted), wording.NOT_TRAINED)

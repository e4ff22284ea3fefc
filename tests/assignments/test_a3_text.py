"""The numbers that the text of a3 prints are those of its solutions."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
import torch
from torch import nn

from autograder.course.assignments import Course

A3 = "a3_seq2seq_reversal"
PRINTED = 6e-5  # a printed number has four digits after the point

Names = dict[str, Any]


def close(found: torch.Tensor, wanted: torch.Tensor, atol: float = 1e-5) -> bool:
    return found.shape == wanted.shape and torch.allclose(
        found.double(), wanted.double(), rtol=1e-4, atol=atol
    )


@pytest.fixture(scope="module")
def answers(course: Course) -> Names:
    """What the instructor's solutions define, without the rest of the notebook."""
    names: Names = {"math": math, "torch": torch, "nn": nn}
    for cell in course.assignment(A3).solved.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            exec(compile(cell.source, cell.id, "exec"), names)
    return names


@pytest.fixture(scope="module")
def text(course: Course) -> str:
    cells = course.assignment(A3).solved.cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def printed(text: str, line: str) -> torch.Tensor:
    """The numbers that the text prints after `line`."""
    (found,) = re.findall(rf"^{re.escape(line)} +# (.*)$", text, re.MULTILINE)
    return torch.tensor([float(number) for number in found.split()])


def test_rows_one_to_three_of_the_encoding_are_the_printed_ones(text: str) -> None:
    rows = re.findall(r"^pos \d +(.*)$", text, re.MULTILINE)
    found = torch.tensor([[float(number) for number in row.split()] for row in rows])
    angles = torch.tensor([[pos, pos / 100] for pos in (1.0, 2.0, 3.0)])
    assert close(found, torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1), 6e-6)


def test_the_text_prints_what_the_solutions_answer(answers: Names, text: str) -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    mask = torch.ones(3, 5, dtype=torch.bool).tril(1)
    output, attention = answers["scaled_dot_product_attention"](q, k, v, mask)
    assert close(printed(text, "attention[1, 1]"), attention[1, 1], PRINTED)
    assert close(printed(text, "output[1, 1]"), output[1, 1], PRINTED)

    torch.manual_seed(0)
    module = answers["MultiHeadAttention"](8, num_heads=2)
    x, y, z = (torch.randn(3, length, 8) for length in (4, 6, 6))
    output, attention = module(x, y, z)
    assert close(printed(text, "output[0, 0]"), output[0, 0], PRINTED)
    assert close(printed(text, "attention[0, :, 0]"), attention[0, 0, 0], PRINTED)

    torch.manual_seed(0)
    block = answers["EncoderBlock"](8, num_heads=2, d_ff=16)
    output = block(torch.randn(2, 4, 8))
    assert close(printed(text, "block(x)[0, 0]"), output[0, 0], PRINTED)

    torch.manual_seed(0)
    block = answers["DecoderBlock"](8, num_heads=2, d_ff=16)
    x, memory = torch.randn(2, 4, 8), torch.randn(2, 6, 8)
    assert close(printed(text, "block(x, memory)[0, 0]"), block(x, memory)[0, 0], PRINTED)
    causal = block(x, memory, answers["causal_mask"](4))[0, 0]
    assert close(printed(text, "block(x, memory, causal_mask(4))[0, 0]"), causal, PRINTED)


def test_the_text_prints_what_the_whole_model_answers(answers: Names, text: str) -> None:
    torch.manual_seed(0)
    model = answers["Transformer"](vocab_size=9, d_model=8, num_heads=2, d_ff=16, num_layers=2)
    src, tgt = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]]), torch.tensor([[1, 6, 5], [1, 8, 7]])
    assert close(printed(text, "model.encode(src)[1, 0]"), model.encode(src)[1, 0], PRINTED)
    assert close(printed(text, "model(src, tgt)[1, 2]"), model(src, tgt)[1, 2], PRINTED)

    torch.manual_seed(0)
    model = answers["Transformer"](9, d_model=8, num_heads=2, d_ff=16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    tgt = torch.tensor([[6, 5, 4, 3, 2], [8, 7, 2, 0, 0]])
    losses = [answers["train_step"](model, src, tgt, optimizer, bos_id=1) for _ in range(3)]
    line = "    print(train_step(model, src, tgt, optimizer, bos_id=1))"
    assert close(printed(text, line), torch.tensor(losses), PRINTED)

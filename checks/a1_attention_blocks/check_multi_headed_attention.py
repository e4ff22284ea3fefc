"""Checks of `MultiHeadedAttention(attn_modules, final_output_dim)`.

The battery's heads are made in the box and have no parameters, so that a wrong `SelfAttention`
costs its own question only, and heads that are not registered cost their own check.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Battery,
    Domain,
    Probe,
    Student,
    expect,
    expect_floats,
    numbers,
    points,
    probe,
)

from . import wording


def mixer(answers: Any, input_dim: int, final_output_dim: int, **sizes: int) -> Any:
    class Head(nn.Module):
        def __init__(self, number: int, output_dim: int) -> None:
            super().__init__()
            self.number, self.output_dim = number, output_dim

        def forward(self, x: Any) -> Any:
            count = self.output_dim * input_dim
            grid = torch.arange(count, dtype=x.dtype, device=x.device)
            return torch.tanh(x @ torch.sin(self.number + 2 * grid).reshape(input_dim, -1))

    size = sizes["head"]
    more = {1: sizes["wider"], 2: sizes["narrower"]}
    heads = [Head(n, size + more.get(n, 0)) for n in range(sizes["heads"])]
    return answers.MultiHeadedAttention(heads, final_output_dim), heads


domain = Domain(
    answer="MultiHeadedAttention",
    # heads of one size in the example: those of unequal sizes are a case of their own
    sizes={
        **{"N": 2, "L": 3, "input_dim": 5, "head": 4, "wider": 0, "narrower": 0},
        **{"final_output_dim": 7, "heads": 3},
    },
    smallest={"wider": 0, "narrower": 0},
    more={
        "for two heads of one size": {"heads": 2},
        "for many heads": {"heads": 13, "head": 2},
    },
    make=Probe(mixer),
    inputs={"x": "N L input_dim"},
    returns={"output": "N L final_output_dim"},
)
battery = Battery(domain, everywhere=2, gradients=6, kind=2, parts=2, care=2)


@probe
def trained(answers: Any, x: Any, **weights: Any) -> dict[str, Any]:
    class Head(nn.Module):
        def __init__(self, weight: Any) -> None:
            super().__init__()
            self.output_dim = len(weight)
            self.matrix = nn.Parameter(weight)

        def forward(self, x: Any) -> Any:
            return torch.tanh(x @ self.matrix.T)

    heads = [Head(weights[name]) for name in sorted(weights)]
    heads[-1].eval()
    before = [(head.matrix.detach().clone(), head.training) for head in heads]
    module = answers.MultiHeadedAttention(heads, 4)
    kept = all(
        torch.equal(head.matrix, matrix) and head.training is training
        for head, (matrix, training) in zip(heads, before, strict=True)
    )
    output = module(x)
    if isinstance(output, torch.Tensor) and output.requires_grad:
        torch.autograd.backward(output.square().sum())
    mine = {id(parameter) for parameter in module.parameters()}
    parts = {id(part) for part in module.modules()}
    own = [head.matrix for head in heads]
    rows = [torch.zeros_like(m[0]) if m.grad is None else m.grad[0] for m in own]
    return {
        "registered": all(id(m) in mine for m in own),
        "parts": all(id(head) in parts for head in heads),
        "kept": kept,
        "reached": torch.stack(rows),
    }


HEADS = {f"head_{n}": numbers(n, 3, 6) for n in (1, 2, 3)}


@points(6, text="keeps the heads in an `nn.ModuleList`")
def check_heads_are_part_of_the_module(student: Student) -> None:
    """The module's parameters hold those of its heads as they came; the gradient reaches them."""
    reply = student.run(trained, x=numbers(4, 2, 3, 6), **HEADS)
    expect(reply["registered"] is True, wording.HEADS_NOT_LISTED)
    expect(reply["parts"] is True, wording.HEADS_NO_PARTS)
    expect(reply["kept"] is True, wording.HEADS_CHANGED)
    reached = expect_floats(reply, "reached", heads=3, input_dim=6)
    expect((reached != 0).any(dim=-1).all(), wording.HEADS_NOT_REACHED)

"""Checks of `PositionwiseFeedForward(d_model, d_ff, dropout=0.1)`."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Student,
    expect,
    expect_dropped,
    expect_floats,
    points,
    probe,
    same,
    values,
)

from . import wording
from .dropping import expect_each_alone

domain = Domain(
    answer="PositionwiseFeedForward",
    sizes={"N": 2, "L": 5, "d_model": 6, "d_ff": 10},
    more={"for a wide hidden layer": {"d_ff": 31}},
    arguments=("d_model", "d_ff"),
    inputs={"x": "N L d_model"},
    named=True,
    dropout=True,
    returns={"output": "N L d_model"},
)
battery = Battery(
    domain,
    **{"values": 0.25, "sizes": 0.5, "extremes": 0.25, "gradients": 1.25},
    **{"modes": 0.25, "kind": 0.5, "parts": 0.25, "care": 0.25},
)


@probe
def passed(answers: Any, x: Any, p: float | None, training: bool) -> dict[str, Any]:
    # Both layers hand on what they get, so that the output is the hidden layer.
    size = x.shape[-1]
    module = answers.PositionwiseFeedForward(size, size, **({} if p is None else {"dropout": p}))
    with torch.no_grad():
        for layer in (module.linear1, module.linear2):
            layer.weight.copy_(torch.eye(size))
            layer.bias.zero_()
        module.linear2.bias.fill_(5.0)
    module.train(training)
    torch.manual_seed(5)
    with torch.no_grad():  # dropping goes by the mode alone
        return {"output": module(x) - 5.0}


@values
@points(0.5, text="linear1, GELU (the exact one, PyTorch's default), dropout, linear2")
def check_drops_of_the_hidden_layer(student: Student) -> None:
    """In training some numbers of the hidden layer are dropped, 0.1 of them unless told."""
    x = torch.linspace(0.5, 3.0, 32).expand(4, 60, 32).contiguous()
    dims = {"N": 4, "L": 60, "d_model": 32}
    for p in (0.5, None, 0.0):
        whole = expect_floats(student.run(passed, x=x, p=p, training=False), "output", **dims)
        expect(same(whole, torch.nn.functional.gelu(x).double()), wording.OTHER_HIDDEN)
        moved = expect_floats(student.run(passed, x=x, p=p, training=True), "output", **dims)
        expect((moved > -1).all(), wording.DROPS_THE_OUTPUT)
        expect_dropped(moved, whole, 0.1 if p is None else p)
        expect_each_alone(moved == 0)

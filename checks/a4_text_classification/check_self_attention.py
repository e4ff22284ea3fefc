"""Checks of `SelfAttention(embed_dim, num_heads=8, dropout=0.1)`.

The question names its four layers, so that its battery lays weights in by name.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Masks,
    Reply,
    Student,
    expect,
    expect_dropped,
    expect_floats,
    numbers,
    points,
    probe,
    same,
    values,
)

from . import wording

domain = Domain(
    answer="SelfAttention",
    sizes={"B": 2, "L": 5, "heads": 3, "head_dim": 4},
    arguments=("heads*head_dim", "heads"),
    inputs={"x": "B L heads*head_dim", "padding_mask": Masks("B L")},
    optional=("padding_mask",),
    named=True,
    dropout=True,
    more={"where the length is embed_dim": {"L": 12}},
    returns={"output": "B L heads*head_dim"},
)
battery = Battery(
    domain,
    **{"values": 1.5, "bare": 0.5, "sizes": 1, "extremes": 0.5, "gradients": 4.5},
    **{"modes": 1.5, "kind": 1.5, "parts": 0.5, "care": 1.5},
)
LAYERS = ("to_queries", "to_keys", "to_values", "unify_heads")
FOUR_LAYERS = {"found": 4, "square": True, "biases": "False False False True"}


@probe
def named(answers: Any, names: str, size: int) -> dict[str, Any]:
    module = answers.SelfAttention(size, 2)
    layers = (getattr(module, name, None) for name in names.split())
    found = [layer for layer in layers if isinstance(layer, nn.Linear)]
    square = all(layer.weight.shape == (size, size) for layer in found)
    biases = [layer.bias is not None for layer in found]
    return {"found": len(found), "square": square, "biases": " ".join(map(str, biases))}


@probe
def uniform(
    answers: Any, x: Any, heads: int, p: float | None, training: bool, mask: Any
) -> dict[str, Any]:
    # Without queries all scores are equal; what comes out is the sum of the weights.
    size = x.shape[-1]
    module = answers.SelfAttention(size, heads, **({} if p is None else {"dropout": p}))
    with torch.no_grad():
        module.to_queries.weight.zero_()
        module.to_values.weight.copy_(torch.eye(size))
        module.unify_heads.weight.copy_(torch.eye(size))
        module.unify_heads.bias.zero_()
    module.train(training)
    torch.manual_seed(5)
    with torch.no_grad():  # dropping goes by the mode alone
        return {"output": module(x, padding_mask=mask)}


@probe
def by_default(answers: Any, x: Any, **weights: Any) -> dict[str, Any]:
    module = answers.SelfAttention(x.shape[-1])
    module.eval()
    with torch.no_grad():
        for name, weight in weights.items():
            getattr(module, name).weight.copy_(weight)
        module.unify_heads.bias.zero_()
    return {"output": module(x)}


@points(0.5, text="makes four nn.Linear layers from embed_dim to embed_dim with these names")
def check_has_the_four_layers(student: Student) -> None:
    """The layers `to_queries`, `to_keys`, `to_values` and `unify_heads` are as described."""
    for size in (12, 6):
        reply = student.run(named, names=" ".join(LAYERS), size=size)
        for name, wanted in FOUR_LAYERS.items():
            expect(reply[name] == wanted, wording.FOUR_LAYERS)


@points(0.5, text="SelfAttention(embed_dim, num_heads=8, dropout=0.1)")
def check_has_eight_heads_unless_told_otherwise(student: Student, expected: Expected) -> None:
    """Without `num_heads` there are 8 heads."""
    weights = {name: numbers(n, 16, 16, scale=0.4) for n, name in enumerate(LAYERS, 31)}
    reply = student.run(by_default, x=numbers(30, 2, 3, 16), **weights)
    expected.match("default_heads", Reply.of({"output": reply.tensor("output")}))


@points(1, text="dropout is the probability $p$ with which a weight is dropped in training")
@values
def check_drops_weights_in_training(student: Student) -> None:
    """In training, weights are dropped with the probability `dropout`, 0.1 unless told."""
    length, real, size, x = 40, 25, 8, torch.ones(6, 40, 8)
    dims = {"B": 6, "L": length, "embed_dim": size}
    padded = torch.arange(length).expand(6, length) < real
    for p, mask in ((0.5, None), (None, None), (0.0, None), (0.5, padded)):
        still = student.run(uniform, x=x, heads=2, p=p, training=False, mask=mask)
        whole = expect_floats(still, "output", **dims)
        expect(same(whole, torch.ones_like(whole)), wording.OTHER_SUM)
        moved = student.run(uniform, x=x, heads=2, p=p, training=True, mask=mask)
        sums = expect_floats(moved, "output", **dims)[..., :: size // 2]
        share = 0.1 if p is None else p
        expect(p == 0 or (sums != sums[0, 0, 0]).any(), wording.NOT_DROPPED)
        seen = length if mask is None else real
        kept = (sums * seen * (1 - share)).round()
        expect(same(kept, sums * seen * (1 - share), 1e-3), wording.NOT_AS_DROPOUT)
        weights = torch.arange(seen) < kept[..., None]
        expect_dropped(weights.double() / (1 - share), torch.ones(weights.shape).double(), share)

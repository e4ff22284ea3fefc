"""Checks of `MultiHeadAttention(d_model, n_heads, dropout=0.1)`.

The question names its four layers, so that its battery lays weights in by name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Masks,
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

SIDES = {"query": "N L_q heads*d_k", "key": "N L_k heads*d_k", "value": "N L_k heads*d_k"}
domain = Domain(
    answer="MultiHeadAttention",
    sizes={"N": 2, "L_q": 4, "L_k": 6, "heads": 3, "d_k": 5},
    arguments=("heads*d_k", "heads"),
    inputs={**SIDES, "mask": Masks("N heads L_q L_k", mixed=True)},
    optional=("mask",),
    named=True,
    dropout=True,
    more={"where the lengths are d_model": {"L_q": 15, "L_k": 15}},
    returns={"output": "N L_q heads*d_k", "weights": "N heads L_q L_k"},
)
battery = Battery(
    domain,
    **{"values": 1.5, "bare": 0.5, "sizes": 1.25, "extremes": 0.5, "gradients": 5},
    **{"modes": 0.75, "kind": 1.75, "parts": 0.25, "care": 1.75},
)
one_mask = Battery(
    replace(
        domain,
        part="one_mask",
        about="with one mask for all sentences",
        inputs={**SIDES, "mask": Masks("heads L_q L_k")},
        only=("example",),
    ),
    everywhere=0.75,
)
LAYERS = ("W_q", "W_k", "W_v", "W_o")


@probe
def named(answers: Any, names: str) -> dict[str, Any]:
    module = answers.MultiHeadAttention(12, 3)
    layers = [getattr(module, name, None) for name in names.split()]
    fit = [isinstance(one, nn.Linear) and one.weight.shape == (12, 12) for one in layers]
    return {"fit": all(fit), "biased": all(getattr(o, "bias", None) is not None for o in layers)}


@probe
def attended(answers: Any, x: Any, p: float | None, training: bool) -> dict[str, Any]:
    # One head, layers that hand on what they get, and values that are one-hot twice: the output
    # holds the weights twice.
    size = x.shape[-1]
    module = answers.MultiHeadAttention(size, 1, **({} if p is None else {"dropout": p}))
    with torch.no_grad():
        for name in ("W_q", "W_k", "W_v", "W_o"):
            layer = getattr(module, name)
            layer.weight.copy_(torch.eye(size))
            layer.bias.zero_()
    module.train(training)
    torch.manual_seed(5)
    one_hot_twice = torch.eye(size // 2).repeat(len(x), 1, 2)
    output, weights = module(x, one_hot_twice, one_hot_twice)
    return {"output": output, "weights": weights}


@points(0.25, text="**named** W_q, W_k, W_v, W_o")
def check_has_the_four_layers(student: Student, expected: Expected) -> None:
    """The layers `W_q`, `W_k`, `W_v` and `W_o` are there, each from d_model to d_model."""
    reply = student.run(named, names=" ".join(LAYERS))
    expect(reply["fit"] is True and reply["biased"] is True, wording.FOUR_LAYERS)


@values
@points(1.75, text="The weights returned are those *before* the dropout")
def check_drops_weights_in_training(student: Student, expected: Expected) -> None:
    """In training the values are mixed with dropped weights; the weights returned are whole."""
    keys, x = 40, numbers(6, 3, 30, 80)

    def attend(p: float | None, training: bool) -> tuple[torch.Tensor, torch.Tensor]:
        reply = student.run(attended, x=x, p=p, training=training)
        output = expect_floats(reply, "output", N=3, L_q=30, d_model=2 * keys)
        return output, expect_floats(reply, "weights", N=3, n_heads=1, L_q=30, L_k=keys)

    for p in (0.4, None):
        output, whole = attend(p, training=False)
        expect(same(output, whole[:, 0].repeat(1, 1, 2)), wording.NOT_MIXED)
        output, weights = attend(p, training=True)
        sums = weights.sum(dim=-1)
        expect(same(sums, torch.ones_like(sums)), wording.NOT_BEFORE_DROPOUT)
        expect(same(weights, whole), wording.OTHER_WEIGHTS)
        first, second = output[..., :keys], output[..., keys:]
        expect_dropped(first, whole[:, 0], 0.1 if p is None else p)
        expect(same(first, second), wording.DROPS_ELSEWHERE)

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
from .dropping import expect_each_alone

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
        only=("example", "equal"),
    ),
    everywhere=0.5,
)
LAYERS = ("W_q", "W_k", "W_v", "W_o")


@probe
def named(answers: Any, names: str) -> dict[str, Any]:
    module = answers.MultiHeadAttention(12, 3)
    layers = [getattr(module, name, None) for name in names.split()]
    fit = [isinstance(one, nn.Linear) and one.weight.shape == (12, 12) for one in layers]
    return {"fit": all(fit), "biased": all(getattr(o, "bias", None) is not None for o in layers)}


@probe
def attended(
    answers: Any, x: Any, heads: int, p: float | None, training: bool, mask: Any
) -> dict[str, Any]:
    # Layers that hand on what they get, and values that are one-hot twice in each head: the output
    # holds the weights of each head twice.
    size = x.shape[-1]
    module = answers.MultiHeadAttention(size, heads, **({} if p is None else {"dropout": p}))
    with torch.no_grad():
        for name in ("W_q", "W_k", "W_v", "W_o"):
            layer = getattr(module, name)
            layer.weight.copy_(torch.eye(size))
            layer.bias.zero_()
    module.train(training)
    torch.manual_seed(5)
    one_hot_twice = torch.eye(size // heads // 2).repeat(len(x), 1, 2 * heads)
    with torch.no_grad():  # dropping goes by the mode alone
        output, weights = module(x, one_hot_twice, one_hot_twice, mask=mask)
    return {"output": output, "weights": weights}


def shorter(masks: Any) -> Any:
    """Masks of fewer axes than `masks`, or with axes of size 1."""
    return (
        *(masks[0, 0], masks[0, 0, 0], masks[:, :1]),
        *(masks[:, :1, :1], masks[:1, :1], masks[:1]),
    )


@probe(uses=[shorter])
def masked(answers: Any, query: Any, key: Any, value: Any, masks: Any) -> dict[str, Any]:
    # With each of the masks, and with each of them written out.
    module = answers.MultiHeadAttention(query.shape[-1], masks.shape[1])
    for number, (_, one) in enumerate(sorted(module.named_parameters())):  # in whichever order
        torch.manual_seed(number)
        nn.init.normal_(one, std=0.5)
    module.eval()
    found = {}
    for number, mask in enumerate(shorter(masks)):
        found[f"short_{number}"] = module(query, key, value, mask)[1]
        found[f"whole_{number}"] = module(query, key, value, mask.expand_as(masks).clone())[1]
    return found


@points(0.25, text="**named** W_q, W_k, W_v, W_o")
def check_has_the_four_layers(student: Student) -> None:
    """The layers `W_q`, `W_k`, `W_v` and `W_o` are there, each from d_model to d_model."""
    reply = student.run(named, names=" ".join(LAYERS))
    expect(reply["fit"] is True and reply["biased"] is True, wording.FOUR_LAYERS)


@values
@points(1.75, text="The weights returned are those *before* the dropout")
def check_drops_weights_in_training(student: Student) -> None:
    """In training the values are mixed with dropped weights; the weights returned are whole."""
    keys, real, x = 40, 25, numbers(6, 3, 30, 80)
    padded = (torch.arange(keys) < real).expand(3, 1, 30, keys)

    def attend(
        p: float | None, mask: torch.Tensor | None, *, training: bool
    ) -> tuple[torch.Tensor, torch.Tensor]:
        reply = student.run(attended, x=x, heads=1, p=p, training=training, mask=mask)
        output = expect_floats(reply, "output", N=3, L_q=30, d_model=2 * keys)
        return output, expect_floats(reply, "weights", N=3, n_heads=1, L_q=30, L_k=keys)

    for p, mask in ((0.4, None), (None, None), (0.0, None), (0.4, padded)):
        output, whole = attend(p, mask, training=False)
        expect(same(output, whole[:, 0].repeat(1, 1, 2)), wording.NOT_MIXED)
        output, weights = attend(p, mask, training=True)
        sums = weights.sum(dim=-1)
        expect(same(sums, torch.ones_like(sums)), wording.NOT_BEFORE_DROPOUT)
        expect(same(weights, whole), wording.OTHER_WEIGHTS)
        first, second = output[..., :keys], output[..., keys:]
        seen = slice(keys if mask is None else real)
        expect_dropped(first[..., seen], whole[:, 0, :, seen], 0.1 if p is None else p)
        expect(same(first, second), wording.DROPS_ELSEWHERE)
    x = x.repeat(1, 1, 2)
    reply = student.run(attended, x=x, heads=2, p=0.4, training=True, mask=None)
    output = expect_floats(reply, "output", N=3, L_q=30, d_model=4 * keys)
    expect_each_alone(output.view(3, 30, 2, 2 * keys)[..., :keys] == 0)


@points(0.25, text="a mask that broadcasts to (N, n_heads, L_q, L_k)")
def check_masks_broadcast(student: Student) -> None:
    """A mask may leave out leading axes, or have them with size 1."""
    masks = numbers(7, 4, 3, 4, 6) > -0.5
    masks[..., 2] = True
    given = {name: numbers(seed, 4, 4 + 2 * (seed > 1), 12) for seed, name in enumerate(SIDES, 1)}
    reply, sizes = student.run(masked, **given, masks=masks), {"N": 4, "n_heads": 3}
    for number, mask in enumerate(shorter(masks)):
        short, whole = (
            expect_floats(reply, f"{which}_{number}", **sizes, L_q=4, L_k=6)
            for which in ("short", "whole")
        )
        hidden = short[~mask.expand_as(short)]
        expect(same(short, whole) and not hidden.any(), wording.OTHER_BROADCAST)

"""Checks of `scaled_dot_product_attention(q, k, v, mask=None)`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Masks,
    Reply,
    Student,
    expect,
    expect_floats,
    numbers,
    points,
    probe,
    same,
    values,
)
from autograder.results import sentences

from . import wording

INPUTS = {"q": "N heads L_q d_k", "k": "N heads L_k d_k", "v": "N heads L_k d_v"}
domain = Domain(
    answer="scaled_dot_product_attention",
    sizes={"N": 2, "heads": 3, "L_q": 3, "L_k": 5, "d_k": 4, "d_v": 6},
    inputs={**INPUTS, "mask": Masks("N 1 L_q L_k", mixed=True)},
    returns={"output": "N heads L_q d_v", "attention": "N heads L_q L_k"},
    forbidden=("scaled_dot_product", "multi_head_attention_forward"),
    ready_made=("attention",),
)
battery = Battery(
    domain,
    **{"values": 1, "sizes": 0.75, "extremes": 0.75, "gradients": 1.75, "kind": 0.5},
    **{"way": 0.75, "care": 1},
)
without_a_mask = Battery(
    replace(domain, part="open", about="without a mask", inputs=INPUTS),
    **{"everywhere": 0.75, "gradients": 0.75, "kind": 0.25},
)
by_head = Battery(
    replace(
        domain,
        part="by_head",
        about="with a mask for each head",
        inputs={**INPUTS, "mask": Masks("heads L_q L_k", mixed=True)},
        only=("example", "other", "equal"),
    ),
    everywhere=0.25,
)


@probe
def attended(
    answers: Any, q: Any, k: Any, v: Any, mask: Any, gradients: bool = False
) -> dict[str, Any]:
    for given in (q, k, v):
        given.requires_grad_(gradients)
    output, attention = answers.scaled_dot_product_attention(q, k, v, mask)
    if gradients and output.requires_grad:
        torch.autograd.backward((output * output).sum() + (attention * attention).sum())
    found = {"output": output, "attention": attention}
    return {**found, **{f"gradient of {n}": one.grad for n, one in (("q", q), ("k", k), ("v", v))}}


def _inputs(seed: int, *leading: int, queries: int, keys: int) -> dict[str, torch.Tensor]:
    return {
        "q": numbers(seed, *leading, queries, 6),
        "k": numbers(seed + 1, *leading, keys, 6),
        "v": numbers(seed + 2, *leading, keys, 3),
    }


def _table(*rows: str) -> torch.Tensor:
    """A mask out of rows of 1 (may attend) and 0."""
    return torch.tensor([[sign == "1" for sign in row] for row in rows])


# One mask for all sequences; one for each, shared by heads and queries; one for each pair.
MASKED = {
    "causal": _inputs(50, 2, queries=4, keys=4) | {"mask": _table("1000", "1100", "1110", "1111")},
    "padding": _inputs(60, 2, 3, queries=3, keys=5)
    | {"mask": _table("11111", "11000")[:, None, None]},
    "any": _inputs(70, 1, 2, queries=3, keys=4)
    | {"mask": _table("1010", "0110", "1011")[None, None]},
    "alone": _inputs(74, queries=3, keys=4) | {"mask": _table("1010", "0110", "1011")},
    "three": _inputs(78, 2, 1, 3, queries=2, keys=4) | {"mask": _table("1010", "0111")},
    "keys": _inputs(76, 2, queries=3, keys=4) | {"mask": _table("0111")[0]},
    "low": {  # what may be attended to scores far below what may not
        **{"q": torch.full((1, 2, 6), 100.0), "v": numbers(72, 1, 3, 3)},
        "k": torch.tensor([-100.0, 0.1, -100.0])[:, None].expand(1, 3, 6).contiguous(),
        "mask": _table("101", "100"),
    },
}
# Queries without any key: the second of the first sequence, and all of the second sequence.
EMPTY = {
    **_inputs(80, 2, queries=3, keys=4),
    "mask": torch.stack([_table("1100", "0000", "0111"), _table("0000", "0000", "0000")]),
}


@values
@points(0.5, text="Hidden keys get a weight of exactly 0.")
def check_hidden_keys_have_no_weight(student: Student) -> None:
    """A hidden key has a weight of exactly 0, the others share the whole 1."""
    for inputs in MASKED.values():
        reply = student.run(attended, **inputs)
        *axes, queries, keys = inputs["q"].shape[:-1] + inputs["k"].shape[-2:-1]
        leading = ("N", "heads", "axis 2")[: len(axes)]
        dims = {**dict(zip(leading, axes, strict=True)), "L_q": queries, "L_k": keys}
        weights = expect_floats(reply, "attention", **dims)
        hidden = ~inputs["mask"].expand(weights.shape)
        expect((weights[hidden] == 0).all(), wording.HIDDEN_WEIGHS)
        sums = weights.sum(dim=-1)
        expect(same(sums, torch.ones_like(sums), atol=0.01), wording.SUMS)


@points(1, text="A query that may attend to nothing gets weights and an output of 0.")
def check_nothing_to_attend_to_gives_zeros(student: Student, expected: Expected) -> None:
    """A query that may attend to nothing gets zeros, not NaN, and finite gradients."""
    reply = student.run(attended, **EMPTY)
    weights = expect_floats(reply, "attention", N=2, L_q=3, L_k=4)
    output = expect_floats(reply, "output", N=2, L_q=3, d_v=3)
    empty = ~EMPTY["mask"].any(dim=-1)
    expect((weights[empty] == 0).all() & (output[empty] == 0).all(), wording.NOT_EMPTY)
    expected.match("empty", Reply.of({"output": output.float(), "attention": weights.float()}))
    reply = student.run(attended, **EMPTY, gradients=True)
    for name in "qkv":
        found = reply[f"gradient of {name}"]
        expect(isinstance(found, torch.Tensor), sentences.no_gradient_at(name))
        expect(reply.tensor(f"gradient of {name}").isfinite().all(), wording.NOT_FINITE_GRADIENT)

"""Checks of `MultiHeadAttention(d_model, num_heads)`."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    expect_gradients,
    expect_kept,
    expect_shape,
    expect_unchanged,
    expect_varied,
    numbers,
    points,
    same,
    sizes_of,
    values,
)

from . import wording
from .filling import attention
from .modules import (
    Case,
    Compared,
    applied,
    differentiated,
    expect_parts,
    in_double,
    match_filled,
    output_of,
)

NAME = "MultiHeadAttention"
ORDER = "x_q x_k x_v mask"


def _inputs(seed: int, n: int, queries: int, keys: int, d_model: int) -> dict[str, torch.Tensor]:
    return {
        "x_q": numbers(seed, n, queries, d_model),
        "x_k": numbers(seed + 1, n, keys, d_model),
        "x_v": numbers(seed + 2, n, keys, d_model),
    }


def _case(seed: int, d_model: int, heads: int, **inputs: torch.Tensor) -> Case:
    weights = attention(0, seed, d_model)
    return {"sizes": sizes_of(d_model, heads), "heads": heads, **inputs, **weights}


def _itself(x: torch.Tensor) -> dict[str, torch.Tensor]:
    return {"x_q": x, "x_k": x, "x_v": x}


CAUSAL = torch.ones(5, 5, dtype=torch.bool).tril()
PADDING = torch.tensor([[[[True] * 7]], [[[True] * 4 + [False] * 3]]])
BOTH = CAUSAL & PADDING[..., :5]
# One to four heads, more and fewer than the numbers in each.
SELF = {
    "three_heads": _case(100, 6, 3, **_itself(numbers(1, 2, 5, 6))),
    "one_head": _case(200, 4, 1, **_itself(numbers(2, 3, 4, 4))),
    "batch_of_one": _case(300, 8, 2, **_itself(numbers(3, 1, 3, 8))),
}
CROSS = {
    "fewer_queries": _case(400, 8, 4, **_inputs(10, 2, 3, 7, 8)),
    "one_key": _case(500, 6, 2, **_inputs(20, 1, 4, 1, 6)),
}
MASKED = {
    "causal": _case(600, 6, 2, **_itself(numbers(4, 2, 5, 6)), mask=CAUSAL),
    "padding": _case(700, 6, 3, **_inputs(30, 2, 4, 7, 6), mask=PADDING),
    "both": _case(800, 8, 2, **_itself(numbers(5, 2, 5, 8)), mask=BOTH),
}


def _match(
    student: Student, expected: Expected, cases: Mapping[str, Case], compared: Compared = output_of
) -> None:
    kept = ("sizes", *ORDER.split())
    seeded = {
        f"seeded_{case}": {"seed": 3, **{name: given[name] for name in kept if name in given}}
        for case, given in cases.items()
    }
    match_filled(student, expected, NAME, ORDER, cases, seeded, compared)


def _weights(reply: Reply, case: Case) -> Reply:
    return Reply.of({"attention": reply.tensor("attention")})


@points(1)
def check_shapes_fit(student: Student, expected: Expected) -> None:
    """It returns an output (N, L_q, d_model) and weights (N, num_heads, L_q, L_k)."""
    for n, heads, queries, keys in ((2, 4, 3, 7), (1, 2, 5, 5)):
        sizes = sizes_of(8, heads)
        inputs = _inputs(40, n, queries, keys, 8)
        reply = student.run(applied, name=NAME, order=ORDER, sizes=sizes, **inputs)
        expect_shape(reply, "output", N=n, L_q=queries, d_model=8)
        expect_shape(reply, "attention", N=n, heads=heads, L_q=queries, L_k=keys)


@points(1)
def check_has_four_linear_layers(student: Student, expected: Expected) -> None:
    """Queries, keys, values and the output are each made by a linear layer with bias."""
    for case in (SELF["three_heads"], CROSS["fewer_queries"]):
        expect_parts(student, NAME, ORDER, case)


@points(3)
def check_self_attention_has_the_right_values(student: Student, expected: Expected) -> None:
    """With one sequence for all three inputs, the output is right."""
    _match(student, expected, SELF)


@points(3)
def check_cross_attention_has_the_right_values(student: Student, expected: Expected) -> None:
    """With three different inputs and unequal lengths, the output is right."""
    _match(student, expected, CROSS)


@points(2)
def check_masks_are_honoured(student: Student, expected: Expected) -> None:
    """Under a causal mask, a padding mask and both, the output is right."""
    _match(student, expected, MASKED)


@points(2)
def check_weights_of_each_head_are_right(student: Student, expected: Expected) -> None:
    """The second result holds the weights of each head, with and without masks."""
    cases = {**CROSS, **MASKED}
    _match(student, expected, {f"weights_{case}": cases[case] for case in cases}, _weights)


@values
@points(1)
def check_order_of_keys_does_not_matter(student: Student, expected: Expected) -> None:
    """Shuffling keys and values together changes nothing; shuffling queries shuffles the output."""
    inputs = _inputs(50, 2, 3, 6, 8)
    keys, queries = torch.tensor([3, 0, 5, 1, 2, 4]), torch.tensor([2, 0, 1])
    second = {
        "x_q_2": inputs["x_q"][:, queries],
        "x_k_2": inputs["x_k"][:, keys],
        "x_v_2": inputs["x_v"][:, keys],
    }
    sizes = sizes_of(8, 2)
    reply = student.run(applied, name=NAME, order=ORDER, sizes=sizes, **inputs, **second)
    output = expect_varied(reply, "output", N=2, L_q=3, d_model=8)
    found = expect_floats(reply, "second", N=2, L_q=3, d_model=8)
    expect(same(found, output[:, queries]), wording.ORDER_MATTERS)


@points(1)
def check_gradients_reach_every_parameter(student: Student, expected: Expected) -> None:
    """The gradient of the output reaches the inputs and every parameter."""
    reply = student.run(
        differentiated,
        name=NAME,
        order=ORDER,
        sizes=sizes_of(8, 2),
        direction=numbers(61, 2, 4, 8),
        **_inputs(60, 2, 4, 6, 8),
    )
    expect_gradients(reply, N=2, L_q=4, d_model=8)


@points(1)
def check_keeps_dtype_device_and_inputs(student: Student, expected: Expected) -> None:
    """The output has the inputs' dtype and device, and the inputs stay as they are."""
    given = {**_inputs(70, 2, 4, 7, 8), "mask": PADDING}
    sizes = sizes_of(8, 2)
    expect_kept(student.run(in_double, name=NAME, order=ORDER, sizes=sizes, **given))
    reply = student.run(applied, name=NAME, order=ORDER, sizes=sizes, **given)
    expect_unchanged(reply, given)

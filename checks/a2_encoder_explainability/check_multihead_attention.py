"""Checks of `MultiheadAttention(input_dim, embed_dim, num_heads)`."""

from __future__ import annotations

import math
from typing import Any

import torch

from autograder.checking import (
    Expected,
    Student,
    expect,
    expect_floats,
    expect_gradients,
    expect_kept,
    expect_unchanged,
    numbers,
    points,
    probe,
    same,
)

from . import wording
from .modules import (
    Inputs,
    differentiated,
    expect_linked,
    filled,
    in_double,
    match_filled,
)

NAME = "MultiheadAttention"
SIZES = {"input_dim": 5, "embed_dim": 12, "num_heads": 3}
X = numbers(1, 2, 4, 5, scale=2.0)
# Several heads; a batch of one with one head; as many heads as dimensions.
CASES: dict[str, Inputs] = {
    "three_heads": {**SIZES, "x": X},
    "one_head": {"input_dim": 7, "embed_dim": 4, "num_heads": 1, "x": numbers(2, 1, 6, 7)},
    "narrow_heads": {
        "input_dim": 6,
        "embed_dim": 6,
        "num_heads": 6,
        "x": numbers(3, 3, 3, 6, scale=2.0),
    },
}
_may = numbers(4, 2, 3, 4, 4) > 0
MASKED: dict[str, Inputs] = {
    "causal": {**CASES["three_heads"], "mask": torch.ones(4, 4, dtype=torch.bool).tril()},
    "by_sequence": {**CASES["three_heads"], "mask": _may[:, :1] | torch.eye(4).bool()},
    "by_head": {**CASES["three_heads"], "mask": _may | torch.eye(4).bool()},
}
START_SIZES = ((32, 24, 4), (6, 40, 2))


@probe
def started(
    answers: Any, kind: str, input_dim: int, embed_dim: int, num_heads: int
) -> dict[str, Any]:
    torch.manual_seed(1)
    module = answers.MultiheadAttention(input_dim, embed_dim, num_heads)
    found: dict[str, Any] = {"parameters": sum(1 for _ in module.parameters())}
    for name in ("qkv_proj", "o_proj"):
        found[name] = getattr(getattr(module, name, None), kind, None)
    return found


@probe
def refused(answers: Any, embed_dim: int, num_heads: int) -> dict[str, Any]:
    try:
        answers.MultiheadAttention(4, embed_dim, num_heads)
    except (ValueError, AssertionError) as error:
        kind = "ValueError" if isinstance(error, ValueError) else "AssertionError"
        named = str(embed_dim) in str(error) and str(num_heads) in str(error)
        return {"raised": kind, "named": named}
    return {"raised": "nothing", "named": False}


def _dims(inputs: Inputs) -> tuple[dict[str, int], dict[str, int]]:
    x = inputs["x"]
    assert isinstance(x, torch.Tensor)
    first = {"B": x.shape[0], "L": x.shape[1]}
    heads, size = int(inputs["num_heads"]), int(inputs["embed_dim"])
    return {**first, "embed_dim": size}, {
        "B": x.shape[0],
        "heads": heads,
        "L_q": x.shape[1],
        "L_k": x.shape[1],
    }


def _start(student: Student, kind: str) -> list[torch.Tensor]:
    """The fresh parameters called `kind` of the two projections, for both START_SIZES."""
    found = []
    for input_dim, embed_dim, num_heads in START_SIZES:
        sizes = {"input_dim": input_dim, "embed_dim": embed_dim, "num_heads": num_heads}
        reply = student.run(started, kind=kind, **sizes)
        shapes = {"qkv_proj": (3 * embed_dim, input_dim), "o_proj": (embed_dim, embed_dim)}
        for name, shape in shapes.items():
            expect(isinstance(reply[name], torch.Tensor), wording.NO_PROJECTIONS)
            fits = reply.tensor(name).shape == shape[: 1 if kind == "bias" else 2]
            expect(fits, wording.NO_PROJECTIONS)
            found.append(reply.tensor(name).double())
        expect(reply["parameters"] == 2 * len(shapes), wording.NO_PROJECTIONS)
    return found


@points(1)
def check_shapes_fit(student: Student, expected: Expected) -> None:
    """The output is (B, L, embed_dim); on demand, attention (B, heads, L, L) stands beside it."""
    for inputs in CASES.values():
        output_dims, map_dims = _dims(inputs)
        expect_floats(student.run(filled, name=NAME, **inputs), "output", **output_dims)
        reply = student.run(filled, name=NAME, look=True, **inputs)
        expect_floats(reply, "beside", **output_dims)
        expect_floats(reply, "map_0", **map_dims)


@points(1)
def check_has_two_projections(student: Student, expected: Expected) -> None:
    """`qkv_proj` is one stacked linear layer, `o_proj` the one at the end; both have a bias."""
    for kind in ("weight", "bias"):
        _start(student, kind)


@points(1)
def check_weights_start_by_xavier(student: Student, expected: Expected) -> None:
    """Both weight matrices are drawn Xavier-uniform, each as a whole."""
    for weight in _start(student, "weight"):
        bound = math.sqrt(6 / sum(weight.shape))
        largest, spread = weight.abs().max(), weight.std() * math.sqrt(3)
        expect(0.9 * bound < largest <= bound * 1.0001, wording.NOT_XAVIER)
        expect(0.9 * bound < spread < 1.1 * bound, wording.NOT_XAVIER)


@points(1)
def check_biases_start_at_zero(student: Student, expected: Expected) -> None:
    """Both biases are zero at the start."""
    for bias in _start(student, "bias"):
        expect((bias == 0).all(), wording.BIAS_NOT_ZERO)


@points(2)
def check_heads_attend_rightly(student: Student, expected: Expected) -> None:
    """Each head's attention follows from its own columns of the stacked projection."""
    cases = {f"{case}_map": {**inputs, "look": True} for case, inputs in CASES.items()}
    match_filled(student, expected, cases, NAME, ("map_0",))


@points(3)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The output has the right values: heads mixed by `o_proj`, positions kept apart."""
    match_filled(student, expected, CASES, NAME)


@points(1)
def check_returns_attention_on_demand(student: Student, expected: Expected) -> None:
    """With `return_attention=True` the output is the same, made with the attention beside it."""
    for inputs in (*CASES.values(), *MASKED.values()):
        output_dims, _ = _dims(inputs)
        alone = expect_floats(student.run(filled, name=NAME, **inputs), "output", **output_dims)
        reply = student.run(filled, name=NAME, look=True, **inputs)
        beside = expect_floats(reply, "beside", **output_dims)
        expect(same(beside, alone), wording.TWO_OUTPUTS)
    expect_linked(student, NAME, 1, X, numbers(6, 2, 4, 12), **SIZES)


@points(2)
def check_mask_reaches_the_heads(student: Student, expected: Expected) -> None:
    """Masks of shapes (L, L), (B, 1, L, L) and (B, heads, L, L) act on the right pairs."""
    cases = {case: {**inputs, "look": True} for case, inputs in MASKED.items()}
    match_filled(student, expected, cases, NAME, ("map_0", "beside"))


@points(1)
def check_refuses_sizes_that_do_not_divide(student: Student, expected: Expected) -> None:
    """An embed_dim that num_heads does not divide raises a ValueError that names both."""
    for embed_dim, num_heads in ((10, 4), (9, 2), (3, 5)):
        reply = student.run(refused, embed_dim=embed_dim, num_heads=num_heads)
        clear = reply["raised"] == "ValueError" and reply["named"] is True
        expect(clear, wording.NOT_REFUSED)
    for embed_dim, num_heads in ((8, 4), (9, 3), (5, 1), (6, 6)):
        reply = student.run(refused, embed_dim=embed_dim, num_heads=num_heads)
        expect(reply["raised"] == "nothing", wording.WRONGLY_REFUSED)


@points(1)
def check_gradients_reach_every_parameter(student: Student, expected: Expected) -> None:
    """The gradient of the output reaches x and every parameter."""
    reply = student.run(differentiated, name=NAME, x=X, direction=numbers(5, 2, 4, 12), **SIZES)
    expect_gradients(reply, B=2, L=4, embed_dim=12)


@points(1)
def check_keeps_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """The output has the input's dtype and device, and the input stays as it is."""
    expect_kept(student.run(in_double, name=NAME, x=X, **SIZES))
    expect_kept(student.run(in_double, name=NAME, **MASKED["causal"]))
    expect_unchanged(student.run(filled, name=NAME, **CASES["three_heads"]), {"x": X})

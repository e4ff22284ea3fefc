"""Checks of `attention(q, k, v)`: values, the softmax's axis, the scale, and the mixing."""

from __future__ import annotations

import math
from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    expect_shape,
    expect_unchanged,
    numbers,
    points,
    probe,
    same,
)
from autograder.results import sentences

from . import wording

NAMES = ("output", "att_values")


@probe
def attended(answers: Any, q: Any, k: Any, v: Any) -> dict[str, Any]:
    torch.manual_seed(1)
    found = answers.attention(q, k, v)
    pair = found if isinstance(found, (tuple, list)) else (found,)
    return {**dict(zip(("output", "att_values"), pair, strict=False)), "q": q, "k": k, "v": v}


@probe
def differentiated(
    answers: Any, q: Any, k: Any, v: Any, direction: Any, weights_direction: Any
) -> dict[str, Any]:
    torch.manual_seed(1)
    for given in (q, k, v):
        given.requires_grad_()
    found = answers.attention(q, k, v)
    pair = found if isinstance(found, (tuple, list)) else (found,)
    answered = dict(zip(("output", "att_values"), pair, strict=False))
    shapes = [getattr(part, "shape", None) for part in pair]
    if shapes != [direction.shape, weights_direction.shape]:
        return answered
    total = (pair[0] * direction).sum() + (pair[1] * weights_direction).sum()
    if total.requires_grad:
        total.backward()
    gradients = {f"gradient of {name}": t.grad for name, t in (("q", q), ("k", k), ("v", v))}
    return {**answered, **gradients}


@probe
def on_another_device(answers: Any, q: Any, k: Any, v: Any) -> dict[str, Any]:
    try:  # the meta device stands in for any device that is not the CPU
        found = answers.attention(q.to("meta"), k.to("meta"), v.to("meta"))
        device = "".join(sorted({part.device.type for part in found}))
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"device": device}


def _inputs(
    seed: int, n: int, queries: int, keys: int, d_k: int, d_v: int
) -> dict[str, torch.Tensor]:
    return {
        "q": numbers(seed, n, queries, d_k),
        "k": numbers(seed + 1, n, keys, d_k),
        "v": numbers(seed + 2, n, keys, d_v),
    }


# Lengths and sizes that are all alike hide an exchange that the other cases forbid.
CASES = {
    "square": _inputs(50, 2, 4, 4, 4, 4),
    "unequal": _inputs(10, 2, 4, 7, 8, 5),
    "batch_of_one": _inputs(20, 1, 6, 3, 5, 9),
    "single": _inputs(30, 3, 1, 1, 2, 4),
}


def worked_example() -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(42)
    sizes = {"q": 512, "k": 512, "v": 256}
    return {name: torch.randn(2, 5, size, generator=generator) for name, size in sizes.items()}


def _dims(inputs: dict[str, torch.Tensor]) -> tuple[dict[str, int], dict[str, int]]:
    n, queries, keys = inputs["q"].shape[0], inputs["q"].shape[1], inputs["k"].shape[1]
    return (
        {"N": n, "L_q": queries, "d_v": inputs["v"].shape[2]},
        {"N": n, "L_q": queries, "L_k": keys},
    )


def _attend(student: Student, inputs: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Output and weights in float64, of the right shapes."""
    reply = student.run(attended, **inputs)
    output_dims, weight_dims = _dims(inputs)
    output = expect_floats(reply, "output", **output_dims)
    return output, expect_floats(reply, "att_values", **weight_dims)


@points(3)
def check_shapes_fit(student: Student, expected: Expected) -> None:
    """`attention` returns an output (N, L_q, d_v) and weights (N, L_q, L_k)."""
    for inputs in CASES.values():
        reply = student.run(attended, **inputs)
        output_dims, weight_dims = _dims(inputs)
        expect_shape(reply, "output", **output_dims)
        expect_shape(reply, "att_values", **weight_dims)


@points(8)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """Output and weights have the right values."""
    for case, inputs in {**CASES, "example": worked_example()}.items():
        reply = student.run(attended, **inputs)
        answered = {name: reply.tensor(name) for name in NAMES}
        expected.match(case, Reply.of(answered))


@points(4)
def check_softmax_runs_over_the_keys(student: Student, expected: Expected) -> None:
    """The weights of each query are not negative and sum to 1 over the keys."""
    for inputs in CASES.values():
        _, weights = _attend(student, inputs)
        expect(weights.isfinite().all() & (weights >= 0).all(), wording.BELOW_ZERO)
        sums = weights.sum(dim=-1)
        expect(same(sums, torch.ones_like(sums)), wording.SUM_NOT_ONE)


@points(4)
def check_scores_are_scaled(student: Student, expected: Expected) -> None:
    """The more similar a key is to the query, the larger its weight, at the scale sqrt(d_k)."""
    for case in ("unequal", "batch_of_one"):
        inputs = CASES[case]
        _, weights = _attend(student, inputs)
        q, k = inputs["q"].double(), inputs["k"].double()
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        logs = weights.log()
        proportional = same(logs - logs[..., :1], scores - scores[..., :1], 1e-3)
        expect(proportional, wording.OTHER_PROPORTIONS)


@points(4)
def check_output_mixes_the_values(student: Student, expected: Expected) -> None:
    """The output is the sum of the values, each times its weight in `att_values`."""
    for inputs in CASES.values():
        output, weights = _attend(student, inputs)
        expect(same(output, weights @ inputs["v"].double()), wording.NOT_THE_MIXTURE)
        expect((weights != 0).any(), wording.ALL_ZERO)


@points(2)
def check_order_of_keys_does_not_matter(student: Student, expected: Expected) -> None:
    """Shuffling keys and values together leaves the output; shuffling queries shuffles it."""
    inputs = CASES["unequal"]
    order, back = torch.tensor([3, 0, 6, 1, 5, 2, 4]), torch.tensor([2, 0, 3, 1])
    shuffled = {
        "q": inputs["q"][:, back],
        "k": inputs["k"][:, order],
        "v": inputs["v"][:, order],
    }
    output, weights = _attend(student, inputs)
    output2, weights2 = _attend(student, shuffled)
    varied = (output - output[:, :1]).abs().max() > 1e-6
    expect(varied, sentences.same_everywhere("output"))
    expect(same(output2, output[:, back]), wording.DEPENDS_ON_KEY_ORDER)
    expect(same(weights2, weights[:, back][..., order]), wording.WEIGHTS_STAY_BEHIND)


@points(2)
def check_keeps_dtype_and_device(student: Student, expected: Expected) -> None:
    """Output and weights have the dtype and the device of the inputs."""
    inputs = CASES["unequal"]
    for dtype in (torch.float32, torch.float64):
        given = {name: tensor.to(dtype) for name, tensor in inputs.items()}
        reply = student.run(attended, **given)
        for name in NAMES:
            found = reply.tensor(name).dtype
            expect(found == dtype, sentences.dtype_lost(name, found, dtype))
    reply = student.run(on_another_device, **inputs)
    expect(reply["device"] == "meta", sentences.other_device())


@points(3)
def check_inputs_stay_and_gradients_flow(student: Student, expected: Expected) -> None:
    """The inputs are not changed, and the right gradients reach q, k and v."""
    inputs = CASES["unequal"]
    expect_unchanged(student.run(attended, **inputs), inputs)
    reply = student.run(
        differentiated,
        direction=numbers(40, 2, 4, 5),
        weights_direction=numbers(41, 2, 4, 7),
        **inputs,
    )
    output_dims, weight_dims = _dims(inputs)
    expect_shape(reply, "output", **output_dims)
    expect_shape(reply, "att_values", **weight_dims)
    gradients = {}
    for name in ("gradient of q", "gradient of k", "gradient of v"):
        expect(reply[name] is not None, sentences.no_gradient_at(name))
        gradients[name] = reply.tensor(name)
    expected.match("gradients", Reply.of(gradients))

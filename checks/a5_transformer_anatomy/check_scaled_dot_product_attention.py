"""Checks of `scaled_dot_product_attention(q, k, v, mask)`: values, axis, scale, mask."""

from __future__ import annotations

import math
from typing import Any

import torch

from autograder.checking import (
    CheckFailure,
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
    values,
)
from autograder.results import sentences

from . import wording

NAMES = ("output", "weights")


@probe
def attended(answers: Any, q: Any, k: Any, v: Any, mask: Any = None) -> dict[str, Any]:
    given = (q, k, v) if mask is None else (q, k, v, mask)
    found = answers.scaled_dot_product_attention(*given)
    pair = found if isinstance(found, (tuple, list)) else (found,)
    sent = {"q": q, "k": k, "v": v} if mask is None else {"q": q, "k": k, "v": v, "mask": mask}
    return {**dict(zip(("output", "weights"), pair, strict=False)), **sent}


@probe
def differentiated(
    answers: Any, q: Any, k: Any, v: Any, mask: Any, direction: Any, weights_direction: Any
) -> dict[str, Any]:
    for given in (q, k, v):
        given.requires_grad_()
    found = answers.scaled_dot_product_attention(q, k, v, mask)
    pair = found if isinstance(found, (tuple, list)) else (found,)
    answered = dict(zip(("output", "weights"), pair, strict=False))
    shapes = [getattr(part, "shape", None) for part in pair]
    if shapes != [direction.shape, weights_direction.shape]:
        return answered
    total = (pair[0] * direction).sum() + (pair[1] * weights_direction).sum()
    if total.requires_grad:
        total.backward()
    gradients = {f"gradient of {name}": t.grad for name, t in (("q", q), ("k", k), ("v", v))}
    return {**answered, **gradients}


@probe
def on_another_device(answers: Any, q: Any, k: Any, v: Any, mask: Any) -> dict[str, Any]:
    try:  # the meta device stands in for any device that is not the CPU
        found = answers.scaled_dot_product_attention(*[part.to("meta") for part in (q, k, v, mask)])
        device = "".join(sorted({part.device.type for part in found}))
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"device": device}


def _inputs(
    seed: int, leading: tuple[int, ...], queries: int, keys: int, d_k: int, d_v: int
) -> dict[str, torch.Tensor]:
    return {
        "q": numbers(seed, *leading, queries, d_k),
        "k": numbers(seed + 1, *leading, keys, d_k),
        "v": numbers(seed + 2, *leading, keys, d_v),
    }


# Unequal lengths and sizes; heads; a batch of one; a single query and key.
PLAIN = {
    "unequal": _inputs(10, (2,), 4, 7, 8, 5),
    "heads": _inputs(20, (3, 2), 5, 3, 4, 6),
    "batch_of_one": _inputs(30, (1,), 6, 3, 5, 9),
    "single": _inputs(40, (3,), 1, 1, 2, 4),
}
ONE_ROW = torch.tensor([True, False, True, True, False, False, True])
EACH_QUERY = torch.tensor(
    [[[True, False, True, True], [False, True, False, False]] for _ in range(3)]
)[:, None]
MASKED = {
    "keys": {**_inputs(50, (2,), 4, 7, 8, 5), "mask": ONE_ROW},
    "each_query": {**_inputs(60, (3, 5), 2, 4, 6, 3), "mask": EACH_QUERY},
}


def _dims(inputs: dict[str, torch.Tensor]) -> tuple[dict[str, int], dict[str, int]]:
    leading = dict(zip(("N", "heads"), inputs["q"].shape[:-2], strict=False))
    queries, keys = inputs["q"].shape[-2], inputs["k"].shape[-2]
    return (
        {**leading, "L_q": queries, "d_v": inputs["v"].shape[-1]},
        {**leading, "L_q": queries, "L_k": keys},
    )


def _attend(student: Student, inputs: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Output and weights in float64, of the right shapes."""
    reply = student.run(attended, **inputs)
    output_dims, weight_dims = _dims(inputs)
    output = expect_floats(reply, "output", **output_dims)
    return output, expect_floats(reply, "weights", **weight_dims)


def _match(student: Student, expected: Expected, cases: dict[str, dict[str, torch.Tensor]]) -> None:
    for case, inputs in cases.items():
        reply = student.run(attended, **inputs)
        expected.match(case, Reply.of({name: reply.tensor(name) for name in NAMES}))


@points(1)
def check_shapes_fit(student: Student, expected: Expected) -> None:
    """The output has the shape (..., L_q, d_v) and the weights (..., L_q, L_k)."""
    for inputs in PLAIN.values():
        reply = student.run(attended, **inputs)
        output_dims, weight_dims = _dims(inputs)
        expect_shape(reply, "output", **output_dims)
        expect_shape(reply, "weights", **weight_dims)


@points(2)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """Without a mask, output and weights have the right values."""
    _match(student, expected, PLAIN)


@points(2)
def check_matches_expected_values_with_a_mask(student: Student, expected: Expected) -> None:
    """With a mask, output and weights have the right values."""
    _match(student, expected, MASKED)


@points(1)
def check_softmax_runs_over_the_keys(student: Student, expected: Expected) -> None:
    """The weights of each query are not negative and sum to 1 over the keys, masked or not."""
    for inputs in (*PLAIN.values(), *MASKED.values()):
        _, weights = _attend(student, inputs)
        expect(weights.isfinite().all() & (weights >= 0).all(), wording.NEGATIVE)
        sums = weights.sum(dim=-1)
        expect(same(sums, torch.ones_like(sums)), wording.SUMS)


@values
@points(1)
def check_scores_are_scaled(student: Student, expected: Expected) -> None:
    """The more similar a key is to the query, the larger its weight, at the scale sqrt(d_k)."""
    for case in ("unequal", "heads"):
        inputs = PLAIN[case]
        _, weights = _attend(student, inputs)
        q, k = inputs["q"].double(), inputs["k"].double()
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        logs = weights.log()
        expect(
            same(logs - logs[..., :1], scores - scores[..., :1], 1e-3),
            wording.NOT_SCALED,
        )


@values
@points(1)
def check_masked_keys_have_no_weight(student: Student, expected: Expected) -> None:
    """Where the mask is False the weight is 0, and the other keys share it in proportion."""
    for inputs in MASKED.values():
        _, weights = _attend(student, inputs)
        _, plain = _attend(student, {name: inputs[name] for name in ("q", "k", "v")})
        allowed = inputs["mask"].expand_as(weights)
        expect((weights[~allowed] == 0).all(), wording.NOT_HIDDEN)
        left = plain * allowed
        expect(same(weights, left / left.sum(dim=-1, keepdim=True)), wording.NOT_SHARED_OUT)


@values
@points(1)
def check_output_mixes_the_values(student: Student, expected: Expected) -> None:
    """The output is the sum of the values, each times its weight."""
    for inputs in (*PLAIN.values(), *MASKED.values()):
        output, weights = _attend(student, inputs)
        expect(same(output, weights @ inputs["v"].double()), wording.NOT_MIXED)
        expect((weights != 0).any(), wording.NOT_MIXED)


@points(1)
def check_keeps_dtype_device_and_inputs_and_lets_gradients_flow(
    student: Student, expected: Expected
) -> None:
    """Dtype, device and inputs stay as they are, and the right gradients reach q, k and v."""
    inputs = MASKED["keys"]
    for dtype in (torch.float32, torch.float64):
        given = {n: t if t.dtype == torch.bool else t.to(dtype) for n, t in inputs.items()}
        reply = student.run(attended, **given)
        for name in NAMES:
            if reply.tensor(name).dtype != dtype:
                kind = str(dtype).removeprefix("torch.")
                raise CheckFailure(wording.OTHER_DTYPE.format(kind=kind, name=name))
    expect_unchanged(reply, given)
    device = student.run(on_another_device, **inputs)["device"]
    expect(device == "meta", sentences.other_device())
    directions = {"direction": numbers(70, 2, 4, 5), "weights_direction": numbers(71, 2, 4, 7)}
    reply = student.run(differentiated, **inputs, **directions)
    gradients = {}
    for name in ("gradient of q", "gradient of k", "gradient of v"):
        expect(name in reply and reply[name] is not None, sentences.no_gradient_at(name))
        gradients[name] = reply.tensor(name)
    expected.match("gradients", Reply.of(gradients))

"""Checks of `scaled_dot_product_attention(q, k, v, mask=None)`."""

from __future__ import annotations

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

NAMES = ("output", "attention")


@probe
def attended(answers: Any, q: Any, k: Any, v: Any, mask: Any = None) -> dict[str, Any]:
    masks = [] if mask is None else [mask]
    found = answers.scaled_dot_product_attention(q, k, v, *masks)
    pair = found if isinstance(found, (tuple, list)) else (found,)
    given = {"q": q, "k": k, "v": v} if mask is None else {"q": q, "k": k, "v": v, "mask": mask}
    return {**dict(zip(("output", "attention"), pair, strict=False)), **given}


@probe
def differentiated(
    answers: Any, q: Any, k: Any, v: Any, mask: Any, direction: Any, weights_direction: Any
) -> dict[str, Any]:
    for given in (q, k, v):
        given.requires_grad_()
    found = answers.scaled_dot_product_attention(q, k, v, mask)
    pair = found if isinstance(found, (tuple, list)) else (found,)
    answered = dict(zip(("output", "attention"), pair, strict=False))
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
    given = [part.to("meta") for part in (q, k, v, mask)]
    try:  # the meta device stands in for any device that is not the CPU
        found = answers.scaled_dot_product_attention(*given)
        device = "".join(sorted({part.device.type for part in found}))
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        unable = isinstance(error, NotImplementedError) or "meta tensors" in str(error)
        device = "meta" if unable else "mixed"
    return {"device": device}


def _inputs(
    seed: int, *leading: int, queries: int, keys: int, d_k: int, d_v: int
) -> dict[str, torch.Tensor]:
    return {
        "q": numbers(seed, *leading, queries, d_k),
        "k": numbers(seed + 1, *leading, keys, d_k),
        "v": numbers(seed + 2, *leading, keys, d_v),
    }


def _table(*rows: str) -> torch.Tensor:
    """A mask out of rows of 1 (may attend) and 0."""
    return torch.tensor([[sign == "1" for sign in row] for row in rows])


# Unequal lengths and sizes; a batch of one; two leading axes; none.
OPEN = {
    "unequal": _inputs(10, 2, queries=4, keys=7, d_k=8, d_v=5),
    "batch_of_one": _inputs(20, 1, queries=6, keys=3, d_k=5, d_v=9),
    "heads": _inputs(30, 2, 3, queries=3, keys=4, d_k=2, d_v=6),
    "one_sequence": _inputs(40, queries=1, keys=2, d_k=3, d_v=4),
}
# One mask for all sequences; one for each, shared by heads and queries; one for each pair.
MASKED = {
    "causal": {
        **_inputs(50, 2, queries=4, keys=4, d_k=8, d_v=5),
        "mask": _table("1000", "1100", "1110", "1111"),
    },
    "padding": {
        **_inputs(60, 2, 3, queries=3, keys=5, d_k=4, d_v=6),
        "mask": _table("11111", "11000")[:, None, None],
    },
    "any": {
        **_inputs(70, 1, 2, queries=3, keys=4, d_k=6, d_v=3),
        "mask": _table("1010", "0110", "1011")[None, None],
    },
}
# Queries without any key: the second of the first sequence, and all of the second sequence.
EMPTY = {
    **_inputs(80, 2, queries=3, keys=4, d_k=5, d_v=6),
    "mask": torch.stack([_table("1100", "0000", "0111"), _table("0000", "0000", "0000")]),
}


def _dims(inputs: dict[str, torch.Tensor]) -> tuple[dict[str, int], dict[str, int]]:
    *leading, queries, keys = (*inputs["q"].shape[:-1], inputs["k"].shape[-2])
    axes = dict(zip(("N", "heads"), leading, strict=False))
    output = {**axes, "L_q": queries, "d_v": inputs["v"].shape[-1]}
    return output, {**axes, "L_q": queries, "L_k": keys}


def _attend(student: Student, inputs: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Output and weights in float64, of the right shapes."""
    reply = student.run(attended, **inputs)
    output_dims, weight_dims = _dims(inputs)
    output = expect_floats(reply, "output", **output_dims)
    return output, expect_floats(reply, "attention", **weight_dims)


def _match(student: Student, expected: Expected, cases: dict[str, dict[str, torch.Tensor]]) -> None:
    for case, inputs in cases.items():
        reply = student.run(attended, **inputs)
        expected.match(case, Reply.of({name: reply.tensor(name) for name in NAMES}))


@points(1)
def check_shapes_fit(student: Student, expected: Expected) -> None:
    """It returns an output (..., L_q, d_v) and weights (..., L_q, L_k)."""
    for inputs in (*OPEN.values(), *MASKED.values()):
        reply = student.run(attended, **inputs)
        output_dims, weight_dims = _dims(inputs)
        expect_shape(reply, "output", **output_dims)
        expect_shape(reply, "attention", **weight_dims)


@points(4)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """Without a mask, output and weights have the right values."""
    _match(student, expected, OPEN)


@points(3)
def check_matches_expected_values_under_masks(student: Student, expected: Expected) -> None:
    """Under masks of several shapes, output and weights have the right values."""
    _match(student, expected, MASKED)


@values
@points(2)
def check_hidden_keys_have_no_weight(student: Student, expected: Expected) -> None:
    """A hidden key has a weight of exactly 0, the others share the whole 1."""
    for inputs in MASKED.values():
        output, weights = _attend(student, inputs)
        hidden = ~inputs["mask"].expand(weights.shape)
        expect((weights[hidden] == 0).all(), wording.HIDDEN_WEIGHS)
        sums = weights.sum(dim=-1)
        expect(same(sums, torch.ones_like(sums)), wording.SUMS)
    inputs = MASKED["padding"]
    changed = {name: inputs[name].clone() for name in ("k", "v")}
    for tensor in changed.values():
        tensor[1, :, 2:] += 10
    output, _ = _attend(student, inputs)
    second, _ = _attend(student, {**inputs, **changed})
    expect(same(second, output), wording.HIDDEN_SHOWS)


@points(2)
def check_nothing_to_attend_to_gives_zeros(student: Student, expected: Expected) -> None:
    """A query that may attend to nothing gets zeros, not NaN, and finite gradients."""
    output, weights = _attend(student, EMPTY)
    empty = ~EMPTY["mask"].any(dim=-1)
    expect((weights[empty] == 0).all() & (output[empty] == 0).all(), wording.NOT_EMPTY)
    _match(student, expected, {"empty": EMPTY})
    _match_gradients(student, expected, "empty_gradients", EMPTY)


@points(1)
def check_keeps_dtype_device_and_inputs(student: Student, expected: Expected) -> None:
    """Output and weights have the dtype and device of the inputs, which stay as they are."""
    inputs = MASKED["any"]
    for dtype in (torch.float32, torch.float64):
        given = {name: inputs[name].to(dtype) for name in "qkv"}
        reply = student.run(attended, **given, mask=inputs["mask"])
        for name in NAMES:
            found = reply.tensor(name).dtype
            if found != dtype:
                raise CheckFailure(sentences.dtype_lost(name, found, dtype))
        expect_unchanged(reply, {**given, "mask": inputs["mask"]})
    reply = student.run(on_another_device, **inputs)
    expect(reply["device"] == "meta", sentences.other_device())


@points(2)
def check_gradients_are_right(student: Student, expected: Expected) -> None:
    """The right gradients reach q, k and v."""
    _match_gradients(student, expected, "causal_gradients", MASKED["causal"])


def _match_gradients(
    student: Student, expected: Expected, case: str, inputs: dict[str, torch.Tensor]
) -> None:
    output_dims, weight_dims = _dims(inputs)
    directions = {
        "direction": numbers(90, *output_dims.values()),
        "weights_direction": numbers(91, *weight_dims.values()),
    }
    reply = student.run(differentiated, **inputs, **directions)
    expect_shape(reply, "output", **output_dims)
    expect_shape(reply, "attention", **weight_dims)
    gradients = {}
    for name in ("gradient of q", "gradient of k", "gradient of v"):
        expect(reply[name] is not None, sentences.no_gradient_at(name))
        gradients[name] = reply.tensor(name)
        expect(gradients[name].isfinite().all(), wording.NOT_FINITE_GRADIENT)
    expected.match(case, Reply.of(gradients))

"""Checks of `DotProductAttention(dropout)`: values, padding, and dropout on the weights."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    expect_kept,
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
from .dropped import expect_dropped


@probe
def attended(
    answers: Any, q: Any, k: Any, v: Any, mask: Any = None, training: bool = False, p: float = 0.3
) -> dict[str, Any]:
    module = answers.DotProductAttention(p).train(training)
    torch.manual_seed(5)
    if mask is None:
        return {"output": module(q, k, v), "q": q, "k": k, "v": v}
    return {"output": module(q, k, v, padding_mask=mask), "q": q, "k": k, "v": v, "mask": mask}


@probe
def differentiated(answers: Any, q: Any, k: Any, v: Any, mask: Any, direction: Any) -> Any:
    given = {"q": q, "k": k, "v": v}
    for tensor in given.values():
        tensor.requires_grad_()
    output = answers.DotProductAttention(0.3).eval()(q, k, v, padding_mask=mask)
    if getattr(output, "shape", None) != direction.shape:
        return {"output": output}
    if output.requires_grad:
        (output * direction).sum().backward()
    return {"output": output, **{f"gradient of {name}": t.grad for name, t in given.items()}}


@probe
def in_double(answers: Any, q: Any, k: Any, v: Any, mask: Any) -> dict[str, Any]:
    module = answers.DotProductAttention(0.3).double().eval()
    output = module(q.double(), k.double(), v.double(), padding_mask=mask)
    try:  # the meta device stands in for any device that is not the CPU
        given = [part.to("meta") for part in (q, k, v, mask)]
        device = module.to("meta")(*given[:3], padding_mask=given[3]).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"output": output, "device": device}


def _inputs(seed: int, batch: int, heads: int, queries: int, keys: int, d: int, d_v: int) -> Any:
    return {
        "q": numbers(seed, batch, heads, queries, d, scale=1.5),
        "k": numbers(seed + 1, batch, heads, keys, d),
        "v": numbers(seed + 2, batch, heads, keys, d_v),
    }


# Unequal lengths and sizes; a batch of one; one head; a single query and key.
CASES = {
    "unequal": _inputs(10, 2, 3, 4, 7, 8, 5),
    "batch_of_one": _inputs(20, 1, 2, 6, 3, 5, 9),
    "single": _inputs(30, 3, 1, 1, 1, 2, 4),
}
MASKS = {
    "unequal": torch.tensor([[True] * 4 + [False] * 3, [False, True, True, False] + [True] * 3]),
    "batch_of_one": torch.tensor([[True, False, False]]),
}


def _output(student: Student, **given: Any) -> torch.Tensor:
    """The output in float64, of the right shape."""
    (batch, heads, queries, _), d_v = given["q"].shape, given["v"].shape[-1]
    dims = {"B": batch, "heads": heads, "L_q": queries, "d_v": d_v}
    return expect_floats(student.run(attended, **given), "output", **dims)


def _weights(student: Student, case: str, **given: Any) -> torch.Tensor:
    """The attention weights, read off by one-hot values."""
    inputs = CASES[case]
    batch, heads, keys, _ = inputs["k"].shape
    one_hot = torch.eye(keys).expand(batch, heads, keys, keys).contiguous()
    return _output(student, q=inputs["q"], k=inputs["k"], v=one_hot, **given)


@points(1)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The output has the shape (B, heads, L_q, d_v)."""
    for inputs in CASES.values():
        (batch, heads, queries, _), d_v = inputs["q"].shape, inputs["v"].shape[-1]
        reply = student.run(attended, **inputs)
        expect_shape(reply, "output", B=batch, heads=heads, L_q=queries, d_v=d_v)


@points(4)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """Without a mask the output has the right values."""
    for case, inputs in CASES.items():
        reply = student.run(attended, **inputs)
        expected.match(case, Reply.of({"output": reply.tensor("output")}))


@points(3)
def check_matches_expected_values_with_padding(student: Student, expected: Expected) -> None:
    """With a mask the output has the right values."""
    for case, mask in MASKS.items():
        reply = student.run(attended, mask=mask, **CASES[case])
        expected.match(f"{case}_padded", Reply.of({"output": reply.tensor("output")}))


@points(2)
def check_padding_is_never_attended_to(student: Student, expected: Expected) -> None:
    """A key that is padding has the weight zero, and what stands there changes nothing."""
    for case, mask in MASKS.items():
        weights = _weights(student, case, mask=mask)
        away = ~mask[:, None, None].expand_as(weights)
        expect((weights[away] == 0).all(), wording.WEIGHT_ON_PADDING)
        inputs = CASES[case]
        changed = {
            name: inputs[name].masked_fill(~mask[:, None, :, None], 5.0) for name in ("k", "v")
        }
        before = _output(student, mask=mask, **inputs)
        after = _output(student, mask=mask, **{**inputs, **changed})
        expect(same(before, after, 1e-7), wording.ATTENDS_TO_PADDING)


@points(1)
def check_weights_sum_to_one(student: Student, expected: Expected) -> None:
    """The weights of a query are not negative and sum to 1 over the real tokens."""
    for case in CASES:
        mask = MASKS.get(case)
        weights = _weights(student, case, **({} if mask is None else {"mask": mask}))
        ones = torch.ones(weights.shape[:-1], dtype=torch.float64)
        expect((weights >= 0).all() and same(weights.sum(dim=-1), ones), wording.NOT_ONE)


@values
@points(2)
def check_drops_weights_in_training(student: Student, expected: Expected) -> None:
    """In training, weights are dropped with the given probability; in evaluation none is."""
    keys = 60
    one_hot_twice = torch.eye(keys).repeat(2, 2, 1, 2)  # what is dropped has to be so in both
    given = {"q": numbers(40, 2, 2, 30, 4), "k": numbers(41, 2, 2, keys, 4), "v": one_hot_twice}
    for p in (0.3, 0.6):
        weights = _output(student, p=p, **given)
        expect(same(weights, _output(student, p=0.0, **given)), wording.DROPS_IN_EVALUATION)
        dropped = _output(student, p=p, training=True, **given)
        first, second = dropped[..., :keys], dropped[..., keys:]
        expect_dropped(first, weights[..., :keys], p)
        expect(same(first, second), wording.DROPS_ELSEWHERE)


@points(1)
def check_gradients_flow(student: Student, expected: Expected) -> None:
    """The right gradients reach q, k and v, also with padding."""
    inputs, mask = CASES["unequal"], MASKS["unequal"]
    reply = student.run(differentiated, mask=mask, direction=numbers(50, 2, 3, 4, 5), **inputs)
    expect_shape(reply, "output", B=2, heads=3, L_q=4, d_v=5)
    gradients = {}
    for name in ("gradient of q", "gradient of k", "gradient of v"):
        expect(reply[name] is not None, sentences.no_gradient_at(name))
        gradients[name] = reply.tensor(name)
    expected.match("gradients", Reply.of(gradients))


@points(1)
def check_keeps_dtype_device_and_inputs(student: Student, expected: Expected) -> None:
    """The output has the inputs' dtype and device, and the inputs stay as they are."""
    inputs, mask = CASES["unequal"], MASKS["unequal"]
    expect_kept(student.run(in_double, mask=mask, **inputs))
    reply = student.run(attended, mask=mask, **inputs)
    expect_unchanged(reply, {**inputs, "mask": mask})

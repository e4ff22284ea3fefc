"""Checks of `scaled_dot_product(q, k, v, mask=None)`: values, masks, leading dimensions."""

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
    expect_unchanged,
    numbers,
    points,
    probe,
    same,
    values,
)
from autograder.results import sentences

from . import wording

NAMES = ("values", "attention")
Inputs = dict[str, torch.Tensor]


@probe
def attended(answers: Any, q: Any, k: Any, v: Any, mask: Any = None) -> dict[str, Any]:
    sent = {"q": q, "k": k, "v": v}
    if mask is None:
        found = answers.scaled_dot_product(q, k, v)
    else:
        found = answers.scaled_dot_product(q, k, v, mask=mask)
        sent["mask"] = mask
    pair = found if isinstance(found, (tuple, list)) else (found,)
    return {**dict(zip(("values", "attention"), pair, strict=False)), **sent}


@probe
def differentiated(
    answers: Any, q: Any, k: Any, v: Any, direction: Any, weights_direction: Any
) -> dict[str, Any]:
    for given in (q, k, v):
        given.requires_grad_()
    values, attention = answers.scaled_dot_product(q, k, v)
    linked = None
    if values.requires_grad and attention.requires_grad:
        linked = torch.autograd.grad(values.sum(), attention, retain_graph=True, allow_unused=True)[
            0
        ]
    total = (values * direction).sum() + (attention * weights_direction).sum()
    if total.requires_grad:
        total.backward()
    found = {f"gradient of {name}": t.grad for name, t in (("q", q), ("k", k), ("v", v))}
    return {**found, "linked": linked is not None}


@probe
def on_another_device(answers: Any, q: Any, k: Any, v: Any, mask: Any) -> dict[str, Any]:
    try:  # the meta device stands in for any device that is not the CPU
        moved = [part.to("meta") for part in (q, k, v)]
        found = answers.scaled_dot_product(*moved, mask=mask.to("meta"))
        device = "".join(sorted({part.device.type for part in found}))
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"device": device}


def _inputs(seed: int, *lead: int, queries: int, keys: int, d_k: int, d_v: int) -> Inputs:
    return {
        "q": numbers(seed, *lead, queries, d_k, scale=1.5),
        "k": numbers(seed + 1, *lead, keys, d_k, scale=1.5),
        "v": numbers(seed + 2, *lead, keys, d_v),
    }


def worked_example() -> Inputs:
    generator = torch.Generator().manual_seed(0)
    return {
        n: torch.randn(1, 3, size, generator=generator)
        for n, size in {"q": 2, "k": 2, "v": 1}.items()
    }


CASES = {
    "example": worked_example(),
    "no_lead": _inputs(10, queries=4, keys=7, d_k=8, d_v=5),
    "batch_of_one": _inputs(20, 1, queries=6, keys=3, d_k=5, d_v=9),
    "batch_and_heads": _inputs(30, 2, 3, queries=4, keys=5, d_k=2, d_v=6),
}
PLAIN = CASES["batch_and_heads"]
_drawn = numbers(40, 2, 1, 4, 5) > 0
MASKS = {
    "one_for_all": torch.ones(4, 5, dtype=torch.bool).tril(),
    "by_sequence": _drawn | (torch.arange(5) == 2),
    "by_head": (numbers(41, 2, 3, 4, 5) > 0) | (torch.arange(5) == 4),
}


def _dims(inputs: Inputs) -> tuple[dict[str, int], dict[str, int]]:
    *lead, queries, _ = inputs["q"].shape
    first = {f"lead_{place}": size for place, size in enumerate(lead)}
    keys, d_v = inputs["v"].shape[-2:]
    return {**first, "L_q": queries, "d_v": d_v}, {**first, "L_q": queries, "L_k": keys}


def _attend(student: Student, inputs: Inputs) -> tuple[torch.Tensor, torch.Tensor]:
    """Values and attention in float64, of the right shapes."""
    reply = student.run(attended, **inputs)
    value_dims, weight_dims = _dims(inputs)
    values = expect_floats(reply, "values", **value_dims)
    return values, expect_floats(reply, "attention", **weight_dims)


def _answered(reply: Reply) -> Reply:
    return Reply.of({name: reply.tensor(name) for name in NAMES})


@points(1)
def check_shapes_fit(student: Student, expected: Expected) -> None:
    """Values are (..., L_q, d_v) and attention (..., L_q, L_k), whatever the dots stand for."""
    for inputs in CASES.values():
        _attend(student, inputs)


@points(2)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """Without a mask, values and attention have the right values."""
    for case, inputs in CASES.items():
        expected.match(case, _answered(student.run(attended, **inputs)))


@points(1)
def check_rows_sum_to_one(student: Student, expected: Expected) -> None:
    """With or without a mask, a query's weights are not negative and sum to 1 over the keys."""
    for inputs in (*CASES.values(), *({**PLAIN, "mask": mask} for mask in MASKS.values())):
        _, weights = _attend(student, inputs)
        expect((weights >= 0).all(), wording.NEGATIVE_WEIGHTS)
        sums = weights.sum(dim=-1)
        expect(same(sums, torch.ones_like(sums)), wording.UNEVEN_ROWS)


@points(2)
def check_mask_acts_before_the_softmax(student: Student, expected: Expected) -> None:
    """Under masks of all broadcastable shapes, values and attention have the right values."""
    for case, mask in MASKS.items():
        expected.match(case, _answered(student.run(attended, **PLAIN, mask=mask)))


@values
@points(1)
def check_hidden_keys_have_no_say(student: Student, expected: Expected) -> None:
    """A key that may not be attended to gets the weight 0; changing it changes nothing."""
    mask = torch.tensor([True, True, False, True, False])[None]
    values, weights = _attend(student, {**PLAIN, "mask": mask})
    expect((weights[..., [2, 4]] == 0).all(), wording.HIDDEN_WEIGHT)
    expect((weights[..., [0, 1, 3]] > 0).all(), wording.HIDDEN_WEIGHT)
    other = {name: tensor.clone() for name, tensor in PLAIN.items()}
    for name in ("k", "v"):
        other[name][..., [2, 4], :] += 5
    values2, weights2 = _attend(student, {**other, "mask": mask})
    expect(same(values2, values) and same(weights2, weights), wording.HIDDEN_SAY)


@points(1)
def check_keeps_dtype_and_device(student: Student, expected: Expected) -> None:
    """Values and attention have the dtype and the device of the inputs."""
    mask = MASKS["one_for_all"]
    for dtype in (torch.float32, torch.float64):
        given = {name: tensor.to(dtype) for name, tensor in PLAIN.items()}
        for reply in (student.run(attended, **given), student.run(attended, **given, mask=mask)):
            for name in NAMES:
                if reply.tensor(name).dtype != dtype:
                    raise CheckFailure(sentences.dtype(name, reply.tensor(name).dtype, dtype))
    reply = student.run(on_another_device, **PLAIN, mask=mask)
    expect(reply["device"] == "meta", sentences.other_device())


@points(2)
def check_inputs_stay_and_gradients_flow(student: Student, expected: Expected) -> None:
    """The inputs are not changed, and the right gradients reach attention, q, k and v."""
    inputs = {**PLAIN, "mask": MASKS["by_sequence"]}
    expect_unchanged(student.run(attended, **inputs), inputs)
    reply = student.run(
        differentiated,
        direction=numbers(50, 2, 3, 4, 6),
        weights_direction=numbers(51, 2, 3, 4, 5),
        **PLAIN,
    )
    expect(reply["linked"] is True, wording.MAPS_NOT_LINKED)
    gradients = {}
    for name in ("gradient of q", "gradient of k", "gradient of v"):
        expect(reply[name] is not None, sentences.no_gradient_at(name))
        gradients[name] = reply.tensor(name)
    expected.match("gradients", Reply.of(gradients))

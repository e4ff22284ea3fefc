"""Checks of `SelfAttention(embed_dim, num_heads=8, dropout=0.1)`.

The names of its four layers are given by the question, so reference weights are copied into them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

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
    probe,
    same,
    values,
)

from . import wording
from .dropped import expect_dropped


@probe
def copied(
    answers: Any,
    x: Any,
    to_queries: Any,
    to_keys: Any,
    to_values: Any,
    unify_heads: Any,
    bias: Any,
    heads: int | None,
    mask: Any = None,
) -> dict[str, Any]:
    size = x.shape[-1]
    module = answers.SelfAttention(size, **({} if heads is None else {"num_heads": heads})).eval()
    given = {"to_queries": to_queries, "to_keys": to_keys, "to_values": to_values}
    output = module(x) if mask is None else module(x, padding_mask=mask)
    found = {"output": output, "x": x, "fits": False}
    for name, weight in {**given, "unify_heads": unify_heads}.items():
        layer = getattr(module, name, None)
        wants_bias = name == "unify_heads"
        if not isinstance(layer, nn.Linear) or layer.weight.shape != weight.shape:
            return found
        if (layer.bias is not None) != wants_bias:
            return found
        with torch.no_grad():
            layer.weight.copy_(weight)
            if wants_bias:
                layer.bias.copy_(bias)
    filled = module(x) if mask is None else module(x, padding_mask=mask)
    return {**found, "fits": True, "filled": filled}


@probe
def uniform(answers: Any, x: Any, heads: int, p: float | None, training: bool) -> dict[str, Any]:
    # Without queries all scores are equal, and ones pass through values and heads unchanged: what
    # comes out is the sum of the weights.
    size = x.shape[-1]
    module = answers.SelfAttention(size, heads, **({} if p is None else {"dropout": p}))
    with torch.no_grad():
        module.to_queries.weight.zero_()
        module.to_values.weight.copy_(torch.eye(size))
        module.unify_heads.weight.copy_(torch.eye(size))
        module.unify_heads.bias.zero_()
    module.train(training)
    torch.manual_seed(5)
    return {"output": module(x)}


@probe
def applied(answers: Any, x: Any, x2: Any, mask: Any = None) -> dict[str, Any]:
    torch.manual_seed(1)
    module = answers.SelfAttention(x.shape[-1], 2).eval()
    if mask is None:
        return {"output": module(x), "second": module(x2), "x": x}
    found = {"output": module(x, padding_mask=mask), "second": module(x2, padding_mask=mask)}
    return {**found, "x": x, "mask": mask}


@probe
def differentiated(answers: Any, x: Any, mask: Any, direction: Any) -> dict[str, Any]:
    torch.manual_seed(1)
    module = answers.SelfAttention(x.shape[-1], 2).eval()
    x.requires_grad_()
    output = module(x, padding_mask=mask)
    found = {"output": output}
    if getattr(output, "shape", None) != direction.shape or not output.requires_grad:
        return found
    (output * direction).sum().backward()
    tensors = [x, *module.parameters()]
    largest = [-1.0 if t.grad is None else t.grad.abs().max().item() for t in tensors]
    dims = torch.tensor([t.dim() for t in tensors])
    return {**found, "gradients": torch.tensor(largest), "dims": dims}


@probe
def in_double(answers: Any, x: Any, mask: Any) -> dict[str, Any]:
    module = answers.SelfAttention(x.shape[-1], 2).double().eval()
    output = module(x.double(), padding_mask=mask)
    try:  # the meta device stands in for any device that is not the CPU
        there = module.to("meta")
        device = there(x.to("meta"), padding_mask=mask.to("meta")).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"output": output, "device": device}


def _reference(seed: int, batch: int, length: int, size: int) -> dict[str, torch.Tensor]:
    names = ("to_queries", "to_keys", "to_values", "unify_heads")
    scale = 1.5 * size**-0.5
    weights = {name: numbers(seed + i, size, size, scale=scale) for i, name in enumerate(names, 1)}
    bias = numbers(seed + 5, size, scale=0.5)
    return {"x": numbers(seed, batch, length, size), "bias": bias, **weights}


REFERENCE = _reference(10, 2, 5, 12)
OTHER = _reference(20, 1, 7, 6)
SIXTEEN = _reference(30, 2, 3, 16)
PADDED = torch.tensor([[True, True, True, False, False], [True] * 4 + [False]])
X = numbers(40, 3, 5, 8, scale=2.0)
X_MASK = torch.tensor([[True] * 5, [True] * 3 + [False] * 2, [True] + [False] * 4])


def _match(
    student: Student, expected: Expected, case: str, heads: int | None, **given: torch.Tensor
) -> None:
    reply = student.run(copied, heads=heads, **given)
    expect(reply["fits"] is True, wording.FOUR_LAYERS)
    expected.match(case, Reply.of({"output": reply.tensor("filled")}))


@points(1)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The output has the shape (B, L, embed_dim)."""
    for given, heads in ((REFERENCE, 4), (OTHER, 3)):
        batch, length, size = given["x"].shape
        reply = student.run(copied, heads=heads, **given)
        expect_shape(reply, "output", B=batch, L=length, embed_dim=size)


@points(2)
def check_has_the_four_layers(student: Student, expected: Expected) -> None:
    """The layers `to_queries`, `to_keys`, `to_values` and `unify_heads` are as described."""
    for given, heads in ((REFERENCE, 4), (OTHER, 2)):
        reply = student.run(copied, heads=heads, **given)
        expect(reply["fits"] is True, wording.FOUR_LAYERS)


@points(5)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """Without a mask the output has the right values, for one head and for several."""
    for heads in (3, 4, 1):
        _match(student, expected, f"{heads}_heads", heads, **REFERENCE)
    _match(student, expected, "batch_of_one", 2, **OTHER)


@points(2)
def check_matches_expected_values_with_padding(student: Student, expected: Expected) -> None:
    """With a mask the output has the right values."""
    _match(student, expected, "padded", 3, mask=PADDED, **REFERENCE)


@points(1)
def check_has_eight_heads_unless_told_otherwise(student: Student, expected: Expected) -> None:
    """Without `num_heads` there are 8 heads."""
    _match(student, expected, "default_heads", None, **SIXTEEN)


@points(1)
def check_drops_weights_in_training(student: Student, expected: Expected) -> None:
    """In training, weights are dropped with the probability `dropout`, 0.1 unless told."""
    length, size = 40, 8
    x = torch.ones(6, length, size)
    dims = {"B": 6, "L": length, "embed_dim": size}
    for p in (0.5, None):
        still = student.run(uniform, x=x, heads=2, p=p, training=False)
        whole = expect_floats(still, "output", **dims)
        expect(same(whole, torch.ones_like(whole)), wording.DROPS_IN_EVALUATION)
        moved = student.run(uniform, x=x, heads=2, p=p, training=True)
        sums = expect_floats(moved, "output", **dims)[..., :: size // 2]
        share = 0.1 if p is None else p
        kept = (sums * length * (1 - share)).round()
        expect(same(kept, sums * length * (1 - share), 1e-3), wording.NOT_RESCALED)
        weights = torch.arange(length) < kept[..., None]
        expect_dropped(weights.double() / (1 - share), torch.ones(weights.shape).double(), share)


@values
@points(1)
def check_permuting_the_sequence_permutes_the_output(student: Student, expected: Expected) -> None:
    """Permuting the positions of x permutes the output in the same way."""
    order = torch.tensor([3, 0, 4, 1, 2])
    reply = student.run(applied, x=X, x2=X[:, order])
    output = expect_varied(reply, "output", B=3, L=5, embed_dim=8)
    second = expect_floats(reply, "second", B=3, L=5, embed_dim=8)
    expect(same(second, output[:, order]), wording.OTHER_ORDER)


@points(1)
def check_padding_and_other_sequences_do_not_mix_in(student: Student, expected: Expected) -> None:
    """What stands at padding, or in another sequence, changes nothing at real tokens."""
    changed = X.masked_fill(~X_MASK[..., None], 4.0)
    reply = student.run(applied, x=X, x2=changed, mask=X_MASK)
    output = expect_varied(reply, "output", B=3, L=5, embed_dim=8)
    second = expect_floats(reply, "second", B=3, L=5, embed_dim=8)
    expect(same(second[X_MASK], output[X_MASK]), wording.ATTENDS_TO_PADDING)
    alone = student.run(applied, x=X[1:2], x2=X[1:2], mask=X_MASK[1:2])
    found = expect_floats(alone, "output", B=1, L=5, embed_dim=8)
    expect(same(found[0, :3], output[1, :3]), wording.BATCH_MIXED)


@points(1)
def check_gradients_dtype_device_and_inputs(student: Student, expected: Expected) -> None:
    """Gradients reach x and every parameter, dtype and device are kept, and x is unchanged."""
    reply = student.run(differentiated, x=X, mask=X_MASK, direction=numbers(41, 3, 5, 8))
    expect_gradients(reply, B=3, L=5, embed_dim=8)
    expect_kept(student.run(in_double, x=X, mask=X_MASK))
    expect_unchanged(student.run(applied, x=X, x2=X, mask=X_MASK), {"x": X, "mask": X_MASK})

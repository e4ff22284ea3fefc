"""Checks of `TransformerBlock(embed_dim, num_heads)`."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
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
    sizes_of,
    values,
)

from . import wording
from .filling import filled, match_filled

NAME = "TransformerBlock"


@probe
def applied(answers: Any, x: Any, x2: Any, heads: int, mask: Any = None) -> dict[str, Any]:
    torch.manual_seed(1)
    block = answers.TransformerBlock(x.shape[-1], heads).eval()
    if mask is None:
        return {"output": block(x), "second": block(x2), "x": x}
    found = {"output": block(x, padding_mask=mask), "second": block(x2, padding_mask=mask)}
    return {**found, "x": x, "mask": mask}


@probe
def in_training(answers: Any, x: Any, silent: bool) -> dict[str, Any]:
    # Where the heads' last layer says nothing, dropout on the weights cannot be seen.
    torch.manual_seed(1)
    block = answers.TransformerBlock(x.shape[-1], 2)
    if silent:
        for part in block.modules():
            if isinstance(part, answers.SelfAttention):
                with torch.no_grad():
                    part.unify_heads.weight.zero_()
                    part.unify_heads.bias.zero_()
    return {"still": block.eval()(x), "moved": block.train()(x)}


@probe
def differentiated(answers: Any, x: Any, mask: Any, direction: Any) -> dict[str, Any]:
    torch.manual_seed(1)
    block = answers.TransformerBlock(x.shape[-1], 2).eval()
    x.requires_grad_()
    output = block(x, padding_mask=mask)
    found = {"output": output}
    if getattr(output, "shape", None) != direction.shape or not output.requires_grad:
        return found
    (output * direction).sum().backward()
    tensors = [x, *block.parameters()]
    largest = [-1.0 if t.grad is None else t.grad.abs().max().item() for t in tensors]
    dims = torch.tensor([t.dim() for t in tensors])
    return {**found, "gradients": torch.tensor(largest), "dims": dims}


@probe
def in_double(answers: Any, x: Any, mask: Any) -> dict[str, Any]:
    block = answers.TransformerBlock(x.shape[-1], 2).double().eval()
    output = block(x.double(), padding_mask=mask)
    try:  # the meta device stands in for any device that is not the CPU
        there = block.to("meta")
        device = there(x.to("meta"), padding_mask=mask.to("meta")).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"output": output, "device": device}


def _given(seed: int, size: int, heads: int, batch: int, length: int) -> dict[str, Any]:
    x = numbers(seed, batch, length, size, scale=1.5)
    return {"sizes": sizes_of(size, heads), "depth": 1, "seed": seed, "first": x}


PLAIN = {
    "three_heads": _given(1, 12, 3, 2, 5),
    "six_heads": _given(2, 12, 6, 2, 4),
    "batch_of_one": _given(3, 6, 1, 1, 7),
}
PADDED = {
    "padded": {
        **_given(4, 8, 2, 2, 5),
        "mask": torch.tensor([[True] * 3 + [False] * 2, [True] * 4 + [False]]),
    }
}
X = numbers(5, 3, 5, 8, scale=2.0)
MASK = torch.tensor([[True] * 5, [True] * 3 + [False] * 2, [True] + [False] * 4])
DIMS = {"B": 3, "L": 5, "embed_dim": 8}


@points(1)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The output has the shape (B, L, embed_dim)."""
    for given in PLAIN.values():
        batch, length, size = given["first"].shape
        reply = student.run(filled, name=NAME, **given)
        expect_shape(reply, "output", B=batch, L=length, embed_dim=size)


@points(2)
def check_has_its_parts(student: Student, expected: Expected) -> None:
    """The block holds one `SelfAttention`, two layer norms, and two linear layers of their size."""
    for given in PLAIN.values():
        reply = student.run(filled, name=NAME, **given)
        expect(reply["fits"] is True, wording.BLOCK_PARTS)


@points(5)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """Without a mask the output has the right values."""
    match_filled(student, expected, PLAIN, NAME, wording.BLOCK_PARTS)


@points(2)
def check_matches_expected_values_with_padding(student: Student, expected: Expected) -> None:
    """With a mask the output has the right values."""
    match_filled(student, expected, PADDED, NAME, wording.BLOCK_PARTS)


@points(1)
def check_padding_does_not_mix_in(student: Student, expected: Expected) -> None:
    """What stands at padding changes nothing at real tokens."""
    changed = X.masked_fill(~MASK[..., None], 4.0)
    reply = student.run(applied, x=X, x2=changed, heads=2, mask=MASK)
    output = expect_varied(reply, "output", **DIMS)
    second = expect_floats(reply, "second", **DIMS)
    expect(same(second[MASK], output[MASK]), wording.ATTENDS_TO_PADDING)


@points(1)
def check_answers_with_normalised_vectors(student: Student, expected: Expected) -> None:
    """The last thing a block does is to normalise each vector."""
    reply = student.run(applied, x=5 + 3 * X, x2=X, heads=4)
    output = expect_varied(reply, "output", **DIMS)
    means, spreads = output.mean(dim=-1), output.var(dim=-1, correction=0)
    right = same(means, torch.zeros_like(means), 1e-4)
    expect(right and same(spreads, torch.ones_like(spreads), 1e-3), wording.NOT_NORMALISED)


@values
@points(1)
def check_only_attention_drops_in_training(student: Student, expected: Expected) -> None:
    """In training the weights of the attention are dropped, and nothing else."""
    reply = student.run(in_training, x=X, silent=True)
    still, moved = expect_floats(reply, "still", **DIMS), expect_floats(reply, "moved", **DIMS)
    expect(same(still, moved), wording.DROPS_ELSEWHERE)
    reply = student.run(in_training, x=X, silent=False)
    still, moved = expect_floats(reply, "still", **DIMS), expect_floats(reply, "moved", **DIMS)
    expect(not same(still, moved, 1e-3), wording.NOT_DROPPED)


@points(1)
def check_gradients_reach_every_parameter(student: Student, expected: Expected) -> None:
    """The gradient of the output reaches x and every parameter."""
    reply = student.run(differentiated, x=X, mask=MASK, direction=numbers(6, 3, 5, 8))
    expect_gradients(reply, **DIMS)


@points(1)
def check_keeps_dtype_device_and_inputs(student: Student, expected: Expected) -> None:
    """The output has the input's dtype and device, and the inputs stay as they are."""
    expect_kept(student.run(in_double, x=X, mask=MASK))
    reply = student.run(applied, x=X, x2=X, heads=2, mask=MASK)
    expect_unchanged(reply, {"x": X, "mask": MASK})

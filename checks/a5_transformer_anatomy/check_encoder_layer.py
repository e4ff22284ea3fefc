"""Checks of `EncoderLayer(d_model, n_heads, d_ff, dropout)`, built on the student's own parts."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Expected,
    Student,
    expect,
    expect_floats,
    expect_shape,
    expect_unchanged,
    numbers,
    points,
    probe,
    same,
    sizes_of,
    values,
)
from autograder.results import sentences

from . import wording
from .modules import (
    bare,
    expect_dropped,
    expect_still,
    linear,
    match,
    norm,
    projections,
    run_filled,
)

NAME = "EncoderLayer"


@probe
def bared(
    answers: Any, sizes: Any, dropout: float | None, silent: str, bias: float, x: Any
) -> dict[str, Any]:
    # The norms do nothing, one block puts out zeros, the other one the same number everywhere.
    given = {} if dropout is None else {"dropout": dropout}
    layer = answers.EncoderLayer(*sizes.tolist(), **given)
    last = {"attention": layer.attention.W_o, "feed_forward": layer.feed_forward.linear2}
    with torch.no_grad():
        for name, part in last.items():
            part.weight.zero_()
            part.bias.fill_(0.0 if name == silent else bias)
    layer.norm1, layer.norm2 = nn.Identity(), nn.Identity()
    torch.manual_seed(4)
    return {
        "training": layer.train()(x),
        "eval": layer.eval()(x),
        "again": layer(x),
    }


@probe
def inner_dropouts(answers: Any, sizes: Any, dropout: float | None, x: Any) -> dict[str, Any]:
    # Each block alone, in training: with one-hot values the dropped weights can be seen.
    given = {} if dropout is None else {"dropout": dropout}
    layer = answers.EncoderLayer(*sizes.tolist(), **given).train()
    size = x.shape[-1]
    with torch.no_grad():
        for part in (layer.attention.W_v, layer.attention.W_o, layer.feed_forward.linear2):
            part.weight.copy_(torch.eye(size))
            part.bias.zero_()
        layer.feed_forward.linear1.weight.zero_()
        layer.feed_forward.linear1.bias.fill_(1.0)
    torch.manual_seed(6)
    mixed = layer.attention(x, x, torch.eye(size).expand_as(x))
    return {"attention": mixed[0], "feed_forward": layer.feed_forward(x)}


def _weights(seed: int, size: int, hidden: int) -> dict[str, torch.Tensor]:
    return {
        **projections(seed, size, at="attention__"),
        **linear(seed + 50, "feed_forward__linear1", hidden, size),
        **linear(seed + 60, "feed_forward__linear2", size, hidden),
        **norm(seed + 70, "norm1", size),
        **norm(seed + 80, "norm2", size),
    }


CASES = {
    "three_heads": {
        "sizes": sizes_of(12, 3, 20),
        **_weights(100, 12, 20),
        "in_0": numbers(1, 2, 5, 12, scale=1.5),
    },
    "batch_of_one": {
        "sizes": sizes_of(6, 2, 4),
        **_weights(300, 6, 4),
        "in_0": numbers(2, 1, 3, 6, scale=1.5),
    },
}
PADDED = torch.tensor([[True] * 3 + [False] * 2, [True] * 5])[:, None, None, :]
MASKED = {"padding": {**CASES["three_heads"], "mask": PADDED}}


@points(1)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The output has the input's shape."""
    for inputs in CASES.values():
        n, length, size = inputs["in_0"].shape
        expect_shape(run_filled(student, NAME, bare(inputs)), "output", N=n, L=length, d_model=size)


@points(3)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """With given weights in all parts the output has the right values."""
    match(student, expected, NAME, CASES, "output")


@points(1)
def check_mask_reaches_the_attention(student: Student, expected: Expected) -> None:
    """Positions that are masked do not change the others."""
    match(student, expected, NAME, MASKED, "output")
    inputs = MASKED["padding"]
    changed = inputs["in_0"].clone()
    changed[0, 3:] += 5
    first = run_filled(student, NAME, inputs)
    second = run_filled(student, NAME, {**inputs, "in_0": changed})
    outputs = [expect_floats(reply, "output", N=2, L=5, d_model=12) for reply in (first, second)]
    expect(same(outputs[0][0, :3], outputs[1][0, :3]), wording.MASK_WITHOUT_EFFECT)


@points(1)
def check_residuals_and_small_inputs(student: Student, expected: Expected) -> None:
    """Blocks that put out zeros leave the input, normalised twice with eps 1e-6."""
    silent = {
        path: torch.zeros_like(tensor)
        for path, tensor in CASES["three_heads"].items()
        if path.startswith(("attention__W_o", "feed_forward__linear2"))
    }
    shrinking = {"norm1__weight": torch.full((12,), 1e-3), "norm1__bias": torch.zeros(12)}
    for case, scale, first_norm in (
        ("silent", 1.0, {}),
        ("silent_and_small", 1e-3, {}),
        ("silent_and_shrunk", 1.0, shrinking),
    ):
        x = numbers(3, 1, 4, 12, scale=scale)
        inputs = {**CASES["three_heads"], **silent, **first_norm, "in_0": x}
        match(student, expected, NAME, {case: inputs}, "output")


@values
@points(2)
def check_dropout_acts_after_each_block(student: Student, expected: Expected) -> None:
    """In training what each block puts out is dropped in part before it is added."""
    x = numbers(5, 90, 4, 24)
    dims = {"N": 90, "L": 4, "d_model": 24}
    for dropout, share in ((0.5, 0.5), (None, 0.1)):
        for silent in ("attention", "feed_forward"):
            reply = student.run(
                bared, sizes=sizes_of(24, 2, 8), dropout=dropout, silent=silent, bias=2.0, x=x
            )
            whole = expect_still(reply, **dims) - x.double()
            expect(same(whole, torch.full_like(whole, 2.0)), wording.NO_RESIDUAL)
            expect_dropped(expect_floats(reply, "training", **dims) - x.double(), whole, share)


@values
@points(1)
def check_dropout_is_handed_on(student: Student, expected: Expected) -> None:
    """Attention and feed-forward network get the same dropout."""
    x = numbers(6, 3, 32, 32, scale=0.1)
    dims = {"N": 3, "L": 32, "d_model": 32}
    for dropout, share in ((0.5, 0.5), (None, 0.1)):
        reply = student.run(inner_dropouts, sizes=sizes_of(32, 1, 32), dropout=dropout, x=x)
        for name in ("attention", "feed_forward"):
            found = expect_floats(reply, name, **dims)
            zeros = float((found == 0).double().mean())
            expect(abs(zeros - share) < 0.03, wording.NOT_THE_SHARE)


@points(1)
def check_gradients_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """The gradient reaches every part; dtype, device and input stay as they are."""
    inputs = CASES["three_heads"]
    reply = run_filled(student, NAME, inputs)
    expect_floats(reply, "output", N=2, L=5, d_model=12)
    found, ranks = expect_floats(reply, "gradients", tensors=16), reply.tensor("dims")
    known = ranks.shape == found.shape and ranks.dtype == torch.int64
    expect(known and bool((found[ranks > 1] > 0).all()), sentences.no_gradient())
    expect(reply["device"] == "meta", sentences.other_device())
    expect_unchanged(reply, {"in_0": inputs["in_0"]})
    double = run_filled(student, NAME, {**inputs, "double": True}).tensor("output").dtype
    expect(double == torch.float64, sentences.float64_lost("output", double))

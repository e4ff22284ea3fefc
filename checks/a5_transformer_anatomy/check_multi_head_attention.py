"""Checks of `MultiHeadAttention(d_model, n_heads, dropout)`."""

from __future__ import annotations

import torch

from autograder.checking import (
    Expected,
    Student,
    expect,
    expect_floats,
    expect_shape,
    expect_unchanged,
    numbers,
    points,
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
    match,
    mixing,
    projections,
    run_filled,
    run_trained,
    unmixed,
)

NAME = "MultiHeadAttention"
SIZES = sizes_of(12, 3)
WEIGHTS = projections(100, 12)


def _given(seed: int, n: int, queries: int, keys: int, size: int = 12) -> dict[str, torch.Tensor]:
    """Query, key and value, all different."""
    return {
        "in_0": numbers(seed, n, queries, size, scale=1.5),
        "in_1": numbers(seed + 1, n, keys, size, scale=1.5),
        "in_2": numbers(seed + 2, n, keys, size),
    }


SAME_LENGTH = {
    "three_heads": {"sizes": SIZES, **WEIGHTS, **_given(1, 2, 5, 5)},
    "one_head": {"sizes": sizes_of(6, 1), **projections(200, 6), **_given(4, 1, 3, 3, 6)},
}
UNEQUAL = {
    "more_keys": {"sizes": SIZES, **WEIGHTS, **_given(7, 2, 4, 6)},
    "many_heads": {"sizes": sizes_of(8, 8), **projections(300, 8), **_given(10, 3, 7, 2, 8)},
}
PADDED = torch.tensor([[True] * 4 + [False] * 2, [True] * 6])[:, None, None, :]
EACH_HEAD = torch.tensor([[True, False, True, True], [False, True, True, False]])
MASKED = {
    "padding": {"sizes": SIZES, **WEIGHTS, **_given(13, 2, 5, 6), "mask": PADDED},
    "each_head": {
        "sizes": sizes_of(6, 2),
        **projections(400, 6),
        **_given(16, 1, 3, 4, 6),
        "mask": EACH_HEAD[None, :, None, :],
    },
}


@points(2)
def check_shapes_fit(student: Student, expected: Expected) -> None:
    """The output has the shape (N, L_q, d_model), the weights (N, n_heads, L_q, L_k)."""
    for inputs in (*SAME_LENGTH.values(), *UNEQUAL.values()):
        d_model, n_heads = inputs["sizes"].tolist()
        (n, queries, _), keys = inputs["in_0"].shape, inputs["in_1"].shape[1]
        reply = run_filled(student, NAME, bare(inputs))
        expect_shape(reply, "output", N=n, L_q=queries, d_model=d_model)
        expect_shape(reply, "weights", N=n, n_heads=n_heads, L_q=queries, L_k=keys)


@points(3)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """With given weights in W_q, W_k, W_v and W_o, output and weights have the right values."""
    match(student, expected, NAME, SAME_LENGTH, "output", "weights")


@points(3)
def check_unequal_lengths_work(student: Student, expected: Expected) -> None:
    """Queries may be more, or fewer, than keys and values."""
    match(student, expected, NAME, UNEQUAL, "output", "weights")


@points(3)
def check_mask_is_honoured(student: Student, expected: Expected) -> None:
    """With a mask that broadcasts to (N, n_heads, L_q, L_k) the values are right."""
    match(student, expected, NAME, MASKED, "output", "weights")


@points(1)
def check_each_head_sums_to_one(student: Student, expected: Expected) -> None:
    """The weights of each head and query sum to 1 over the keys."""
    for inputs in (*UNEQUAL.values(), *MASKED.values()):
        n_heads = int(inputs["sizes"][1])
        (n, queries, _), keys = inputs["in_0"].shape, inputs["in_1"].shape[1]
        reply = run_filled(student, NAME, bare(inputs))
        weights = expect_floats(reply, "weights", N=n, n_heads=n_heads, L_q=queries, L_k=keys)
        expect((weights >= 0).all(), wording.NEGATIVE)
        sums = weights.sum(dim=-1)
        expect(same(sums, torch.ones_like(sums)), wording.SUMS)


@values
@points(2)
def check_dropout_acts_on_the_weights(student: Student, expected: Expected) -> None:
    """In training the values are mixed with dropped weights; the weights returned are whole."""
    size = 32
    given = {
        **projections(500, size),
        **mixing(560, "W_o", size),
        "W_v__weight": torch.eye(size),
        "W_v__bias": torch.zeros(size),
        **_given(19, 3, size, size, size),
        "in_2": torch.eye(size).repeat(3, 1, 1),
    }
    for dropout, share in ((0.5, 0.5), (None, 0.1)):
        # with one head and one-hot values the dropped weights can be read off
        inputs = {"sizes": sizes_of(size, 1), **given}
        reply = run_trained(student, NAME, inputs, dropout)
        dims = {"N": 3, "L_q": size, "d_model": size}
        expect_still(reply, **dims)
        weights = expect_floats(reply, "weights", N=3, n_heads=1, L_q=size, L_k=size)
        sums = weights.sum(dim=-1)
        expect(same(sums, torch.ones_like(sums)), wording.NOT_BEFORE_DROPOUT)
        output = expect_floats(reply, "training", **dims)
        dropped = unmixed(output, given, "W_o")
        large = weights[:, 0] > 1e-3
        expect_dropped(dropped[large], weights[:, 0][large], share)


@points(1)
def check_gradients_dtype_device_and_inputs(student: Student, expected: Expected) -> None:
    """The gradient reaches all four layers; dtype, device and inputs stay as they are."""
    inputs = bare(UNEQUAL["more_keys"])
    reply = run_filled(student, NAME, inputs)
    expect_shape(reply, "output", N=2, L_q=4, d_model=12)
    found = reply.tensor("gradients")
    ranks = reply.tensor("dims")
    expect(found.dtype == torch.float32 and ranks.dtype == torch.int64, sentences.no_gradient())
    expect(found.shape == ranks.shape == (8,), sentences.no_gradient())
    expect((found[ranks > 1] > 0).all(), sentences.no_gradient())
    expect(reply["device"] == "meta", sentences.other_device())
    expect_unchanged(reply, {name: inputs[name] for name in ("in_0", "in_1", "in_2")})
    double = run_filled(student, NAME, {**inputs, "double": True})
    for name in ("output", "weights"):
        found_dtype = double.tensor(name).dtype
        expect(found_dtype == torch.float64, sentences.float64_lost(name, found_dtype))

"""Checks of `PositionwiseFeedForward(d_model, d_ff, dropout)`."""

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
    linear,
    match,
    mixing,
    run_filled,
    run_trained,
    unmixed,
)

NAME = "PositionwiseFeedForward"
CASES = {
    "wider": {
        "sizes": sizes_of(6, 10),
        **linear(100, "linear1", 10, 6),
        **linear(110, "linear2", 6, 10),
        "in_0": numbers(1, 2, 5, 6, scale=2.0),
    },
    "narrower": {
        "sizes": sizes_of(5, 3),
        **linear(200, "linear1", 3, 5),
        **linear(210, "linear2", 5, 3),
        "in_0": numbers(2, 1, 1, 5, scale=2.0),
    },
}


@points(1)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The output has the input's shape."""
    for inputs in CASES.values():
        n, length, size = inputs["in_0"].shape
        reply = run_filled(student, NAME, bare(inputs))
        expect_shape(reply, "output", N=n, L=length, d_model=size)


@points(2)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """With given weights in both layers the output has the right values."""
    match(student, expected, NAME, CASES, "output")


@values
@points(1)
def check_dropout_acts_between_the_layers(student: Student, expected: Expected) -> None:
    """In training some numbers of the hidden layer are dropped, in eval mode none."""
    given = {**linear(300, "linear1", 32, 32), **mixing(310, "linear2", 32)}
    inputs = {"sizes": sizes_of(32, 32), **given, "in_0": numbers(3, 4, 100, 32, scale=2.0)}
    dims = {"N": 4, "L": 100, "d_model": 32}
    for dropout, share in ((0.5, 0.5), (None, 0.1)):
        reply = run_trained(student, NAME, inputs, dropout)
        whole = unmixed(expect_still(reply, **dims), given, "linear2")
        found = unmixed(expect_floats(reply, "training", **dims), given, "linear2")
        large = whole.abs() > 1e-2
        expect_dropped(found[large], whole[large], share)


@points(1)
def check_positions_gradients_dtype_and_device(student: Student, expected: Expected) -> None:
    """Positions do not mix, gradients reach both layers, dtype, device and input are kept."""
    inputs = CASES["wider"]
    reply = run_filled(student, NAME, inputs)
    output = expect_floats(reply, "output", N=2, L=5, d_model=6)
    alone = run_filled(student, NAME, {**inputs, "in_0": inputs["in_0"][1:, 3:4]})
    expect(
        same(expect_floats(alone, "output", N=1, L=1, d_model=6), output[1:, 3:4]),
        wording.POSITIONS_MIX,
    )
    found = expect_floats(reply, "gradients", tensors=4)
    expect(bool((found > 0).all()), sentences.no_gradient())
    expect(reply["device"] == "meta", sentences.other_device())
    expect_unchanged(reply, {"in_0": inputs["in_0"]})
    double = run_filled(student, NAME, {**inputs, "double": True}).tensor("output").dtype
    expect(double == torch.float64, sentences.float64_lost("output", double))

"""Checks of `EncoderBlock(input_dim, num_heads, dim_feedforward, dropout=0.0)`."""

from __future__ import annotations

import torch

from autograder.checking import (
    Expected,
    Student,
    expect,
    expect_floats,
    expect_gradients,
    expect_kept,
    expect_unchanged,
    numbers,
    points,
    same,
)

from . import wording
from .modules import (
    Inputs,
    differentiated,
    expect_linked,
    expect_parts,
    filled,
    in_double,
    match_filled,
)

NAME = "EncoderBlock"
SIZES = {"input_dim": 6, "num_heads": 2, "dim_feedforward": 10}
X = numbers(1, 3, 5, 6)
CASES: dict[str, Inputs] = {
    "two_heads": {**SIZES, "x": X, "dropout": 0.5},
    "one_head": {"input_dim": 8, "num_heads": 1, "dim_feedforward": 3, "x": numbers(2, 1, 7, 8)},
}
_may = (numbers(3, 3, 1, 5, 5) > 0) | torch.eye(5).bool()
MASKED: dict[str, Inputs] = {
    "causal": {**SIZES, "x": X, "mask": torch.ones(5, 5, dtype=torch.bool).tril()},
    "by_sequence": {**SIZES, "x": X, "mask": _may},
}
DROPPED: dict[str, Inputs] = {
    "dropped": {**SIZES, "x": X, "dropout": 0.4, "seed": 11},
    "dropped_little": {**CASES["one_head"], "dropout": 0.1, "seed": 12},
}


@points(1)
def check_shapes_fit(student: Student, expected: Expected) -> None:
    """The output is (B, L, input_dim); on demand, attention (B, heads, L, L) stands beside it."""
    for case, heads in (("two_heads", 2), ("one_head", 1)):
        inputs = CASES[case]
        assert isinstance(inputs["x"], torch.Tensor)
        batch, length, size = inputs["x"].shape
        dims = {"B": batch, "L": length, "input_dim": size}
        output = expect_floats(student.run(filled, name=NAME, **inputs), "output", **dims)
        reply = student.run(filled, name=NAME, look=True, **inputs)
        expect_floats(reply, "map_0", B=batch, heads=heads, L_q=length, L_k=length)
        expect(same(expect_floats(reply, "beside", **dims), output), wording.TWO_OUTPUTS)


@points(1)
def check_has_the_parts(student: Student, expected: Expected) -> None:
    """Inside are attention, two linear layers of the right sizes, and two norms of their own."""
    for size, heads, width in ((6, 2, 10), (4, 1, 7)):
        attention = [(3 * size, size), (size, size)]
        mlp = [(width, size), (size, width)]
        sizes = {"input_dim": size, "num_heads": heads, "dim_feedforward": width}
        inputs: Inputs = {**sizes, "x": numbers(4, 1, 2, size)}
        expect_parts(student, NAME, inputs, attention + mlp, [size, size])


@points(3)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """In evaluation mode the output has the right values: residuals first, then the norms."""
    match_filled(student, expected, CASES, NAME)


@points(1)
def check_shows_its_attention(student: Student, expected: Expected) -> None:
    """The attention that is returned is that of the block's input, and the one that it used."""
    cases = {f"{case}_map": {**inputs, "look": True} for case, inputs in CASES.items()}
    match_filled(student, expected, cases, NAME, ("map_0",))
    expect_linked(student, NAME, 1, X, numbers(6, 3, 5, 6), **SIZES)


@points(1)
def check_mask_reaches_attention(student: Student, expected: Expected) -> None:
    """A mask of shape (L, L) or (B, 1, L, L) acts on output and attention."""
    match_filled(student, expected, MASKED, NAME)
    cases = {f"{case}_map": {**inputs, "look": True} for case, inputs in MASKED.items()}
    match_filled(student, expected, cases, NAME, ("map_0", "beside"))


@points(2)
def check_drops_out_in_three_places(student: Student, expected: Expected) -> None:
    """In training mode dropout acts after attention, inside the MLP and after it."""
    match_filled(student, expected, DROPPED, NAME)
    plain: Inputs = {**SIZES, "x": X}
    dims = {"B": 3, "L": 5, "input_dim": 6}
    calm = expect_floats(student.run(filled, name=NAME, **plain), "output", **dims)
    training = expect_floats(student.run(filled, name=NAME, seed=13, **plain), "output", **dims)
    expect(same(training, calm), wording.NO_DEFAULT_ZERO)


@points(1)
def check_gradients_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """Gradients reach every parameter; dtype and device are kept, the input stays as it is."""
    reply = student.run(differentiated, name=NAME, x=X, direction=numbers(5, 3, 5, 6), **SIZES)
    expect_gradients(reply, B=3, L=5, input_dim=6)
    expect_kept(student.run(in_double, name=NAME, x=X, **SIZES))
    expect_unchanged(student.run(filled, name=NAME, **CASES["two_heads"]), {"x": X})

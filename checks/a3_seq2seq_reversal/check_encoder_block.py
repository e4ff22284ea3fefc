"""Checks of `EncoderBlock(d_model, num_heads, d_ff)`."""

from __future__ import annotations

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
    same,
    sizes_of,
    values,
)

from . import wording
from .filling import encoder_weights
from .modules import (
    Case,
    applied,
    differentiated,
    expect_parts,
    in_double,
    match_filled,
)

NAME = "EncoderBlock"
ORDER = "x mask"
SIZES = sizes_of(6, 2, 10)
CAUSAL = torch.ones(5, 5, dtype=torch.bool).tril()
PADDING = torch.tensor([[[[True] * 5]], [[[True] * 3 + [False] * 2]]])


def _case(seed: int, d_model: int, heads: int, d_ff: int, **inputs: torch.Tensor) -> Case:
    weights = encoder_weights(seed, d_model, d_ff)
    return {"sizes": sizes_of(d_model, heads, d_ff), "heads": heads, **inputs, **weights}


OPEN = {
    "three_heads": _case(100, 6, 3, 10, x=numbers(1, 2, 5, 6, scale=2.0)),
    "batch_of_one": _case(200, 8, 2, 5, x=numbers(2, 1, 4, 8, scale=2.0)),
}
MASKED = {
    "padding": _case(300, 6, 2, 10, x=numbers(3, 2, 5, 6, scale=2.0), mask=PADDING),
    "causal": _case(400, 4, 1, 7, x=numbers(4, 2, 5, 4, scale=2.0), mask=CAUSAL),
}


def _match(student: Student, expected: Expected, cases: dict[str, Case]) -> None:
    seeded = {
        f"seeded_{case}": {"seed": 3, **{n: given[n] for n in ("sizes", "x", "mask") if n in given}}
        for case, given in cases.items()
    }
    match_filled(student, expected, NAME, ORDER, cases, seeded)


@points(1)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The output is one tensor of the shape (N, L, d_model)."""
    for n, length in ((3, 5), (1, 1)):
        x = numbers(5, n, length, 6)
        reply = student.run(applied, name=NAME, order=ORDER, sizes=SIZES, x=x)
        expect_shape(reply, "output", N=n, L=length, d_model=6)


@points(1)
def check_has_its_layers(student: Student, expected: Expected) -> None:
    """It has one attention, two linear layers of the right sizes and two norms."""
    for case in OPEN.values():
        expect_parts(student, NAME, ORDER, case)


@points(3)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The output has the right values."""
    _match(student, expected, OPEN)


@points(2)
def check_mask_is_honoured(student: Student, expected: Expected) -> None:
    """Under a mask the output has the right values, and hidden positions are not noticed."""
    _match(student, expected, MASKED)
    x = numbers(6, 2, 5, 6, scale=2.0)
    changed = x.clone()
    changed[1, 3:] += 5
    given = {"x": x, "x_2": changed, "mask": PADDING}
    reply = student.run(applied, name=NAME, order=ORDER, sizes=SIZES, **given)
    output = expect_varied(reply, "output", N=2, L=5, d_model=6)
    second = expect_floats(reply, "second", N=2, L=5, d_model=6)
    expect(same(second[1, :3], output[1, :3]), wording.PADDING_SEEN)


@values
@points(1)
def check_order_of_positions_carries_over(student: Student, expected: Expected) -> None:
    """Permuting the positions of x permutes the output in the same way."""
    x, order = numbers(7, 2, 5, 6, scale=2.0), torch.tensor([3, 0, 4, 1, 2])
    given = {"x": x, "x_2": x[:, order]}
    reply = student.run(applied, name=NAME, order=ORDER, sizes=SIZES, **given)
    output = expect_varied(reply, "output", N=2, L=5, d_model=6)
    second = expect_floats(reply, "second", N=2, L=5, d_model=6)
    expect(same(second, output[:, order]), wording.NOT_EQUIVARIANT)


@points(1)
def check_gradients_reach_every_parameter(student: Student, expected: Expected) -> None:
    """The gradient of the output reaches x and every parameter."""
    given = {"x": numbers(8, 2, 4, 6, scale=2.0), "direction": numbers(9, 2, 4, 6)}
    reply = student.run(differentiated, name=NAME, order=ORDER, sizes=SIZES, **given)
    expect_gradients(reply, N=2, L=4, d_model=6)


@points(1)
def check_keeps_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """The output has the input's dtype and device, and the input stays as it is."""
    given = {"x": numbers(10, 2, 5, 6), "mask": PADDING}
    expect_kept(student.run(in_double, name=NAME, order=ORDER, sizes=SIZES, **given))
    reply = student.run(applied, name=NAME, order=ORDER, sizes=SIZES, **given)
    expect_unchanged(reply, given)

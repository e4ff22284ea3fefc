"""Checks of `MaskedSelfAttention(input_dim, key_dim, output_dim)`, a bonus without points."""

from __future__ import annotations

import torch

from autograder.checking import Student, expect, expect_shape, points
from autograder.checks.a1_attention_blocks.projections import (
    NOT_ITS_SIZE,
    Example,
    applied,
    applied_twice,
    differentiated,
    expect_layers,
    in_double,
    match_values,
    reference,
)
from autograder.expected import Expected
from autograder.properties import (
    expect_count,
    expect_floats,
    expect_gradients,
    expect_kept,
    expect_unchanged,
    numbers,
    same,
    sizes_of,
)

NAME = "MaskedSelfAttention"
SIZES = sizes_of(6, 4, 5)
# The second case has a batch of one and values smaller than the keys.
WEIGHTS = {
    "copied": {
        "sizes": SIZES,
        "x": numbers(1, 3, 7, 6, scale=2.0),
        **reference(100, query=(4, 6), key=(4, 6), value=(5, 6)),
    },
    "copied_batch_of_one": {
        "sizes": sizes_of(3, 8, 2),
        "x": numbers(2, 1, 4, 3, scale=2.0),
        **reference(200, query=(8, 3), key=(8, 3), value=(2, 3)),
    },
}
EXAMPLES: dict[str, Example] = {
    "example": {"seed": 5, "sizes": sizes_of(12, 8, 10), "x_shape": sizes_of(2, 6, 12)},
    "small_example": {"seed": 6, "sizes": SIZES, "x_shape": sizes_of(1, 3, 6)},
}


@points(0)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The output has the shape (N, L, output_dim)."""
    for n, length, size in ((3, 7, 6), (1, 1, 4)):
        x = numbers(3, n, length, size)
        reply = student.run(applied, name=NAME, sizes=sizes_of(size, 3, 5), x=x)
        expect_shape(reply, "output", N=n, L=length, output_dim=5)


@points(0)
def check_tells_its_output_dim(student: Student, expected: Expected) -> None:
    """The attribute `output_dim` holds the size of the output."""
    for output_dim in (5, 2):
        sizes = sizes_of(6, 4, output_dim)
        reply = student.run(applied, name=NAME, sizes=sizes, x=numbers(7, 1, 3, 6))
        expect_count(reply, "output_dim", output_dim, NOT_ITS_SIZE)


@points(0)
def check_has_three_linear_layers(student: Student, expected: Expected) -> None:
    """Queries, keys and values are each made by a linear layer with bias of the right size."""
    for inputs in WEIGHTS.values():
        expect_layers(student, NAME, inputs)


@points(0)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The output has the right values."""
    match_values(student, expected, NAME, WEIGHTS, EXAMPLES)


@points(0)
def check_the_future_changes_nothing(student: Student, expected: Expected) -> None:
    """Changing a position leaves all earlier outputs as they are."""
    for changed in range(1, 6):
        before, after = _changed_at(student, changed)
        expect(
            same(after[:, :changed], before[:, :changed], 1e-6),
            "An output depends on a position that comes after it.",
        )


@points(0)
def check_the_past_is_seen(student: Student, expected: Expected) -> None:
    """Changing a position changes its own output and all later ones."""
    for changed in range(6):
        before, after = _changed_at(student, changed)
        moved = (after - before).abs().amax(dim=(0, 2))
        expect(
            (moved[changed:] > 1e-6).all(),
            "An output does not depend on its own position or on one before it.",
        )


def _changed_at(student: Student, position: int) -> tuple[torch.Tensor, torch.Tensor]:
    x = numbers(4, 2, 6, 6)
    x2 = x.clone()
    x2[:, position] += 2
    reply = student.run(applied_twice, name=NAME, sizes=SIZES, x=x, x2=x2)
    dims = {"N": 2, "L": 6, "output_dim": 5}
    return expect_floats(reply, "output", **dims), expect_floats(reply, "second", **dims)


@points(0)
def check_gradients_reach_every_parameter(student: Student, expected: Expected) -> None:
    """The gradient of the output reaches x and every parameter."""
    x = numbers(6, 2, 4, 6, scale=3.0)
    direction = numbers(7, 2, 4, 5)
    reply = student.run(differentiated, name=NAME, sizes=SIZES, x=x, direction=direction)
    expect_gradients(reply, N=2, L=4, output_dim=5)


@points(0)
def check_keeps_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """The output has the input's dtype and device, and the input stays as it is."""
    x = numbers(8, 2, 4, 6)
    expect_kept(student.run(in_double, name=NAME, sizes=SIZES, x=x))
    expect_unchanged(student.run(applied, name=NAME, sizes=SIZES, x=x), {"x": x})

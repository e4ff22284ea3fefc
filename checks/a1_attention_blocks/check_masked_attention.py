"""Checks of `MaskedSelfAttention(input_dim, key_dim, output_dim)`, a bonus without points."""

from __future__ import annotations

import torch

from autograder.checking import Expected, Student, expect, numbers, points, same, sizes_of

from . import wording
from .projections import (
    Example,
    expect_care,
    expect_gradients_everywhere,
    expect_layers,
    expect_output_dim,
    expect_output_shape,
    match_values,
    outputs_of_both,
    reference,
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
        expect_output_shape(student, NAME, sizes_of(size, 3, 5), x=x)


@points(0)
def check_tells_its_output_dim(student: Student, expected: Expected) -> None:
    """The attribute `output_dim` holds the size of the output."""
    expect_output_dim(student, NAME, SIZES, x=numbers(7, 1, 3, 6))


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
        unmoved = same(after[:, :changed], before[:, :changed], 1e-6)
        expect(unmoved, wording.SEES_THE_FUTURE)


@points(0)
def check_the_past_is_seen(student: Student, expected: Expected) -> None:
    """Changing a position changes its own output and all later ones."""
    for changed in range(6):
        before, after = _changed_at(student, changed)
        moved = (after - before).abs().amax(dim=(0, 2))
        expect((moved[changed:] > 1e-6).all(), wording.MISSES_THE_PAST)


def _changed_at(student: Student, position: int) -> tuple[torch.Tensor, torch.Tensor]:
    x = numbers(4, 2, 6, 6)
    x2 = x.clone()
    x2[:, position] += 2
    return outputs_of_both(student, NAME, SIZES, x=x, x2=x2)


@points(0)
def check_gradients_reach_every_parameter(student: Student, expected: Expected) -> None:
    """The gradient of the output reaches x and every parameter."""
    expect_gradients_everywhere(student, NAME, SIZES, x=numbers(6, 2, 4, 6, scale=3.0))


@points(0)
def check_keeps_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """The output has the input's dtype and device, and the input stays as it is."""
    expect_care(student, NAME, SIZES, x=numbers(8, 2, 4, 6))

"""Checks of `SelfAttention(input_dim, key_dim, output_dim)`."""

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

NAME = "SelfAttention"
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
    "example": {"seed": 48, "sizes": sizes_of(512, 64, 512), "x_shape": sizes_of(4, 10, 512)},
    "small_example": {"seed": 49, "sizes": SIZES, "x_shape": sizes_of(1, 3, 6)},
}


@points(1)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The output has the shape (N, L, output_dim)."""
    for n, length, size in ((3, 7, 6), (1, 1, 4)):
        x = numbers(3, n, length, size)
        expect_output_shape(student, NAME, sizes_of(size, 3, 5), x=x)


@points(1)
def check_tells_its_output_dim(student: Student, expected: Expected) -> None:
    """The attribute `output_dim` holds the size of the output."""
    expect_output_dim(student, NAME, SIZES, x=numbers(7, 1, 3, 6))


@points(2)
def check_has_three_linear_layers(student: Student, expected: Expected) -> None:
    """Queries, keys and values are each made by a linear layer with bias of the right size."""
    for inputs in WEIGHTS.values():
        expect_layers(student, NAME, inputs)


@points(6)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The output has the right values."""
    match_values(student, expected, NAME, WEIGHTS, EXAMPLES)


@points(2)
def check_permuting_the_sequence_permutes_the_output(student: Student, expected: Expected) -> None:
    """Permuting the positions of x permutes the output in the same way."""
    x, order = numbers(4, 2, 5, 6, scale=3.0), torch.tensor([3, 0, 4, 1, 2])
    output, second = outputs_of_both(student, NAME, SIZES, x=x, x2=x[:, order])
    expect(same(second, output[:, order]), wording.IGNORES_X_ORDER)


@points(1)
def check_sequences_do_not_mix(student: Student, expected: Expected) -> None:
    """A sequence gets the same output alone as in a batch."""
    x = numbers(5, 3, 4, 6, scale=3.0)
    output, second = outputs_of_both(student, NAME, SIZES, x=x, x2=x[1:2])
    expect(same(second, output[1:2]), wording.SEQUENCES_MIX)


@points(1)
def check_gradients_reach_every_parameter(student: Student, expected: Expected) -> None:
    """The gradient of the output reaches x and every parameter."""
    expect_gradients_everywhere(student, NAME, SIZES, x=numbers(6, 2, 4, 6, scale=3.0))


@points(1)
def check_keeps_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """The output has the input's dtype and device, and the input stays as it is."""
    expect_care(student, NAME, SIZES, x=numbers(8, 2, 4, 6))

"""Checks of `CrossAttention(x_input_dim, y_input_dim, key_dim, output_dim)`."""

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

NAME = "CrossAttention"
SIZES = sizes_of(6, 3, 4, 5)
# The second case has a batch of one, vectors of one size in x and y, and large keys.
WEIGHTS = {
    "copied": {
        "sizes": SIZES,
        "x": numbers(1, 2, 4, 6, scale=2.0),
        "y": numbers(2, 2, 7, 3, scale=2.0),
        **reference(100, query=(4, 6), key=(4, 3), value=(5, 3)),
    },
    "copied_batch_of_one": {
        "sizes": sizes_of(3, 5, 8, 2),
        "x": numbers(3, 1, 6, 3, scale=2.0),
        "y": numbers(4, 1, 5, 5, scale=2.0),
        **reference(200, query=(8, 3), key=(8, 5), value=(2, 5)),
    },
}
EXAMPLES: dict[str, Example] = {
    "example": {
        "seed": 14,
        "sizes": sizes_of(512, 256, 64, 128),
        "x_shape": sizes_of(3, 10, 512),
        "y_shape": sizes_of(3, 10, 256),
    },
    "small_example": {
        "seed": 15,
        "sizes": SIZES,
        "x_shape": sizes_of(1, 2, 6),
        "y_shape": sizes_of(1, 5, 3),
    },
}
BOTH = {"x": numbers(5, 2, 4, 6, scale=3.0), "y": numbers(6, 2, 7, 3, scale=3.0)}
Y_ORDER = torch.tensor([3, 0, 6, 1, 5, 2, 4])
X_ORDER = torch.tensor([2, 0, 3, 1])


@points(2)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The output has the shape (N, L_x, output_dim), one row for each position of x."""
    for n, length, other in ((3, 4, 7), (1, 5, 2)):
        x, y = numbers(7, n, length, 6), numbers(8, n, other, 3)
        expect_output_shape(student, NAME, SIZES, x=x, y=y)


@points(1)
def check_tells_its_output_dim(student: Student, expected: Expected) -> None:
    """The attribute `output_dim` holds the size of the output."""
    expect_output_dim(student, NAME, SIZES, x=numbers(7, 1, 3, 6), y=numbers(8, 1, 2, 3))


@points(2)
def check_has_three_linear_layers(student: Student, expected: Expected) -> None:
    """Queries, keys and values are each made by a linear layer with bias of the right size."""
    for inputs in WEIGHTS.values():
        expect_layers(student, NAME, inputs)


@points(6)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The output has the right values."""
    match_values(student, expected, NAME, WEIGHTS, EXAMPLES)


@points(1)
def check_shuffling_y_changes_nothing(student: Student, expected: Expected) -> None:
    """Shuffling the positions of y leaves the output as it is."""
    x, y = BOTH["x"], BOTH["y"]
    output, second = outputs_of_both(student, NAME, SIZES, x=x, y=y, x2=x, y2=y[:, Y_ORDER])
    expect(same(second, output), wording.DEPENDS_ON_Y_ORDER)


@points(1)
def check_shuffling_x_shuffles_the_output(student: Student, expected: Expected) -> None:
    """Shuffling the positions of x shuffles the output in the same way."""
    x, y = BOTH["x"], BOTH["y"]
    output, second = outputs_of_both(student, NAME, SIZES, x=x, y=y, x2=x[:, X_ORDER], y2=y)
    expect(same(second, output[:, X_ORDER]), wording.IGNORES_X_ORDER)


@points(1)
def check_gradients_reach_every_parameter(student: Student, expected: Expected) -> None:
    """The gradient of the output reaches x, y and every parameter."""
    expect_gradients_everywhere(student, NAME, SIZES, **BOTH)


@points(1)
def check_keeps_dtype_device_and_inputs(student: Student, expected: Expected) -> None:
    """The output has the inputs' dtype and device, and the inputs stay as they are."""
    expect_care(student, NAME, SIZES, **BOTH)

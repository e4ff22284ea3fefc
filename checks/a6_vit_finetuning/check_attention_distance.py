"""Checks of `attention_distance(attentions, patch_size, grid)`: how far each head looks."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    expect_shape,
    expect_unchanged,
    points,
    probe,
    same,
    sizes_of,
    values,
)
from autograder.results import sentences

from . import wording
from .attentions import attentions, with_other_class_token


@probe
def measured(answers: Any, layers: Any, patch_size: int, grid: Any) -> dict[str, Any]:
    given = tuple(layers.unbind())
    distances = answers.attention_distance(given, patch_size, tuple(grid.tolist()))
    return {"distances": distances, "layers": torch.stack(given)}


@probe
def elsewhere(answers: Any, layers: Any, patch_size: int, grid: Any) -> dict[str, Any]:
    given = tuple(layers.double().unbind())
    distances = answers.attention_distance(given, patch_size, tuple(grid.tolist()))
    try:  # the meta device stands in for any device that is not the CPU
        given = tuple(layers.to("meta").unbind())
        device = answers.attention_distance(given, patch_size, tuple(grid.tolist())).device.type
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {"distances": distances, "device": device}


def _inputs(seed: int, sizes: tuple[int, int, int], patch: int, grid: tuple[int, int]) -> Any:
    rows, columns = grid
    layers, images, heads = sizes
    return {
        "layers": attentions(seed, layers, images, heads, rows * columns),
        "patch_size": patch,
        "grid": sizes_of(rows, columns),
    }


# Lying, upright and square grids; unequal numbers of layers and heads; a batch of one.
CASES = {
    "lying": _inputs(1, (3, 2, 4), 5, (2, 4)),
    "upright": _inputs(2, (1, 1, 2), 16, (5, 2)),
    "square": _inputs(3, (2, 3, 1), 6, (3, 3)),
}


def _dims(inputs: dict[str, Any]) -> dict[str, int]:
    return {"layers": inputs["layers"].shape[0], "heads": inputs["layers"].shape[2]}


def _distances(student: Student, inputs: dict[str, Any]) -> torch.Tensor:
    return expect_floats(student.run(measured, **inputs), "distances", **_dims(inputs))


@points(1)
def check_one_number_for_each_head(student: Student, expected: Expected) -> None:
    """The result has the shape (layers, heads)."""
    for inputs in CASES.values():
        expect_shape(student.run(measured, **inputs), "distances", **_dims(inputs))


@points(4)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The distances have the right values."""
    for case, inputs in CASES.items():
        reply = student.run(measured, **inputs)
        expected.match(case, Reply.of({"distances": reply.tensor("distances")}), atol=1e-4)


@points(2)
def check_the_class_token_is_left_out(student: Student, expected: Expected) -> None:
    """The weights to and from the class token change nothing."""
    for case in ("lying", "square"):
        inputs = CASES[case]
        other = {**inputs, "layers": with_other_class_token(inputs["layers"], 9)}
        found, second = _distances(student, inputs), _distances(student, other)
        expect(same(found, second, 1e-3), wording.CLASS_TOKEN_MATTERS)
        expect((found > 0).all(), wording.CLASS_TOKEN_MATTERS)


@values
@points(1)
def check_distances_are_in_pixels(student: Student, expected: Expected) -> None:
    """Patches of twice the size are twice as far apart, and a look at oneself goes 0 pixels far."""
    inputs = CASES["lying"]
    found = _distances(student, inputs)
    doubled = _distances(student, {**inputs, "patch_size": 2 * inputs["patch_size"]})
    expect(same(2 * found, doubled, 1e-3) and bool((found > 0).all()), wording.NOT_IN_PIXELS)
    itself = torch.eye(9).expand(3, 2, 4, 9, 9)
    at_home = _distances(student, {**inputs, "layers": itself.contiguous()})
    expect(at_home.abs().max() < 1e-3, wording.NOT_ZERO)


@values
@points(1)
def check_rows_come_before_columns(student: Student, expected: Expected) -> None:
    """In a grid of rows and columns, patch 1 stands to the right of patch 0."""
    neighbour = torch.zeros(1, 1, 1, 9, 9)
    neighbour[..., 1:, 1:] = torch.eye(8).roll(1, dims=1)  # each looks at the patch after it
    found = []
    for rows, columns in ((2, 4), (4, 2)):
        inputs = {"layers": neighbour, "patch_size": 1, "grid": sizes_of(rows, columns)}
        found.append(_distances(student, inputs).item())
    # Six of eight steps go one to the right, one goes to the next row, the last back to the start.
    lying = (6 + 2 * 10**0.5) / 8
    upright = (4 + 3 * 2**0.5 + 10**0.5) / 8
    right = abs(found[0] - lying) < 1e-3 and abs(found[1] - upright) < 1e-3
    expect(right, wording.SIDEWAYS)


@points(1)
def check_keeps_dtype_device_and_inputs(student: Student, expected: Expected) -> None:
    """The result has the attentions' dtype and device, and they stay as they are."""
    inputs = CASES["lying"]
    reply = student.run(elsewhere, **inputs)
    found = reply.tensor("distances").dtype
    expect(found == torch.float64, sentences.float64_lost("distances", found))
    expect(reply["device"] == "meta", sentences.other_device())
    expect_unchanged(student.run(measured, **inputs), {"layers": inputs["layers"]})

"""Checks of `attention_heatmap(attentions, grid, image_size)`: the class token's last look."""

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
from .attentions import attentions


@probe
def mapped(answers: Any, layers: Any, grid: Any, image_size: Any) -> dict[str, Any]:
    given = tuple(layers.unbind())
    heat = answers.attention_heatmap(given, tuple(grid.tolist()), tuple(image_size.tolist()))
    return {"heat": heat, "layers": torch.stack(given)}


def _inputs(
    seed: int, layers: int, heads: int, grid: tuple[int, int], size: tuple[int, int]
) -> dict[str, torch.Tensor]:
    return {
        "layers": attentions(seed, layers, 1, heads, grid[0] * grid[1]),
        "grid": sizes_of(*grid),
        "image_size": sizes_of(*size),
    }


# Grids that lie and that stand; images that are not square, also of no multiple of the grid.
CASES = {
    "lying": _inputs(1, 3, 2, (2, 5), (12, 20)),
    "upright": _inputs(2, 1, 3, (4, 3), (13, 8)),
    "square": _inputs(3, 2, 4, (3, 3), (24, 24)),
}


def _dims(inputs: dict[str, torch.Tensor]) -> dict[str, int]:
    height, width = inputs["image_size"].tolist()
    return {"heads": inputs["layers"].shape[2], "height": height, "width": width}


@points(1)
def check_one_map_for_each_head(student: Student, expected: Expected) -> None:
    """The result has the shape (heads, height, width)."""
    for inputs in CASES.values():
        expect_shape(student.run(mapped, **inputs), "heat", **_dims(inputs))


@points(2)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The maps have the right values."""
    for case, inputs in CASES.items():
        reply = student.run(mapped, **inputs)
        expected.match(case, Reply.of({"heat": reply.tensor("heat")}))


@values
@points(1)
def check_the_map_is_not_turned(student: Student, expected: Expected) -> None:
    """The brightest spot lies where the patch with the most attention lies."""
    for rows, columns in ((2, 5), (4, 3), (3, 3)):
        for patch in range(rows * columns):
            layers = torch.full((1, 1, 1, 1 + rows * columns, 1 + rows * columns), 0.01)
            layers[..., 0, 1 + patch] = 0.9
            inputs = {
                "layers": layers,
                "grid": sizes_of(rows, columns),
                "image_size": sizes_of(6 * rows, 6 * columns),
            }
            heat = expect_floats(student.run(mapped, **inputs), "heat", **_dims(inputs))[0]
            place = int(heat.flatten().argmax())
            row, column = place // (6 * columns) // 6, place % (6 * columns) // 6
            expect(row * columns + column == patch, wording.OTHER_PLACE)


@values
@points(1)
def check_only_the_class_token_of_the_last_layer(student: Student, expected: Expected) -> None:
    """Other layers and the rows of the patches change nothing, and the inputs stay as they are."""
    inputs = CASES["lying"]
    reply = student.run(mapped, **inputs)
    expect_unchanged(reply, {"layers": inputs["layers"]})
    other = attentions(9, 3, 1, 2, 10)
    other[-1, :, :, 0] = inputs["layers"][-1, :, :, 0]
    found = expect_floats(reply, "heat", **_dims(inputs))
    second = student.run(mapped, **{**inputs, "layers": other})
    expect(same(found, expect_floats(second, "heat", **_dims(inputs))), wording.OTHER_LAYERS)
    expect((found.amax() - found.amin()) > 1e-4, sentences.same_everywhere("heat"))
    in_double = student.run(mapped, **{**inputs, "layers": inputs["layers"].double()})
    kind = in_double.tensor("heat").dtype
    expect(kind == torch.float64, sentences.float64_lost("heat", kind))

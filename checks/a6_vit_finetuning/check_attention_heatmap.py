"""Checks of `attention_heatmap(attentions, grid, image_size)`: the class token's last look."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Integers,
    Probe,
    Student,
    Weights,
    expect,
    expect_floats,
    points,
    probe,
    same,
    sizes_of,
    values,
)

from . import wording
from .attentions import attentions


def mapped(attention_heatmap: Any, attentions: Any, places: Any, pixels: Any) -> Any:
    return attention_heatmap(tuple(attentions), tuple(places.shape), tuple(pixels.shape))


battery = Battery(
    Domain(
        answer="attention_heatmap",
        sizes={"layers": 2, "heads": 4, "rows": 2, "columns": 3, "down": 6, "right": 7},
        smallest={"down": 0, "right": 0},  # no picture has fewer pixels than patches
        derived={"height": "rows+down", "width": "columns+right"},
        inputs={
            "attentions": Weights("layers 1 heads 1+rows*columns 1+rows*columns"),
            "places": Integers("rows columns", 0, 2),  # of the shape of the grid
            "pixels": Integers("height width", 0, 2),  # and of the image
        },
        returns={"heat": "heads height width"},
        call=Probe(mapped),
        more={
            "for an upright grid": {"rows": 4, "columns": 3, "down": 9, "right": 1},
            "for a long grid": {"rows": 1, "columns": 4},  # of a square number of patches
            "for a large image": {"rows": 3, "columns": 2, "down": 40, "right": 61},
        },
        differentiable=False,
    ),
    **{"values": 1.2, "sizes": 2, "extremes": 0.8, "kind": 0.8, "care": 0.8},
)


@probe
def heat_of(answers: Any, layers: Any, grid: Any, image_size: Any) -> dict[str, Any]:
    given = tuple(layers.unbind())
    heat = answers.attention_heatmap(given, tuple(grid.tolist()), tuple(image_size.tolist()))
    return {"heat": heat}


def _heat(student: Student, layers: torch.Tensor, rows: int, columns: int) -> torch.Tensor:
    image = sizes_of(6 * rows, 6 * columns)
    reply = student.run(heat_of, layers=layers, grid=sizes_of(rows, columns), image_size=image)
    return expect_floats(reply, "heat", heads=layers.shape[2], height=6 * rows, width=6 * columns)


def _of_patches(heat: torch.Tensor, rows: int, columns: int) -> torch.Tensor:
    """The mean over the pixels of each patch. heat: (..., H, W) -> (..., rows * columns)"""
    *_, height, width = heat.shape
    sizes = (rows, height // rows, columns, width // columns)
    return heat.reshape(*heat.shape[:-2], *sizes).mean((-3, -1)).flatten(-2)


@values
@points(1.2, text="puts them into the grid, row by row")
def check_the_map_is_not_turned(student: Student) -> None:
    """The brightest spot lies where the patch with the most attention lies."""
    for rows, columns in ((2, 5), (4, 3), (3, 3)):
        for patch in range(rows * columns):
            layers = torch.full((1, 1, 2, 1 + rows * columns, 1 + rows * columns), 0.01)
            second = 0 if patch > rows * columns // 2 else rows * columns - 1
            layers[..., 0, 1 + second] = 0.5
            layers[..., 0, 1 + patch] = 0.9
            heat = _heat(student, layers, rows, columns)[0]
            place = int(heat.flatten().argmax())
            row, column = place // (6 * columns) // 6, place % (6 * columns) // 6
            expect(row * columns + column == patch, wording.OTHER_PLACE)
            dark = heat.min() + 0.1 * (heat.max() - heat.min())
            expect(_of_patches(heat, rows, columns)[second] > dark, wording.SECOND_IS_DARK)


@values
@points(1.2, text="From the last layer it takes, in each head, the weights that the class token")
def check_only_the_class_token_of_the_last_layer(student: Student) -> None:
    """Other layers and the rows of the patches change nothing."""
    layers, other = attentions(1, 3, 1, 2, 10), attentions(9, 3, 1, 2, 10)
    other[-1, :, :, 0] = layers[-1, :, :, 0]
    found, second = _heat(student, layers, 2, 5), _heat(student, other, 2, 5)
    levels = _of_patches(found, 2, 5).sort().values.diff()  # as different as the weights
    expect(bool((levels > 1e-6).all()) and same(found, second), wording.OTHER_LAYERS)

"""Checks of `cover(pixel_values, weights, count, grid)`: which patches become grey, and how."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Floats,
    Integers,
    Probe,
    Student,
    expect,
    expect_shape,
    numbers,
    points,
    probe,
    sizes_of,
    values,
)
from autograder.results import sentences

from . import wording


def covered(cover: Any, pixel_values: Any, weights: Any, chosen: Any, places: Any) -> Any:
    return cover(pixel_values, weights, len(chosen), tuple(places.shape))


MORE = {
    "for no patch": {"count": 0},
    "for one patch": {"count": 1},
    "with every patch covered": {"count": 10},
    "for an upright grid": {"rows": 5, "columns": 2, "count": 4},
    "for a high grid": {"rows": 8, "columns": 2, "wide": 8},  # of a square number of patches
    "for a large grid": {"rows": 9, "columns": 8, "high": 2, "wide": 3, "count": 50},
}
CASES = ("example", "other", "equal", "equal_widths", "ones", "single", "double", "device")
battery = Battery(
    Domain(
        answer="cover",
        sizes={"N": 4, "C": 3, "rows": 2, "columns": 5, "high": 6, "wide": 7, "count": 3},
        smallest={"count": 0},
        inputs={
            "pixel_values": Floats("N C rows*high columns*wide", scale=3.0),
            "weights": "N rows*columns",
            "chosen": Integers("count", 0, 2),  # as many as patches are covered
            "places": Integers("rows columns", 0, 2),  # of the shape of the grid
        },
        returns={"covered": "N C rows*high columns*wide"},
        call=Probe(covered),
        more=MORE,
        only=(*CASES, *MORE),  # of equal weights any may be taken for the largest
        differentiable=False,
    ),
    **{"values": 1.75, "sizes": 1.75, "kind": 0.75, "care": 0.75},
)


@probe
def result_of(answers: Any, images: Any, weights: Any, count: int, grid: Any) -> dict[str, Any]:
    return {"covered": answers.cover(images, weights, count, tuple(grid.tolist()))}


GRID = (4, 3)
IMAGES, WEIGHTS = numbers(1, 3, 2, 8, 15), numbers(2, 3, 12)
BELOW = WEIGHTS - WEIGHTS.amax(dim=1, keepdim=True)  # the largest is 0, a weight like others
RANKS = WEIGHTS.argsort().argsort()
GIVEN = {
    "usual": (IMAGES + 5, BELOW),
    "small images": (1e-3 * IMAGES, WEIGHTS),
    "large images": (1e4 * IMAGES, WEIGHTS),
    "close weights": (IMAGES, 1 + 1e-5 * RANKS),
    "closer weights": (IMAGES.double(), 1 + 1e-11 * RANKS.double()),
    "large weights": (IMAGES, 1e3 * WEIGHTS),
    "half precision": (IMAGES.half(), WEIGHTS.half()),
    "double precision": (IMAGES.double(), WEIGHTS),
    "half of the images": (IMAGES.half(), WEIGHTS),
    "closer weights than images": (IMAGES.half(), 1 + 1e-5 * RANKS),
}


def _picture(student: Student, images: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    grid = sizes_of(*GRID)
    reply = student.run(result_of, images=images, weights=weights, count=5, grid=grid)
    expect_shape(reply, "covered", images=3, channels=2, height=8, width=15)
    found = reply.tensor("covered")
    expect(found.dtype == images.dtype, sentences.dtype("covered", found.dtype, images.dtype))
    return found


@values
@points(1, text="All other pixels stay exactly as they are")
def check_only_the_chosen_patches_change(student: Student) -> None:
    """The patches of the largest weights are 0 in every channel, all other pixels as before."""
    for images, weights in GIVEN.values():
        found = _picture(student, images, weights)
        for picture, image, row in zip(found, images, weights.tolist(), strict=True):
            for patch, weight in enumerate(row):
                line, column = divmod(patch, 3)
                down, right = slice(2 * line, 2 * line + 2), slice(5 * column, 5 * column + 5)
                if sum(other > weight for other in row) < 5:
                    expect(not picture[:, down, right].any(), wording.NOT_COVERED)
                else:
                    same = torch.equal(picture[:, down, right], image[:, down, right])
                    expect(same, wording.OTHERS_CHANGED)

"""Checks of `attention_distance(attentions, patch_size, grid)`: how far each head looks."""

from __future__ import annotations

from collections.abc import Sequence
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
from .attentions import attentions, with_little_for_patches, with_other_class_token


def measured(attention_distance: Any, attentions: Any, side: Any, places: Any) -> Any:
    return attention_distance(tuple(attentions), len(side), tuple(places.shape))


battery = Battery(
    Domain(
        answer="attention_distance",
        sizes={"layers": 3, "B": 5, "heads": 4, "rows": 2, "columns": 6, "P": 10},
        inputs={
            "attentions": Weights("layers B heads 1+rows*columns 1+rows*columns", first=False),
            "side": Integers("P", 0, 2),  # as long as a patch is wide
            "places": Integers("rows columns", 0, 2),  # of the shape of the grid
        },
        returns={"distances": "layers heads"},
        call=Probe(measured),
        more={
            "for an upright grid": {"rows": 6, "columns": 2},
            # of a square number of patches
            "for a long grid": {"layers": 1, "rows": 2, "columns": 8},
            "for one head": {"heads": 1},
            "for a large grid": {"layers": 1, "rows": 7, "columns": 6},
            "for large patches": {"layers": 1, "rows": 2, "columns": 9, "P": 301},
        },
        differentiable=False,
        atol=1e-3,
    ),
    **{"values": 1.5, "sizes": 2.5, "extremes": 1, "kind": 1, "care": 1},
)


@probe
def distances_of(answers: Any, layers: Any, patch_size: int, grid: Any) -> dict[str, Any]:
    found = answers.attention_distance(tuple(layers.unbind()), patch_size, tuple(grid.tolist()))
    return {"distances": found}


def _distances(student: Student, layers: torch.Tensor, patch: int = 5) -> torch.Tensor:
    reply = student.run(distances_of, layers=layers, patch_size=patch, grid=sizes_of(2, 4))
    return expect_floats(reply, "distances", layers=3, heads=4)


def _looking_at(columns: Sequence[int]) -> torch.Tensor:
    """Attention of 3 layers, 2 images and 4 heads: each patch of a row looks at one column's."""
    places = [0, *(1 + 4 * row + column for row in range(2) for column in columns)]
    return torch.eye(9)[places].expand(3, 2, 4, 9, 9).contiguous()


def _varied(distances: torch.Tensor) -> bool:
    """Whether heads that look elsewhere look differently far."""
    return bool(distances.amax() - distances.amin() > 1e-3)


@points(1.5, text="The class token has no place, so it is left out")
def check_the_class_token_is_left_out(student: Student) -> None:
    """The weights to and from the class token change nothing."""
    layers = attentions(1, 3, 2, 4, 8)
    found = _distances(student, layers)
    second = _distances(student, with_other_class_token(layers, 9))
    expect(_varied(found), wording.ALL_ALIKE)
    expect(same(found, second, 1e-3) and bool((found > 0).all()), wording.CLASS_TOKEN_MATTERS)
    second = _distances(student, with_little_for_patches(layers))
    expect(same(found, second, 2e-3), wording.LITTLE_MATTERS)


@values
@points(0.75, text="mean distances in pixels")
def check_distances_are_in_pixels(student: Student) -> None:
    """Patches of twice the size are twice as far apart."""
    layers = attentions(2, 3, 2, 4, 8)
    found, doubled = _distances(student, layers), _distances(student, layers, 10)
    expect(_varied(found), wording.ALL_ALIKE)
    others = _distances(student, attentions(3, 3, 2, 4, 8))
    expect(not same(found, others, 1e-3), wording.NO_ATTENTION)
    near, far = (_distances(student, _looking_at(row)) for row in ((1, 0, 3, 2), (3, 2, 1, 0)))
    expect(not same(near, far, 1e-3), wording.ALL_ALIKE)
    expect(same(2 * found, doubled, 1e-3) and bool((found > 0).all()), wording.NOT_IN_PIXELS)


@points(0.75, text="The distance of two patches is the straight line between their middles")
def check_a_look_at_oneself_goes_nowhere(student: Student) -> None:
    """Heads whose patches look only at themselves look 0 pixels far."""
    itself = torch.eye(9).expand(3, 2, 4, 9, 9).contiguous()
    expect(_distances(student, itself).abs().max() < 1e-3, wording.NOT_ZERO)

"""Where a tensor is wrong: a small picture, and the same in words."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from autograder.results.model import ErrorMap

FIELD = 0.9  # of the room that a field has: the rest is the gap to the next
GAP = 0.5  # between matrices of a batch


@dataclass(frozen=True)
class Drawing:
    """An SVG picture, in units of one field.

    Attributes:
        pixels: width of a field on the screen.
        paths: outline of all fields of each level, mildest first.
    """

    width: float
    height: float
    pixels: int
    paths: list[str]


def drawing(error_map: ErrorMap) -> Drawing:
    """The fields of the map; where each of them is one number, a gap after every matrix."""
    levels, shape = error_map.levels, error_map.shape
    rows, columns = len(levels), len(levels[0])
    whole = len(shape) > 2 and rows == prod(shape[:-1])
    matrix = shape[-2] if whole else rows
    tops = [row + GAP * (row // matrix) for row in range(rows)]
    paths = ["", "", "", "", ""]
    for top, fields in zip(tops, levels, strict=True):
        for left, level in enumerate(fields):
            paths[level] += f"M{left} {top:g}h{FIELD}v{FIELD}h-{FIELD}z"
    pixels = 18 if columns <= 8 else 14 if columns <= 16 else 10
    return Drawing(columns - 1 + FIELD, tops[-1] + FIELD, pixels, paths)


def where_wrong(error_map: ErrorMap) -> str:
    """Where the errors are, for those who do not see the picture and those who do."""
    levels = error_map.levels
    rows, columns = len(levels), len(levels[0]) if levels else 0
    wrong = {(r, c) for r, row in enumerate(levels) for c, level in enumerate(row) if level}
    if len(wrong) == rows * columns:
        return "wrong everywhere"
    if _is_square(error_map) and all(c > r % columns for r, c in wrong):
        return "wrong above the diagonal only"
    if _is_square(error_map) and all(c < r % columns for r, c in wrong):
        return "wrong below the diagonal only"
    for name, found, most, all_of_them in (
        ("columns", {c for _, c in wrong}, columns, error_map.shape[-1:]),
        ("rows", {r for r, _ in wrong}, rows, [prod(error_map.shape[:-1])]),
    ):
        if place := _place(sorted(found), most, drawn_one_by_one=[most] == all_of_them):
            return f"wrong in the {place} {name} only"
    return f"wrong in {len(wrong)} of the {rows * columns} fields of the picture"


def _is_square(error_map: ErrorMap) -> bool:
    """Whether the picture shows whole square matrices, each field one number."""
    shape, levels = error_map.shape, error_map.levels
    return (
        len(shape) > 1
        and 1 < shape[-1] == shape[-2]
        and (len(levels), len(levels[0])) == (prod(shape[:-1]), shape[-1])
    )


def _place(found: list[int], most: int, *, drawn_one_by_one: bool) -> str:
    """Which of `most` rows or columns these are, if there is a word for it."""
    if len(found) == most or not found:
        return ""
    if found == list(range(len(found))):
        return "first"
    if found == list(range(most - len(found), most)):
        return "last"
    for start, word in enumerate(("even", "odd")):
        if drawn_one_by_one and found == list(range(start, most, 2)):
            return f"{word} (counted from 0)"
    return ""

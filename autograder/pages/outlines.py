"""How long the outline of a shape is at most, and how large the box that it lies in.

A curve is within the box of its control points, and no longer than the line that joins them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

NUMBER = r"[-+]?+(?:\d++(?:\.\d*+)?+|\.\d++)(?:e[-+]?+\d++)?+"
SIZE = re.compile(rf"\s*+({NUMBER})(px|pt|in|cm|mm|%|)\s*+", re.IGNORECASE | re.ASCII)
_PIXELS = {"": 1.0, "px": 1.0, "pt": 96 / 72, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4}
_WORD = re.compile(rf"[a-df-z]|{NUMBER}", re.IGNORECASE | re.ASCII)
_GIVEN = {"m": 2, "l": 2, "t": 2, "h": 1, "v": 1, "c": 6, "s": 4, "q": 4, "a": 7, "z": 0}
_CIRCLE = 6.3  # radii around


@dataclass(frozen=True)
class Outline:
    """That of a shape, in its own units.

    Attributes:
        area: of the box around it.
        pieces: lines and curves that it is made of.
    """

    length: float
    area: float
    pieces: int


def size_of(text: str, whole: float) -> float:
    """A size in pixels; `whole` is what per cent are of. 0 for what is no size."""
    found = SIZE.fullmatch(text)
    if not found:
        return 0.0
    unit = found[2].lower()
    return float(found[1]) * (whole / 100 if unit == "%" else _PIXELS[unit])


def outline(shape: str, given: Mapping[str, str], whole: float) -> Outline | None:
    """The outline of an element of the name `shape`; None for one that is no shape."""
    if shape == "path":
        return _joined(list(_points(given.get("d", ""))))
    if shape in ("polyline", "polygon"):
        return _joined(list(_points("M" + given.get("points", "") + "Z")))

    def size(name: str) -> float:
        return size_of(given.get(name, ""), whole)

    if shape == "line":
        return _joined([complex(size("x1"), size("y1")), complex(size("x2"), size("y2"))])
    if shape in ("circle", "ellipse"):
        radii = abs(size("r")) + abs(size("rx")) + abs(size("ry"))
        return Outline(_CIRCLE * radii, 4 * radii**2, 4)
    width, height = abs(size("width")), abs(size("height"))
    if shape == "image":
        return Outline(0.0, width * height or float("inf"), 1)  # without a size it has its own
    return Outline(2 * (width + height), width * height, 4) if shape == "rect" else None


def _joined(points: list[complex]) -> Outline:
    if not points:
        return Outline(0.0, 0.0, 0)
    across, up = [point.real for point in points], [point.imag for point in points]
    length = sum(abs(to - start) for start, to in pairwise(points))
    return Outline(length, (max(across) - min(across)) * (max(up) - min(up)), len(points))


def _points(path: str) -> Iterator[complex]:
    """The points and control points of a path, up to where a browser would stop, or later."""
    here = start = before = 0j
    for command, numbers in _commands(path):
        kind = command.lower()
        made = _steps(kind, numbers, here, here if command.islower() else 0j, before)
        if kind == "z":
            made = [start]
        for point in made:
            before, here = here, point
            yield point
        if kind == "m":
            start = here


def _commands(path: str) -> Iterator[tuple[str, list[float]]]:
    """Each command with the numbers of one use of it."""
    command, numbers = "m", list[float]()
    for found in _WORD.finditer(path):
        word = found[0]
        if word.isalpha():
            command, numbers = word, []
            if word in "zZ":
                yield word, numbers
        else:
            numbers.append(float(word))
            if len(numbers) == _GIVEN.get(command.lower(), -1):
                yield command, numbers
                numbers = []


def _steps(
    kind: str, numbers: list[float], here: complex, origin: complex, before: complex
) -> list[complex]:
    """The points that a command goes to from `here`, by way of what holds its curve."""
    if kind == "h":
        return [complex(origin.real + numbers[0], here.imag)]
    if kind == "v":
        return [complex(here.real, origin.imag + numbers[0])]
    if kind == "a":
        end = origin + complex(*numbers[5:])
        reach = _reach(numbers[0], numbers[1], abs(end - here))
        return [here + reach, here - reach, end]
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    points = [origin + complex(x, y) for x, y in pairs]
    return [2 * here - before, *points] if kind in "st" else points


def _reach(rx: float, ry: float, chord: float) -> complex:
    """How far an arc may go; its radii grow until they reach its end."""
    small, large = sorted((abs(rx), abs(ry)))
    grown = 2 * large * max(1.0, chord / (2 * small)) if small else chord
    return complex(grown, grown)

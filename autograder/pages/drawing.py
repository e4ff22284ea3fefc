"""How much a browser has to do to draw a picture, in units of painting all of it once.

Theory of operation. The picture is walked as a browser draws it: what refers to a part leads there
each time. Whatever is visited costs something, so the walk ends when more has been found than is
allowed, even where parts lead to each other for ever. Sizes are bounds: of the box around a shape,
of the line through a curve's control points, of the longest that a transformation makes a length.

The figures are Chromium's, of a picture that fills a page of 960 by 1900 pixels, without a GPU: a
unit is half a millisecond of two cores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import hypot, prod, radians, tan
from xml.etree.ElementTree import Element

from autograder.pages.bitmaps import pixels
from autograder.pages.outlines import Outline, outline, size_of

MAX_WORK = 8_000.0  # of all pictures of a page: about four seconds
ELEMENT, PIECE, LETTER = 0.03, 0.002, 0.01
EDGES, STROKED_EDGES = 1.4, 0.4  # of an outline as long as the picture's side
MANY_PIECES, MOST_PIECES = 50, 8_000  # from which on its edges cost so much, and more
DASH, DASH_EDGES = 0.02, 10.0
LAYER, WHOLE_LAYER = 0.2, 20.0  # what is drawn apart, to be laid over the rest
CLIP = 2.0  # by anything but a rectangle
PAINTS = {"linearGradient": 3.0, "radialGradient": 10.0, "pattern": 80.0}
PIXELS = 100_000  # of a bitmap that is unpacked
LETTER_LENGTH, LETTER_PIECES = 8, 20  # of a letter's outline, in sizes

REFERENCE = re.compile(r"\s*+url\(\s*+[\"']?+#([^\"')\s]++)[\"']?+\s*+\)\s*+")
_COLOUR = re.compile(r"none|#(?:[\da-f]{3}){1,2}", re.IGNORECASE)
_STEP = re.compile(r"(matrix|translate|scale|rotate|skewX|skewY)\s*+\(([^()]*+)\)")
_BETWEEN = re.compile(r"[\s,]++")
_NOT_DRAWN = {"clipPath", "defs", "desc", "linearGradient", "pattern", "radialGradient", "title"}


@dataclass(frozen=True)
class _Around:
    """What an element has from those around it."""

    scale: float = 1.0
    fill: str = "black"
    stroke: str = "none"
    width: float = 1.0
    dashes: str = "none"
    letters: float = 16.0
    painted: bool = True  # and not a part of a clipping path


def name_of(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def href_of(element: Element) -> str:
    """What an element draws: the id of a part behind `#`, or a picture."""
    return next((v for k, v in element.attrib.items() if k.rpartition("}")[2] == "href"), "")


def declared(style: str) -> dict[str, str]:
    """The properties of a style."""
    found = (declaration.partition(":") for declaration in style.split(";"))
    return {name.strip().lower(): value.strip() for name, colon, value in found if colon}


class Drawing:
    """The work that a picture is, whose attributes have been reduced to known ones."""

    def __init__(self, root: Element) -> None:
        elements = list(root.iter())
        self._root = root
        self._parts = {element.get("id"): element for element in reversed(elements)}
        wide, high = _extent(root)
        self._whole = max(wide, high)
        self._side = min(wide, high)
        self._area = min(wide, 2 * high) * min(high, 2 * wide)  # of what is on a screen at a time
        self._parents = {child: element for element in elements for child in element}
        self._from_above: dict[Element, _Around] = {}
        self._outlines: dict[Element, Outline | None] = {}
        self._unpacked: set[str] = set()

    def work(self, most: float) -> float:
        """How many units; somewhat more than `most` where there are more."""
        waiting, found = [(self._root, _Around())], 0.0
        while waiting and found <= most:
            element, around = waiting.pop()
            given = _given(element)
            here = self._within(given, around)
            found += self._own(element, given, here)
            waiting += [(child, here) for child in element if name_of(child) not in _NOT_DRAWN]
            waiting += self._led_to(element, given, here)
        return found if found >= 0 else float("inf")  # not even a number

    def _within(self, given: dict[str, str], around: _Around) -> _Around:
        return replace(
            around,
            scale=around.scale * _stretch(given.get("transform", "")),
            fill=_paint(given.get("fill", ""), around.fill),
            stroke=_paint(given.get("stroke", ""), around.stroke),
            width=self._size(given, "stroke-width", around.width),
            dashes=given.get("stroke-dasharray", around.dashes),
            letters=self._size(given, "font-size", self._size(given, "font", around.letters)),
        )

    def _size(self, given: dict[str, str], name: str, otherwise: float) -> float:
        words = given.get(name, "").split() if name == "font" else [given.get(name, "")]
        sizes = [size_of(word.partition("/")[0], self._whole) for word in words]
        return max(sizes, default=0.0) or otherwise

    def _led_to(
        self, element: Element, given: dict[str, str], here: _Around
    ) -> Iterator[tuple[Element, _Around]]:
        """The parts that are drawn with an element."""
        if name_of(element) == "use":
            part = self._parts.get(href_of(element)[1:])
            if part is not None:
                yield part, here
        clip = self._referred(given.get("clip-path", ""))
        if clip is not None and not _is_rectangle(clip):
            yield clip, replace(self._above(clip), scale=here.scale, painted=False)
        paints = (here.fill, here.stroke) if self._outline(element) else ()
        for paint in map(self._referred, paints):
            if paint is not None:
                yield paint, replace(self._above(paint), scale=here.scale)

    def _above(self, part: Element) -> _Around:
        """What a part has from those that it stands in, wherever it is drawn."""
        if part not in self._from_above:
            parent = self._parents.get(part)
            above = _Around() if parent is None else self._above(parent)
            self._from_above[part] = self._within(_given(part), above)
        return self._from_above[part]

    def _referred(self, value: str) -> Element | None:
        found = REFERENCE.match(value)
        return self._parts.get(found[1]) if found else None

    def _own(self, element: Element, given: dict[str, str], here: _Around) -> float:
        """What an element costs, without what is in it or drawn with it."""
        found, name = ELEMENT, name_of(element)
        clip = self._referred(given.get("clip-path", ""))
        if clip is not None and not _is_rectangle(clip):
            found += CLIP * max(1, len(clip))
        if size_of(given.get("opacity", "1"), 1.0) < 1:
            found += LAYER + WHOLE_LAYER * self._share(element, here)
        if name == "image":
            found += self._unpacking(href_of(element))
            here = replace(here, fill="black", stroke="none")
        if name in ("text", "tspan"):
            letters = len(element.text or "") + sum(len(child.tail or "") for child in element)
            size = here.letters
            letter = Outline(LETTER_LENGTH * size, size * size, LETTER_PIECES)
            return found + letters * (LETTER + self._drawn(letter, here))
        shape = self._outline(element)
        return found + (self._drawn(shape, here) if shape else 0.0)

    def _drawn(self, shape: Outline, here: _Around) -> float:
        """What filling a shape and drawing its outline costs."""
        found = PIECE * shape.pieces
        crossing = min(1.0, shape.pieces / MANY_PIECES) * max(1.0, shape.pieces / MOST_PIECES)
        sides = shape.length * here.scale / self._side * crossing
        if not here.painted:
            return found + EDGES * sides
        if here.fill != "none":
            found += EDGES * sides + self._covered(shape.area, here.fill, here)
        if here.stroke != "none":
            ends = here.width * shape.pieces
            found += STROKED_EDGES * (sides + 3 * ends * here.scale / self._side)
            found += self._covered((shape.length + ends) * here.width, here.stroke, here)
            if here.dashes != "none":
                each = DASH + DASH_EDGES * here.width * here.scale / self._side
                found += each * shape.length / self._period(here.dashes)
        return found

    def _covered(self, area: float, paint: str, here: _Around) -> float:
        """What painting an area costs; of what lies outside the picture nothing is painted."""
        painted = self._referred(paint)
        times = PAINTS.get(name_of(painted), 1.0) if painted is not None else 1.0
        return times * min(1.0, area * here.scale**2 / self._area)

    def _period(self, dashes: str) -> float:
        sizes = [size_of(size, self._whole) for size in _BETWEEN.split(dashes.strip())]
        return max(2 * sum(sizes) / len(sizes), 1e-9)

    def _share(self, element: Element, here: _Around) -> float:
        """The share of the picture in which an element may draw."""
        if name_of(element) == "use":
            part = self._parts.get(href_of(element)[1:])
            if part is None:
                return 0.0
            element, here = part, self._within(_given(part), here)
        shape = self._outline(element)
        if shape is None:
            return 1.0
        reach = shape.area + (shape.length + here.width) * here.width
        return min(1.0, reach * here.scale**2 / self._area)

    def _outline(self, element: Element) -> Outline | None:
        if element not in self._outlines:
            self._outlines[element] = outline(name_of(element), element.attrib, self._whole)
        return self._outlines[element]

    def _unpacking(self, picture: str) -> float:
        if picture in self._unpacked:
            return 0.0
        self._unpacked.add(picture)
        return pixels(picture) / PIXELS


def _given(element: Element) -> dict[str, str]:
    """What an element says of itself, in its style or beside it."""
    return {**element.attrib, **declared(element.get("style", ""))}


def _paint(own: str, around: str) -> str:
    """That of an element; one that leads to a part, unless it is surely replaced by its own."""
    sure = _COLOUR.fullmatch(own) or REFERENCE.match(own) or not REFERENCE.match(around)
    return own if own and sure else around


def _is_rectangle(clip: Element) -> bool:
    """Whether a clipping path is a rectangle that stands upright."""
    plain = len(clip) == 1 and name_of(clip[0]) == "rect"
    return plain and not {"transform", "clip-path", "style", "rx", "ry"} & {
        *clip.attrib,
        *clip[0].attrib,
    }


def _extent(root: Element) -> tuple[float, float]:
    """Width and height of a picture in its own units."""
    box = [size_of(word, 0.0) for word in _BETWEEN.split(root.get("viewBox", "").strip())]
    if len(box) == 4 and min(box[2:]) > 0:
        return box[2], box[3]
    wide, high = size_of(root.get("width", ""), 0.0), size_of(root.get("height", ""), 0.0)
    return (wide if wide > 0 else 300.0), (high if high > 0 else 150.0)


def _stretch(transform: str) -> float:
    """How much longer a transformation makes a length at most."""
    return prod(_longer(kind, numbers) for kind, numbers in _STEP.findall(transform))


def _longer(kind: str, numbers: str) -> float:
    sizes = [size_of(word, 0.0) for word in _BETWEEN.split(numbers.strip())]
    if kind == "matrix" and len(sizes) == 6:
        a, b, c, d = sizes[:4]
        return (hypot(a + d, b - c) + hypot(a - d, b + c)) / 2  # the larger singular value
    if kind == "scale":
        return max(map(abs, sizes))
    return 1 + abs(tan(radians(sizes[0]))) if kind.startswith("skew") else 1.0

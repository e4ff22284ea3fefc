"""SVG pictures that a student's code drew, reduced to what plots have, and to what can be drawn.

A few lines of a picture may keep a browser busy for minutes: parts that draw each other a billion
times, a thousand layers of the picture's size, dashes without number. So only elements, attributes
and properties of style stay whose cost is known, and a picture that takes too much of the work that
its page may be (see `drawing`) is not shown.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, ParseError, register_namespace, tostring

from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]

from autograder.pages.bitmaps import PICTURE_URL, can_be_drawn
from autograder.pages.drawing import MAX_WORK, REFERENCE, Drawing, declared
from autograder.pages.markup import MAX_DEPTH
from autograder.pages.outlines import NUMBER, SIZE
from autograder.results.plain import encodable

MAX_TAGS = 400_000

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_TAGS = {
    f"{{{_SVG}}}{name}"
    for name in (
        *("g", "defs", "use", "clipPath", "pattern", "title", "desc", "image", "text", "tspan"),
        *("path", "rect", "circle", "ellipse", "line", "polyline", "polygon"),
        *("linearGradient", "radialGradient", "stop"),
    )
}
_HREFS = ("href", f"{{{_XLINK}}}href")
_HREF = re.compile(r"#[^\s]*|" + PICTURE_URL.pattern)

_NEXT = r"(?:\s*+,\s*+|\s++)"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.ASCII)


def _numbers(*many: int) -> str:
    return "(?:" + "|".join(f"{NUMBER}(?:{_NEXT}{NUMBER}){{{n - 1}}}" for n in many) + ")"


# What a browser would not understand it leaves out, and what is inherited counts: so each is exact.
_POSITIVE = rf"(?!\s*-){SIZE.pattern}"
_SIZE, _ANY_SIZE = _pattern(_POSITIVE), _pattern(SIZE.pattern)
_WORDS = _pattern(r"[\w\s#%.,'\"+-]*+")
_PAINT = _pattern(rf"(?:{REFERENCE.pattern})?(?:[\w\s#]*+|(?:rgb|hsl)a?\([\w\s%.,+/-]*+\))\s*+")
_STEP = (
    rf"(?:matrix\(\s*+{_numbers(6)}|(?:translate|scale)\(\s*+{_numbers(2, 1)}"
    rf"|rotate\(\s*+{_numbers(3, 1)}|skew[XY]\(\s*+{_numbers(1)})\s*+\)"
)
_ARC = rf"\s*+{_numbers(3)}{_NEXT}[01]{_NEXT}[01]{_NEXT}{_numbers(2)}"
_PROPERTIES = {
    **dict.fromkeys(("fill", "stroke", "clip-path", "color", "stop-color"), _PAINT),
    **dict.fromkeys(("opacity", "fill-opacity", "stroke-opacity", "stop-opacity"), _SIZE),
    **dict.fromkeys(("stroke-width", "font-size", "stroke-dashoffset"), _SIZE),
    "stroke-dasharray": _pattern(rf"none|{_POSITIVE}(?:(?:,|(?<=\s)){_POSITIVE})*"),
    "font": _pattern(r"(?:[a-z]++\s++|\d{3}\s++)*[\d.]++p[xt]\s[\w\s,'\"-]*+"),
    **dict.fromkeys(
        (
            *("fill-rule", "clip-rule", "stroke-linecap", "stroke-linejoin", "shape-rendering"),
            *("font-family", "font-style", "font-variant", "font-weight", "font-stretch"),
            *("text-anchor", "dominant-baseline", "display", "visibility", "image-rendering"),
        ),
        _WORDS,
    ),
}
_INHERITED = _pattern(r"inherit|unset|revert")  # as it is without such a word
_ATTRIBUTES = {
    **_PROPERTIES,
    **dict.fromkeys(("x", "y", "dx", "dy", "rotate", "version"), _WORDS),
    **dict.fromkeys(("width", "height", "r", "rx", "ry", "cx", "cy", "fx", "fy"), _ANY_SIZE),
    **dict.fromkeys(("x1", "y1", "x2", "y2", "offset"), _ANY_SIZE),
    **dict.fromkeys(("preserveAspectRatio", "gradientUnits", "patternUnits"), _WORDS),
    **dict.fromkeys(
        ("transform", "gradientTransform"), _pattern(rf"\s*+{_STEP}(?:{_NEXT}?+{_STEP})*\s*+")
    ),
    "points": _pattern(r"[\d\s.,e+-]*+"),
    "viewBox": _pattern(rf"\s*+{_numbers(4)}\s*+"),
    "id": re.compile(r"[\w.:-]++"),
    "d": _pattern(rf"\s*+(?:[b-df-z][\d\s.,e+-]*+|a{_ARC}(?:{_NEXT}?+{_ARC})*\s*+)*"),
}
register_namespace("", _SVG)
register_namespace("xlink", _XLINK)


class Pictures:
    """Those of a page, until they are more `work` than is left of what it may be."""

    def __init__(self, left: float = MAX_WORK) -> None:
        self.left = left

    def __call__(self, text: str) -> str | None:
        """The shapes and words of a picture; None when it is not one, or is too much work."""
        root = _reduced(text)
        if root is None:
            return None
        work = Drawing(root).work(self.left)
        if work > self.left:
            return None
        self.left -= work
        return tostring(root, encoding="unicode")


def _reduced(text: str) -> Element | None:
    """A picture of known parts alone."""
    if text.count("<") > MAX_TAGS:
        return None
    try:
        root: Element = fromstring(encodable(text))
    except (ParseError, DefusedXmlException, ValueError):
        return None
    if root.tag != f"{{{_SVG}}}svg":
        return None
    level = [root]
    for depth in range(MAX_DEPTH):
        for element in level:
            kept = {name: _kept(name, value) for name, value in element.attrib.items()}
            element.attrib = {name: value for name, value in kept.items() if value}
            element[:] = [e for e in element if e.tag in _TAGS and depth < MAX_DEPTH - 1]
        level = [child for element in level for child in element]
    return root


def _kept(name: str, value: str) -> str:
    """What stays of an attribute, or nothing."""
    if name in _HREFS:
        fits = _HREF.fullmatch(value) and (value[0] == "#" or can_be_drawn(value))
    elif name == "style":
        known = ((n, v) for n, v in declared(value).items() if n in _PROPERTIES)
        return "; ".join(f"{n}: {v}" for n, v in known if _exactly(_PROPERTIES[n], v))
    else:
        fits = name in _ATTRIBUTES and _exactly(_ATTRIBUTES[name], value)
    return value if fits else ""


def _exactly(pattern: re.Pattern[str], value: str) -> bool:
    return pattern.fullmatch(value) is not None and not _INHERITED.search(value)

"""SVG pictures that a student's code drew, reduced to shapes and words, and to what can be drawn.

A picture may draw a part of itself again, by `use`, clipping or markers, and that part others, so
that a few lines are drawn a billion times, which stops the browser of whoever looks. So what is
drawn is counted first, parts within parts, and a picture with too much of it is not shown. Effects
that compute all pixels anew, one around the other, do the same in a few lines, and are left out.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, ParseError, register_namespace, tostring

from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]

from autograder.pages.bitmaps import PICTURE_URL, can_be_drawn
from autograder.pages.markup import MAX_DEPTH
from autograder.results.plain import encodable

MAX_DRAWN = 200_000  # elements, each as often as it is drawn
MAX_REFERENCES = 3  # parts within parts that a drawn part may lead to

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_TAGS = {
    f"{{{_SVG}}}{name}"
    for name in (
        *("svg", "g", "defs", "symbol", "use", "clipPath", "marker", "title", "desc", "image"),
        *("path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan"),
        *("linearGradient", "radialGradient", "stop"),
    )
}
_HREFS = ("href", f"{{{_XLINK}}}href")
_HREF = re.compile(r"#[^\s]*|" + PICTURE_URL.pattern)
_OUTSIDE_URL = re.compile(r"url\(\s*+[\"']?+\s*+[^#\s\"']", re.IGNORECASE)
_INSIDE_URL = re.compile(r"url\(\s*+[\"']?+\s*+#([^\"')]*+)", re.IGNORECASE)
_EFFECTS = re.compile(r"filter|blend|/\*", re.IGNORECASE)  # a comment may stand within a name
_MARKERS = re.compile(r"marker(?!-start|-end)")  # drawn at each point, of children too
register_namespace("", _SVG)
register_namespace("xlink", _XLINK)


def inert_svg(text: str) -> str | None:
    """The shapes and words of an SVG picture; None when it is not one, or draws too much."""
    if text.count("<") > 2 * MAX_DRAWN:
        return None
    try:
        root = fromstring(encodable(text))
    except (ParseError, DefusedXmlException, ValueError):
        return None
    if root.tag != f"{{{_SVG}}}svg":
        return None
    level: list[Element] = [root]
    for depth in range(MAX_DEPTH):
        for element in level:
            element.attrib = {k: v for k, v in element.attrib.items() if _kept(k, v)}
            element[:] = [e for e in element if e.tag in _TAGS and depth < MAX_DEPTH - 1]
        level = [child for element in level for child in element]
    return tostring(root, encoding="unicode") if _drawn(root) <= MAX_DRAWN else None


def _kept(name: str, value: str) -> bool:
    if name in _HREFS:
        return bool(_HREF.fullmatch(value)) and (value[0] == "#" or can_be_drawn(value))
    known = name.replace("-", "").isalnum() and not name.lower().startswith("on")
    if _EFFECTS.search(f"{name}:{value}" if name == "style" else name):
        return False
    return known and "\\" not in value and not _OUTSIDE_URL.search(value)


def _drawn(root: Element) -> float:
    """How many elements are drawn; infinite where parts lead to each other too deeply."""
    elements = list(root.iter())
    place = {element: n for n, element in enumerate(elements)}
    parents = {place[child]: place[element] for element in elements for child in element}
    parts = {element.get("id"): n for n, element in reversed(list(enumerate(elements)))}
    points = sum(len(e.get("d", "")) + len(e.get("points", "")) for e in elements) // 2
    leads = {
        n: [(parts[name], 1 + points * often) for name, often in found if name in parts]
        for n, element in enumerate(elements)
        if (found := _references(element))
    }
    before: list[int] = [0] * len(elements)
    for _ in range(MAX_REFERENCES + 2):
        counts = [1] * len(elements)
        for n in reversed(range(len(elements))):
            counts[n] += sum(before[part] * times for part, times in leads.get(n, ()))
            if n:
                counts[parents[n]] += counts[n]
        if counts == before:
            return counts[0]
        before = counts
    return float("inf")


def _references(element: Element) -> list[tuple[str, bool]]:
    """Ids of the parts that an element leads to, and whether they are drawn at each point."""
    found = []
    for name, value in element.attrib.items():
        if name in _HREFS and value.startswith("#"):
            found.append((value[1:], False))
        elif "url(" in value.lower():
            often = bool(_MARKERS.search(name) or (name == "style" and _MARKERS.search(value)))
            found += [(part, often) for part in _INSIDE_URL.findall(value)]
    return found

"""Text that a student wrote, made safe to show: HTML and the colours of terminal text.

HTML is cleaned by nh3, which parses as browsers do. No id, name, data- attribute or foreign class
survives, because formgrader's scripts find their own elements by these. Every function takes any
text, in time that grows little faster than its length: what would cost more is shown as it stands.
"""

from __future__ import annotations

import re
from html import escape

import nh3
from pygments.token import STANDARD_TYPES  # type: ignore[import-untyped]

from autograder.pages.bitmaps import PICTURE_URL, can_be_drawn
from autograder.results.plain import CONTROL, encodable

MAX_COLOURS = 2_000  # changes of colour in a text
MAX_COPIED = 1 << 26  # characters: nbconvert copies the rest of a text at each change of colour
MAX_DEPTH = 100  # of nested elements: the cost of parsing grows with its square
MAX_LOOSE_TAGS = 1_000  # of markup that is not well nested, whose depth nobody knows
MAX_LOOSE_WORDS = 10_000  # in it, which may all be attributes of one tag: the cost is squared
MAX_SIZE = 50  # in a unit that is larger than these
MAX_SIZES = {"": 2_000, "px": 2_000, "pt": 1_500, "%": 100}
MAX_SPAN = 1_000  # columns or rows of a table that one cell covers

_PICTURE_FILE = re.compile(r"\w[\w ./%-]*\.(png|jpe?g|gif|webp)", re.IGNORECASE)
_LINK = re.compile(r"(https?://|mailto:|#)[^\x00-\x20]*", re.IGNORECASE)

_TAG = re.compile(
    r"<(/?)([a-zA-Z][\w-]*+)"
    r"(?:\s++[\w:-]++(?:=(?:\"[^\"<]*+\"|'[^'<]*+'|[\w%#.-]++))?+){0,100}+\s*+/?>"
)
_WORD_BREAK = re.compile(r"[\s/\"']")
_DROPPED = ("script", "style")  # with all that is in them
_VOID = {"br", "col", "hr", "img", "input", "wbr"}
_ROWS = {"table", "thead", "tbody", "tfoot", "tr", "colgroup"}
_IN_ROWS = _ROWS | {"caption", "col", "td", "th"}  # else a parser looks for the place before it
_FUNCTIONS = re.compile(r"(?:[^(\\]|(?<=rgb)\(|(?<=rgba)\(|(?<=hsl)\(|(?<=hsla)\()*")

_SIZE = re.compile(
    r"(?<![#\w.])(?P<number>\d++(?:\.\d*+)?+|\.\d++)(?P<power>e[+-]?\d)?+(?P<unit>%|[a-z]*+)",
    re.IGNORECASE | re.ASCII,
)
_LETTERS = re.compile(  # sizes that do not grow where elements of this style lie in each other
    r"font-size\s*:\s*(?:\d{1,2}(?:\.\d+)?p[xt]|\d\d%|100%|0?\.\d+r?em|1r?em|small|medium|large)\s*(?:;|$)",
    re.IGNORECASE | re.ASCII,
)
_LETTERED = re.compile(r"font-size\s*:", re.IGNORECASE)

_STYLES = {
    *("background-color", "border", "border-collapse", "color", "font-family", "font-size"),
    *("font-style", "font-weight", "height", "padding", "text-align", "text-decoration"),
    *("vertical-align", "white-space", "width"),
}
_CLASSES = {
    **dict.fromkeys(("code", "span"), set(STANDARD_TYPES.values()) - {""}),
    "div": {"highlight"},
    "table": {"dataframe"},
}


def _kept_attribute(tag: str, name: str, value: str) -> str | None:
    """nh3 asks of every attribute: links lead out or stay on the page, pictures are pictures."""
    if (tag, name) == ("a", "href"):
        return value if _LINK.fullmatch(value) else None
    if (tag, name) == ("img", "src"):
        inside = PICTURE_URL.fullmatch(value) and can_be_drawn(value)
        beside = _PICTURE_FILE.fullmatch(value) and ".." not in value
        return value if inside or beside else None
    if name in ("colspan", "rowspan"):
        return value if value.isdecimal() and len(value) < 5 and int(value) <= MAX_SPAN else None
    if name == "style":
        return value if _FUNCTIONS.fullmatch(value) and _can_be_scrolled(value) else None
    if name in ("width", "height", "border"):
        return value if _can_be_scrolled(value) else None
    return value


def _can_be_scrolled(sizes: str) -> bool:
    """Whether none is so large that what stands below is out of reach, on screen or on paper."""
    if "/*" in sizes or len(_LETTERED.findall(sizes)) > len(_LETTERS.findall(sizes)):
        return False
    return not any(
        one["power"] or float(one["number"]) > MAX_SIZES.get(one["unit"].lower(), MAX_SIZE)
        for one in _SIZE.finditer(sizes)
    )


_CLEANER = nh3.Cleaner(
    tags=(nh3.ALLOWED_TAGS | {"tfoot"}) - {"area", "map"},
    attributes={
        "*": {"style", "title", "align", "dir"},
        "a": {"href"},
        "img": {"src", "alt", "width", "height"},
        "ol": {"start"},
        "table": {"border"},
        "td": {"colspan", "rowspan"},
        "th": {"colspan", "rowspan", "scope"},
        "details": {"open"},
    },
    attribute_filter=_kept_attribute,
    allowed_classes=_CLASSES,
    filter_style_properties=_STYLES,
    url_schemes={"http", "https", "mailto", "data"},
)


def clean_html(markup: object) -> str:
    """HTML without anything that runs, fetches, or could be taken for a part of the page."""
    text = encodable(str(markup))
    if text.count("<") > MAX_LOOSE_TAGS or _has_many_words(text):
        for name in _DROPPED:
            text = _without(name, text)
        if not _is_well_nested(text):
            return escape(text)
    return _CLEANER.clean(text)


def _has_many_words(markup: str) -> bool:
    """Whether a tag may have too many attributes, each of which stands behind one of these."""
    if len(markup) <= MAX_LOOSE_WORDS:
        return False
    return sum(1 for _ in _WORD_BREAK.finditer(markup)) > MAX_LOOSE_WORDS


def _without(name: str, markup: str) -> str:
    """`markup` without elements called `name`, as far as they are closed."""
    opening, closing = (re.compile(tag, re.I | re.A) for tag in (f"<{name}", f"</{name}>"))
    pieces, at = [], 0
    while start := opening.search(markup, at):
        end = closing.search(markup, start.end())
        if end is None:
            break
        pieces.append(markup[at : start.start()])
        at = end.end()
    return "".join([*pieces, markup[at:]])


def _is_well_nested(markup: str) -> bool:
    """Whether elements are closed, not loose between cells, and not too deep; with suspicion."""
    tags = _TAG.findall(markup)
    within: list[str] = []
    if len(tags) != markup.count("<"):
        return False
    tags = [(slash, name.lower()) for slash, name in tags]
    for slash, name in tags:
        if slash and (not within or within.pop() != name):
            return False
        if not slash and within and within[-1] in _ROWS and name not in _IN_ROWS:
            return False
        if not slash and name not in _VOID:
            within.append(name)
        if len(within) > MAX_DEPTH:
            return False
    return not within


_COLOUR = r"(?:(?![34]8)\d{1,3}|[34]8;5;\d{1,3}|[34]8;2;\d{1,3};\d{1,3};\d{1,3})"
_COLOURS = re.compile(rf"\x1b\[(?:{_COLOUR}(?:;{_COLOUR})*)?m")


def colours_only(text: str) -> str:
    """Terminal text whose only escape sequences set colours, at most MAX_COLOURS of them."""
    left = min(MAX_COLOURS, MAX_COPIED // (len(text) + 1))

    def kept(match: re.Match[str]) -> str:
        nonlocal left
        if not _COLOURS.fullmatch(match[0]):
            return match[0] if match[0] == "\r" else ""
        left -= 1
        return match[0] if left >= 0 else ""

    return CONTROL.sub(kept, encodable(text))

"""Text that a student wrote, made safe to show: HTML, Markdown, SVG and terminal text.

HTML is cleaned by nh3, which parses as browsers do. No id, name, data- attribute or foreign class
survives, because formgrader's scripts find their own elements by these. Every function takes any
text, in time that grows little faster than its length: what would cost more is shown as it stands.
"""

from __future__ import annotations

import re
import secrets
from html import escape
from typing import Protocol
from xml.etree.ElementTree import Element, ParseError, register_namespace, tostring

import nh3
from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments.token import STANDARD_TYPES  # type: ignore[import-untyped]

from autograder.results.plain import CONTROL, encodable

MAX_COLOURS = 2_000  # nbconvert copies the rest of a text at each change of colour
MAX_DEPTH = 100  # of nested elements: the cost of parsing grows with its square
MAX_LOOSE_TAGS = 1_000  # of markup that is not well nested, whose depth nobody knows
MAX_MARKDOWN = 200_000  # characters
MAX_FORMULAS = 200  # that begin with a backslash: the search for each one's end reads on

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")

_PICTURE_URL = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*")
_PICTURE_FILE = re.compile(r"\w[\w ./%-]*\.(png|jpe?g|gif|webp)", re.IGNORECASE)
_LINK = re.compile(r"(https?://|mailto:|#)[^\x00-\x20]*", re.IGNORECASE)

_TAG = re.compile(
    r"<(/?)([a-zA-Z][\w-]*)(?:\s+[\w:-]+(?:=(?:\"[^\"<]*\"|'[^'<]*'|[\w%#.-]+))?)*\s*/?>"
)
_VOID = {"br", "col", "hr", "img", "input", "wbr"}
_FUNCTIONS = re.compile(r"(?:[^(\\]|(?<=rgb)\(|(?<=rgba)\(|(?<=hsl)\(|(?<=hsla)\()*")

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
        inside = _PICTURE_URL.fullmatch(value)
        beside = _PICTURE_FILE.fullmatch(value) and ".." not in value
        return value if inside or beside else None
    if name == "style":
        return value if _FUNCTIONS.fullmatch(value) else None
    return value


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
    if text.count("<") > MAX_LOOSE_TAGS and not _is_well_nested(text):
        return escape(text)
    return _CLEANER.clean(text)


def _is_well_nested(markup: str) -> bool:
    """Whether every element is closed and lies at most MAX_DEPTH deep, judged with suspicion."""
    tags = _TAG.findall(markup)
    within: list[str] = []
    if len(tags) != markup.count("<"):
        return False
    for slash, name in tags:
        if slash and (not within or within.pop() != name):
            return False
        if not slash and name.lower() not in _VOID:
            within.append(name)
        if len(within) > MAX_DEPTH:
            return False
    return not within


_CLEAN_TAG = r'<[^<>"]*(?:"[^"]*"[^<>"]*)*>'  # as the cleaner writes them


class SetFormula(Protocol):
    """Makes HTML of a formula, given without its dollars; None leaves it as its LaTeX."""

    def __call__(self, latex: str, *, display: bool) -> str | None: ...


def _as_latex(latex: str, *, display: bool) -> None:
    return None


class _Renderer(IPythonRenderer):  # type: ignore[misc]
    """nbconvert's renderer, except for attachments and formulas.

    A missing or odd attachment shows its alternative text. A formula that was set waits outside of
    the markup, which gets a mark that nobody can guess in its place.
    """

    def __init__(self, attachments: dict[str, dict[str, str]], set_formula: SetFormula) -> None:
        super().__init__(escape=False, attachments=attachments, exclude_anchor_links=True)
        self._set_formula = set_formula
        self._mark = f"formula-{secrets.token_hex(8)}-"
        self._waiting: list[tuple[str, str]] = []

    def image(self, text: str, url: str, title: str | None = None) -> str:
        if url.startswith("attachment:"):
            pictures = self.attachments.get(url.removeprefix("attachment:"), {})
            found = next((mime for mime in PICTURES if mime in pictures), None)
            url = f"data:{found};base64,{pictures[found]}" if found else ""
        return str(super().image(text, url, title))

    def inline_math(self, body: str) -> str:
        return self._marked(body, super().inline_math(body), display=False)

    def block_math(self, body: str) -> str:
        return self._marked(body, super().block_math(body), display=True)

    def latex_environment(self, name: str, body: str) -> str:
        latex = f"\\begin{{{name}}}{body}\\end{{{name}}}"
        return self._marked(latex, super().latex_environment(name, body), display=True)

    def _marked(self, latex: str, as_it_is: str, *, display: bool) -> str:
        made = self._set_formula(latex, display=display)
        if made is None:
            return as_it_is
        self._waiting.append((made, escape(latex)))
        return f"{self._mark}{len(self._waiting) - 1}-"

    def with_formulas(self, cleaned: str) -> str:
        """`cleaned` with its formulas; where one stands in an attribute, its LaTeX."""
        if not self._waiting:
            return cleaned
        mark = re.compile(rf"{self._mark}(\d+)-")

        def filled(match: re.Match[str]) -> str:
            if match[1] is not None:
                return self._waiting[int(match[1])][0]
            return mark.sub(lambda found: self._waiting[int(found[1])][1], match[0])

        return re.sub(rf"{mark.pattern}|{_CLEAN_TAG}", filled, cleaned)


def markdown_to_html(
    source: str,
    attachments: dict[str, dict[str, str]],
    set_formula: SetFormula = _as_latex,
) -> str:
    """Markdown as inert HTML; formulas stay as their LaTeX, unknown attachments as their text."""
    formulas = sum(source.count(opening) for opening in (r"\begin{", r"\\[", r"\\("))
    if len(source) > MAX_MARKDOWN or formulas > MAX_FORMULAS:
        return f"<pre>{escape(encodable(source))}</pre>"
    renderer = _Renderer(attachments, set_formula)
    made = MarkdownWithMath(renderer=renderer).render(encodable(source))
    return renderer.with_formulas(clean_html(made))


_COLOUR = r"(?:(?![34]8)\d{1,3}|[34]8;5;\d{1,3}|[34]8;2;\d{1,3};\d{1,3};\d{1,3})"
_COLOURS = re.compile(rf"\x1b\[(?:{_COLOUR}(?:;{_COLOUR})*)?m")


def colours_only(text: str) -> str:
    """Terminal text whose only escape sequences set colours, at most MAX_COLOURS of them."""
    left = MAX_COLOURS

    def kept(match: re.Match[str]) -> str:
        nonlocal left
        if not _COLOURS.fullmatch(match[0]):
            return match[0] if match[0] == "\r" else ""
        left -= 1
        return match[0] if left >= 0 else ""

    return CONTROL.sub(kept, encodable(text))


_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_SVG_TAGS = {
    f"{{{_SVG}}}{name}"
    for name in (
        *("svg", "g", "defs", "symbol", "use", "clipPath", "marker", "title", "desc", "image"),
        *("path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan"),
        *("linearGradient", "radialGradient", "stop"),
    )
}
_SVG_HREF = re.compile(r"#[^\s]*|" + _PICTURE_URL.pattern)
_OUTSIDE_URL = re.compile(r"url\(\s*[\"']?\s*[^#\s\"']", re.IGNORECASE)
register_namespace("", _SVG)
register_namespace("xlink", _XLINK)


def inert_svg(text: str) -> str | None:
    """The shapes and words of an SVG picture, or None when it is not one."""
    try:
        root = fromstring(encodable(text))
    except (ParseError, DefusedXmlException, ValueError):
        return None
    if root.tag != f"{{{_SVG}}}svg":
        return None
    level: list[Element] = [root]
    for depth in range(MAX_DEPTH):
        for element in level:
            element.attrib = {k: v for k, v in element.attrib.items() if _kept_in_svg(k, v)}
            element[:] = [e for e in element if e.tag in _SVG_TAGS and depth < MAX_DEPTH - 1]
        level = [child for element in level for child in element]
    return tostring(root, encoding="unicode")


def _kept_in_svg(name: str, value: str) -> bool:
    if name in ("href", f"{{{_XLINK}}}href"):
        return _SVG_HREF.fullmatch(value) is not None
    known = name.replace("-", "").isalnum() and not name.lower().startswith("on")
    return known and "\\" not in value and not _OUTSIDE_URL.search(value)

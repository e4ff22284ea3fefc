"""Formulas as MathML, which a browser sets without any script.

A formula is a student's text like any other. What the converter makes of it is rebuilt from known
elements and attributes and written anew: its text is escaped, it leads nowhere, and no space in it
is wider than a line.
"""

from __future__ import annotations

import re
from html import unescape
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import Converter

from autograder.pages.typesetter import MAX_FORMULA_CHARS
from autograder.results.plain import plain

MAX_FORMULA = 2_000  # characters of one formula
MAX_DEPTH = 60  # of nested elements

_TAGS = {
    *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle"),
    *("msub", "msup", "msubsup", "munder", "mover", "munderover", "mtable", "mtr", "mtd"),
    *("mpadded", "mphantom", "menclose"),
}
_ATTRIBUTES = {
    *("display", "displaystyle", "scriptlevel", "form", "fence", "separator", "stretchy"),
    *("symmetric", "largeop", "movablelimits", "accent", "accentunder", "linethickness"),
    *("minsize", "maxsize", "width", "lspace", "rspace", "columnalign", "notation"),
}
_VALUE = re.compile(r"-?\d{0,2}(\.\d{1,3})?(em|ex|px|pt)?|[a-z]+( [a-z]+){0,20}")
_ROW_SPACE = re.compile(r"\\\\\s*\[-?[\d.]+\s*[a-z]{2}\]")  # which the converter would print
_DEFINITION = re.compile(r"\\(newcommand|def)(?![a-zA-Z])")  # a few of these can fill the memory


class Formulas:
    """Sets the formulas of one page, as far as its budget goes.

    Attributes:
        left: characters of the budget that are left.
    """

    def __init__(self, left: int = MAX_FORMULA_CHARS) -> None:
        self.left = left

    def __call__(self, latex: str, *, display: bool) -> str | None:
        """A formula, given without its dollars, as HTML; None when it is to stay as it is."""
        self.left -= len(latex)
        if len(latex) > MAX_FORMULA or self.left < 0 or _DEFINITION.search(latex):
            return None
        made = _mathml(_ROW_SPACE.sub(r"\\\\", latex), "block" if display else "inline")
        return f'<span class="formula" tabindex="0">{made}</span>' if made and display else made


def _mathml(latex: str, display: str) -> str | None:
    try:
        found = Converter(display=display).convert_to_element(latex)
    except Exception:  # errors of any kind are how the converter answers odd LaTeX
        return None
    made = _rebuilt(found, MAX_DEPTH)
    return None if made is None else tostring(made, encoding="unicode", short_empty_elements=False)


def _rebuilt(found: Element, depth: int) -> Element | None:
    """`found` from known parts only; None when it has others, or goes too deep."""
    if found.tag not in _TAGS or depth == 0:
        return None
    kept = {k: v for k, v in found.attrib.items() if k in _ATTRIBUTES and _VALUE.fullmatch(v)}
    made = Element(found.tag, kept)
    made.text = plain(unescape(found.text or ""))
    for child in found:
        part = _rebuilt(child, depth - 1)
        if part is None:
            return None
        made.append(part)
    return made

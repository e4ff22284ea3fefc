"""Markdown and terminal text of a student as inert HTML, by nbconvert's converters.

Apart from `pieces`, since loading nbconvert takes longer than most work on them does.
"""

from __future__ import annotations

import re
import secrets
from html import escape
from typing import Protocol

from nbconvert.filters.ansi import ansi2html
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autograder.pages.bitmaps import PICTURES
from autograder.pages.code import LANGUAGES, coloured
from autograder.pages.markup import clean_html, colours_only
from autograder.results.plain import encodable

MAX_MARKDOWN = 100_000  # characters
MAX_ATTACHED = 16 << 20  # characters of attached pictures, each as often as it is shown
MAX_BLANK = 1_000  # characters of white space in a row
MAX_FORMULAS = 200  # that begin with a backslash: the search for each one's end reads on

_CLEAN_TAG = r'<[^<>"]*(?:"[^"]*"[^<>"]*)*>'  # as the cleaner writes them
_COLOURS = re.compile(r"\x1b\[[\d;]*m")
_SHADE = re.compile(r"([34])8;(?:5;(\d+)|2;(\d+);(\d+);(\d+))")
_STEPS = (0, 95, 135, 175, 215, 255)  # of a channel, in the 256 colours of terminals
_GREY, _DULL = 7, 48


def terminal_to_html(text: str) -> str:
    """Terminal text as HTML, in the nearest colours that pages can show in both their schemes."""
    named = _COLOURS.sub(lambda escape: _SHADE.sub(_named, escape[0]), colours_only(text))
    return str(ansi2html(named))


def _named(shade: re.Match[str]) -> str:
    """One of the eight colours that have names, in place of one of 256 or of 24 bits."""
    layer, place, *channels = shade.groups()
    if place is None:
        return f"{layer}{_nearest([int(channel) for channel in channels])}"
    number = int(place)
    if number < 16:
        return f"{layer}{number % 8}"
    cube = number - 16
    levels = [_STEPS[cube // size % 6] for size in (36, 6, 1)] if number < 232 else [0, 0, 0]
    return f"{layer}{_nearest(levels)}"


def _nearest(levels: list[int]) -> int:
    """The number of the named colour that has the strongest of these red, green and blue."""
    if max(levels) - min(levels) < _DULL:
        return _GREY
    return sum(1 << place for place, level in enumerate(levels) if 3 * level > 2 * max(levels))


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
        self._attached = 0
        self._mark = f"formula-{secrets.token_hex(8)}-"
        self._waiting: list[tuple[str, str]] = []

    def image(self, text: str, url: str, title: str | None = None) -> str:
        if url.startswith("attachment:"):
            pictures = self.attachments.get(url.removeprefix("attachment:"), {})
            found = next((mime for mime in PICTURES if mime in pictures), None)
            url = f"data:{found};base64,{pictures[found]}" if found else ""
            self._attached += len(url)
            url = url if self._attached <= MAX_ATTACHED else ""
        return str(super().image(text, url, title))

    def block_code(self, code: str, info: str | None = None) -> str:
        language = (info or "").partition(" ")[0]
        if language not in LANGUAGES:
            return f"<pre><code>{escape(code)}</code></pre>\n"
        return f'<div class="highlight"><pre>{coloured(code, language)}</pre></div>\n'

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


_BLANK = re.compile(r"[ \t]++")


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
    text = _BLANK.sub(lambda run: run[0][:MAX_BLANK], encodable(source))
    made = MarkdownWithMath(renderer=renderer).render(text)
    return renderer.with_formulas(clean_html(made))

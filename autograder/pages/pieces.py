"""What the helper makes of a piece of a notebook: one output, one text.

Nothing here runs in the process that grades or records; `inert` and `feedback` ask for it there.
Arguments and results are what JSON can carry. Most texts and code of a class are the release's, and
the same on every page: what was made of the last of them is kept.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from typing import Any

from autograder.pages.bitmaps import PICTURES, can_be_drawn
from autograder.pages.code import coloured
from autograder.pages.formulas import Formulas
from autograder.pages.markup import clean_html, colours_only
from autograder.pages.svg import Pictures
from autograder.results import sentences

SHOWN = (*PICTURES, "image/svg+xml", "text/html", "text/latex", "text/markdown", "text/plain")

KEPT = 512  # pieces of each kind
KEPT_CHARACTERS = 10_000  # of a piece that is kept

_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
_HEADING = re.compile(r"<(/?)h([1-6])(?=[ >])")
_TABLE = re.compile(r"<table(?=[ >])")
_SCROLLED = '<div class="scroll" role="region" aria-label="Table" tabindex="0">'
_NO_HEADER = re.compile(r"<th(?=[ >])([^>]*)>\s*</th>")
_FIXED_WIDTH = re.compile(r"<pre(?=[ >])")
_PICTURE = re.compile(r'<img(?! [^>]*\balt=")')
_DOLLARS = re.compile(r"\s*(\$\$?)(.+?)\1\s*", re.DOTALL)


def output(found: Any, drawing_left: float) -> tuple[dict[str, Any] | None, float]:
    """An output of a known kind, rebuilt from the fields that are shown; None for another.

    And how much of a page's budget for drawing is then left.
    """
    pictures = Pictures(drawing_left)
    return _output(found, pictures), pictures.left


def _output(found: Any, pictures: Pictures) -> dict[str, Any] | None:
    kind = found.get("output_type") if isinstance(found, dict) else None
    if kind == "stream":
        name = "stderr" if found.get("name") == "stderr" else "stdout"
        return {"output_type": kind, "name": name, "text": colours_only(str(found.get("text")))}
    if kind == "error":
        return {
            "output_type": kind,
            "ename": colours_only(str(found.get("ename"))),
            "evalue": colours_only(str(found.get("evalue"))),
            "traceback": [colours_only(str(line)) for line in found.get("traceback") or []],
        }
    if kind not in ("display_data", "execute_result"):
        return None
    made = {
        "output_type": kind,
        "data": _data(found.get("data") or {}, pictures),
        "metadata": _picture_sizes(found.get("metadata")),
    }
    if kind == "execute_result":
        count = found.get("execution_count")
        made["execution_count"] = count if type(count) is int else None
    return made


def _data(data: dict[str, Any], pictures: Pictures) -> dict[str, str]:
    """One output's data by MIME type; Markdown becomes HTML, where there is none."""
    texts = {mime: data[mime] for mime in SHOWN if isinstance(data.get(mime), str)}
    made = {mime: texts[mime] for mime in PICTURES if is_picture(texts.get(mime))}
    for mime in ("text/plain", "text/latex"):
        if mime in texts:
            made[mime] = colours_only(texts[mime])
    if "text/html" in texts:
        made["text/html"] = clean_html(texts["text/html"])
    elif "text/markdown" in texts:
        from autograder.pages.texts import markdown_to_html

        made["text/html"] = markdown_to_html(texts["text/markdown"], {})
    picture = pictures(texts.get("image/svg+xml", ""))
    if picture is not None:
        made["image/svg+xml"] = picture
    if texts and not made:
        made["text/plain"] = sentences.not_shown()
    return made


def is_picture(text: object) -> bool:
    """Whether this is base64, as pictures are, of nothing that fills a browser's memory."""
    return isinstance(text, str) and bool(_BASE64.fullmatch(text)) and can_be_drawn(text)


def _picture_sizes(metadata: Any) -> dict[str, Any]:
    """Width and height of pictures: templates print them without quotes, so numbers only."""
    found = metadata if isinstance(metadata, dict) else {}
    return {
        mime: {k: v for k, v in sizes.items() if k in ("width", "height") and type(v) is int}
        for mime, sizes in found.items()
        if mime in PICTURES and isinstance(sizes, dict)
    }


def attachments(found: Any) -> dict[str, dict[str, str]]:
    """The pictures among a cell's attachments."""
    named = found.items() if isinstance(found, dict) else ()
    return {
        name: {mime: kept[mime] for mime in PICTURES if is_picture(kept.get(mime))}
        for name, kept in named
        if isinstance(kept, dict)
    }


def html(markup: str) -> str:
    """See `clean_html`."""
    return clean_html(markup)


def fitted(markup: str) -> str:
    """Cleaned HTML as a part of the feedback page."""
    return _fitted(clean_html(markup))


def markdown(source: str, attached: Any, fits: bool, formulas_left: int) -> tuple[str, int]:
    """Markdown as inert HTML, and how much of a page's budget for formulas is then left."""
    pictures = attachments(attached)
    if pictures or len(source) > KEPT_CHARACTERS:
        return _markdown(source, pictures, fits, formulas_left)
    return _kept_markdown(source, fits, formulas_left)


def _markdown(
    source: str, pictures: dict[str, dict[str, str]], fits: bool, formulas_left: int
) -> tuple[str, int]:
    from autograder.pages.texts import markdown_to_html

    formulas = Formulas(formulas_left)
    made = markdown_to_html(source, pictures, formulas)
    return _fitted(made) if fits else made, formulas.left


@lru_cache(KEPT)
def _kept_markdown(source: str, fits: bool, formulas_left: int) -> tuple[str, int]:
    return _markdown(source, {}, fits, formulas_left)


def latex(source: str, formulas_left: int) -> tuple[str, int]:
    """What a cell displays as LaTeX, usually between dollars; the budget as in `markdown`."""
    formulas = Formulas(formulas_left)
    bare = _DOLLARS.fullmatch(source)
    made = formulas(bare[2] if bare else source, display=True)
    return made or f"<pre>{escape(source)}</pre>", formulas.left


def terminal(text: str) -> str:
    """See `terminal_to_html`."""
    from autograder.pages.texts import terminal_to_html

    return terminal_to_html(text)


def code(source: str, language: str) -> str:
    """See `coloured`."""
    return (_kept_code if len(source) <= KEPT_CHARACTERS else coloured)(source, language)


_kept_code = lru_cache(KEPT)(coloured)


def _fitted(markup: str) -> str:
    """Cleaned HTML as a part of the feedback page.

    Headings go one level down, a table scrolls in a box of its own and has no empty headers, the
    keyboard reaches whatever may scroll, no picture lacks an `alt`.
    """
    lower = _HEADING.sub(lambda tag: f"<{tag[1]}h{min(int(tag[2]) + 1, 6)}", markup)
    boxed = _TABLE.sub(rf"{_SCROLLED}\g<0>", lower).replace("</table>", "</table></div>")
    headed = _NO_HEADER.sub(r"<td\1></td>", boxed)
    reached = _FIXED_WIDTH.sub('<pre tabindex="0"', headed)
    return _PICTURE.sub('<img alt=""', reached)

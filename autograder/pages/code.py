"""Code in the colours of its syntax, as far as that takes no longer for long code than for short.

Pygments tries patterns that read to the end of a line, or over all blank lines, at every place in
it. So code with a very long line, or with very many blank ones, is shown without colours.
"""

from __future__ import annotations

import re
from html import escape

from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]

MAX_CODE = 50_000  # characters of a piece of code
MAX_LINE = 400  # characters of one of its lines
MAX_BLANK = 100  # characters of white space in a row

LANGUAGES = frozenset(
    (
        *("python", "python3", "py", "py3", "pycon", "ipython", "ipython3", "text", "bash", "sh"),
        *("console", "json", "yaml", "toml", "ini", "diff", "latex", "tex", "html", "css", "sql"),
        *("javascript", "js", "c", "cpp", "c++", "java", "r", "julia", "rust", "go"),
    )
)
"""Those that a notebook of a course shows: many of the others are read very slowly."""

_WORDS = re.compile(r"\S++")


def coloured(source: str, language: str) -> str:
    """`source` as HTML, with the classes of Pygments where it can be read quickly."""
    if language not in LANGUAGES or not _is_quick(source):
        return escape(source)
    lexer = get_lexer_by_name(language, stripnl=False)
    return str(highlight(source, lexer, HtmlFormatter(nowrap=True)))


def _is_quick(source: str) -> bool:
    return (
        len(source) <= MAX_CODE
        and max(map(len, source.split("\n"))) <= MAX_LINE
        and max(map(len, _WORDS.split(source))) <= MAX_BLANK
    )

"""Text of strangers without what a terminal obeys, what turns it around, what no file can hold."""

from __future__ import annotations

import re

# Escape sequences whole, as far as they go; characters that show nothing but a tab and a new line;
# the two that XML has no way to write; and those by which what follows reads in another order.
CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]?"  # colours, cursor
    r"|\x1b[]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # titles, links
    r"|\x1b[ -/]*[0-~]?"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]"
    r"|[\u202a-\u202e\u2066-\u2069]"
)


def plain(text: str) -> str:
    """`text` without terminal escapes, what shows nothing or turns it, what no file can hold."""
    return CONTROL.sub("", encodable(text))


def one_line(text: str) -> str:
    """Plain text that cannot be taken for several lines."""
    return " ".join(plain(text).split())


def encodable(text: str) -> str:
    """`text` with lone surrogates, which no file can hold, shown as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")

"""Text of strangers without what a terminal obeys, and without what no file can hold."""

from __future__ import annotations

import logging
import re

# Escape sequences whole, as far as they go; characters that show nothing but a tab and a new line;
# and the two that XML has no way to write.
CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]?"  # colours, cursor
    r"|\x1b[]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # titles, links
    r"|\x1b[ -/]*[0-~]?"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]"
)
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # the direction of a text


def plain(text: str) -> str:
    """`text` without terminal escapes, control characters, and what no file can hold."""
    return CONTROL.sub("", encodable(text))


def straight(text: str) -> str:
    """Plain text that reads in its own order, and turns nothing around that follows it."""
    return TURNING.sub("", plain(text))


def one_line(text: str) -> str:
    """Straight text that cannot be taken for several lines."""
    return " ".join(straight(text).split())


def in_code(text: str, most: int) -> str:
    """At most so many characters of a text, as one piece of code within a sentence."""
    line = one_line(text).replace("`", "'")
    return f"`{line[:most]}{'…' * (len(line) > most)}`"


def encodable(text: str) -> str:
    """`text` with lone surrogates, which no file can hold, shown as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


class StraightLog(logging.Filter):
    """Makes the messages of a log straight."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = straight(record.getMessage()), ()
        return True

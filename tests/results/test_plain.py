"""What a terminal obeys, and what no file can hold, goes out of any text in the same way."""

from __future__ import annotations

from xml.etree.ElementTree import Element, fromstring, tostring

from autograder.pages.markup import colours_only
from autograder.results.plain import plain

HOSTILE = (
    "a\x1b[2Jb\x1b]0;title\x07c\x1b]8;;x\x1b\\d\x1b(Be\x1bcf\rg\x00h\x9bi\ud800j\ufffek\tl\nm\x1b"
)


def test_plain_text_has_no_escape_nor_control_character() -> None:
    assert plain(HOSTILE) == "abcdefghi?jk\tl\nm"


def test_terminal_text_and_plain_text_differ_by_colours_and_returns_alone() -> None:
    assert colours_only(f"\x1b[31m{HOSTILE}") == "\x1b[31mabcdef\rghi?jk\tl\nm"


def test_plain_text_is_encodable_and_xml() -> None:
    element = Element("a")
    element.text = plain("".join(map(chr, range(0x20000))))
    assert fromstring(tostring(element, encoding="utf-8")).text == element.text

"""What a terminal obeys, and what no file can hold, goes out of any text in the same way."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree.ElementTree import Element, fromstring, tostring

from autograder.pages.markup import colours_only
from autograder.results.formats.gradescope import as_gradescope
from autograder.results.model import SubmissionResult
from autograder.results.plain import one_line, plain, straight
from autograder.results.text import submission_text

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


def test_what_turns_a_text_around_goes_out_of_it() -> None:
    assert straight("ab\u202ecd\n\u2066ef\u2069") == "abcd\nef"
    assert one_line("ab\u202ecd\n\u2066ef\u2069") == "abcd ef"


def test_a_name_and_a_flag_of_a_student_are_one_line_each() -> None:
    """Else they could be read as the verdict on somebody else."""
    forged = "x\n\nsubmitted/demo-b/a.ipynb: a: 0 of 5 points"
    result = SubmissionResult("a", forged, "graded", 5, 5, "full", 0.1, [forged], [])
    ungraded = replace(result, status="ungraded", reason=forged)
    for one in (result, ungraded):
        lines = submission_text(one).splitlines()
        assert [line for line in lines if line.startswith("submitted/")] == []
    assert one_line(forged).startswith("x submitted/demo-b")
    shown = json.loads(as_gradescope([result]))["output"]
    assert [line for line in shown.splitlines() if line.startswith("submitted/")] == []

"""Texts and code that are the same on all pages of a class are made into HTML once."""

from __future__ import annotations

from typing import Any

import pytest

from autograder.pages import pieces, texts
from autograder.pages.pieces import KEPT_CHARACTERS

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/"
    "q842iQAAAABJRU5ErkJggg=="
)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were made into HTML."""
    seen: list[str] = []
    make = texts.markdown_to_html

    def noted(source: str, *arguments: Any) -> str:
        seen.append(source)
        return make(source, *arguments)

    monkeypatch.setattr(texts, "markdown_to_html", noted)
    return seen


def test_the_same_text_is_made_once_and_counts_on_every_page(made: list[str]) -> None:
    text = "given: $x^2$"
    first, second = (pieces.markdown(text, {}, True, 50) for _ in range(2))
    assert first == second
    assert made == [text]
    assert "<math" in first[0]
    assert first[1] < 50


def test_where_a_page_has_less_left_for_formulas_a_text_is_made_anew(made: list[str]) -> None:
    text = "given once more: $y^2$"
    assert "<math" in pieces.markdown(text, {}, True, 50)[0]
    assert "$y^2$" in pieces.markdown(text, {}, True, 0)[0]
    assert "<h2" in pieces.markdown("# title", {}, True, 50)[0]
    assert "<h1" in pieces.markdown("# title", {}, False, 50)[0]


def test_a_picture_stays_that_of_its_own_cell(made: list[str]) -> None:
    text = "![plot](attachment:p.png)"
    pages = [
        pieces.markdown(text, attached, True, 50)[0]
        for attached in ({}, {"p.png": {"image/png": PIXEL}}, {})
    ]
    assert [PIXEL in page for page in pages] == [False, True, False]
    assert made == [text] * 2


def test_long_texts_are_not_kept(made: list[str]) -> None:
    text = "word " * (KEPT_CHARACTERS // 5 + 1)
    for _ in range(2):
        pieces.markdown(text, {}, True, 50)
    assert made == [text] * 2
    before = pieces._kept_code.cache_info().currsize
    pieces.code("x = 1\n" * KEPT_CHARACTERS, "python")
    assert pieces._kept_code.cache_info().currsize == before

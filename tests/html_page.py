"""A page of the instructor's, read strictly."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "br", "wbr"}


class Page(HTMLParser):
    """A page's elements and text; refuses tags that do not nest."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.text += " "
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert "svg" in self.open
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for found, attributes in self.elements if found == tag]

    @property
    def said(self) -> str:
        return " ".join(self.text.split())


def expect_inert(page: Page) -> None:
    """Nothing in the page runs, or is fetched, and a policy forbids both."""
    assert page.all("script") == []
    assert page.all("img") == []
    assert not [name for _, found in page.elements for name in found if name.startswith("on")]
    (policy,) = (m for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    assert policy["content"].startswith("default-src 'none'")
    assert "script-src" not in policy["content"]
    assert "url(" not in page.source
    assert not [found for _, found in page.elements if "src" in found]


def expect_usable_without_sight(page: Page) -> None:
    """Landmarks, captions, scopes, ids and the words beside pictures are in place."""
    tags = [tag for tag, _ in page.elements]
    assert tags.count("main") == tags.count("header") == tags.count("footer") == 1
    assert tags.count("table") == tags.count("caption") > 0
    assert all(found.get("scope") in ("col", "row") for found in page.all("th"))
    ids = [found["id"] for _, found in page.elements if "id" in found]
    assert len(ids) == len(set(ids))
    for picture in page.all("svg"):
        assert picture["role"] == "img"
        assert picture.get("aria-label") or picture["aria-labelledby"] in ids
    for _, found in page.elements:
        for name in ("aria-labelledby", "aria-describedby"):
            assert found.get(name, ids[0]) in ids

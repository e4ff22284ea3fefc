"""How the feedback page shows in a real browser and on paper: headings, colours, widths."""

from __future__ import annotations

import html
import json
import re
import subprocess
from itertools import pairwise
from pathlib import Path

from browser import FLAGS, chromium, dump_dom
from feedback_pages import ATTENTION, ENCODER, SELF_ATTENTION, UNANSWERED, noisy_cells, page_of

from autograder.pages.feedback.exporter import rendered

HEADING = re.compile(r"<h([1-6])[ >]")


def test_headings_go_down_one_level_at_a_time_and_links_find_their_place(tmp_path: Path) -> None:
    page = page_of(tmp_path, ATTENTION, cells=tuple(noisy_cells()))
    shown = rendered(page)
    levels = [int(level) for level in HEADING.findall(shown)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    own = set(re.findall(r'href="#([\w-]+)"', shown))
    assert own
    assert own <= set(re.findall(r'id="([\w-]+)"', shown))
    assert all("alt=" in picture for picture in re.findall(r"<img[^>]*>", shown))


def _colours(css: str) -> list[dict[str, str]]:
    blocks = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in blocks]


def _luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_every_text_has_contrast_in_both_colour_schemes(tmp_path: Path) -> None:
    schemes = _colours(rendered(page_of(tmp_path)))
    assert len(schemes) == 2
    for colours in schemes:
        for text, ground in [
            *(
                (ink, card)
                for ink in ("ink", "quiet", "link")
                for card in ("paper", "card", "code")
            ),
            *((ink, "card") for ink in ("good", "bad", "part")),
            *((ink, f"{ink}-card") for ink in ("bad", "part")),
            *((ink, "code") for ink in ("keyword", "name", "string", "number", "comment")),
            *((ink, "paper") for ink in ("red", "green", "yellow", "blue", "magenta", "cyan")),
            *((ink, "bad-card") for ink in ("red", "green", "yellow", "blue", "magenta", "cyan")),
        ]:
            assert _contrast(colours[text], colours[ground]) >= 4.5, (text, ground)


MEASURE = """
addEventListener("load", () => {
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument, root = page.documentElement;
    const scrolling = [...page.querySelectorAll("body *")].filter(element =>
      element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
      && ["auto", "scroll"].includes(page.defaultView.getComputedStyle(element).overflowX));
    const stops = [...page.querySelectorAll("a[href], summary, [tabindex='0']")];
    frame.replaceWith(Object.assign(document.createElement("output"), {textContent: JSON.stringify({
      width: frame.clientWidth, needed: root.scrollWidth, first: stops[0].className,
      scripts: page.scripts.length, scrolling: scrolling.map(e => [e.className, e.tabIndex]),
    })}));
  }
});
"""


def test_nothing_overflows_the_page_on_a_phone_or_a_desktop(tmp_path: Path) -> None:
    cells = tuple(noisy_cells())
    page = rendered(page_of(tmp_path, ENCODER, ATTENTION, SELF_ATTENTION, UNANSWERED, cells=cells))
    frames = "".join(
        f'<iframe style="border:0;width:{width}px;height:900px" srcdoc="{html.escape(page)}">'
        "</iframe>"
        for width in (320, 390, 1100)
    )
    path = tmp_path / "frames.html"
    path.write_text(f"<!DOCTYPE html><body>{frames}<script>{MEASURE}</script></body>")
    dom = dump_dom(path.as_uri(), tmp_path / "profile")
    measured = [json.loads(html.unescape(m)) for m in re.findall(r"<output>(.*?)</output>", dom)]
    assert [found["width"] for found in measured] == [320, 390, 1100]
    for found in measured:
        assert found["needed"] <= found["width"], found
        assert found["first"] == "skip"
        assert found["scripts"] == 0
    wide = measured[-1]["scrolling"]
    assert {name for name, _ in wide} >= {"code", "output stdout", "scroll"}
    assert [name for name, stop in wide if stop != 0 and name not in ("formula", "prose")] == []


def test_the_page_prints(tmp_path: Path) -> None:
    path, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    path.write_text(rendered(page_of(tmp_path, ENCODER, ATTENTION, cells=tuple(noisy_cells()))))
    command = [chromium(), *FLAGS, f"--user-data-dir={tmp_path / 'profile'}"]
    command += [f"--print-to-pdf={printed}", "--no-pdf-header-footer", path.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    data = printed.read_bytes()
    assert data.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", data)) <= 8

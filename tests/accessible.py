"""What stands in the way of those who do not see a page, or have no mouse: axe-core is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

DESKTOP, PHONE = {"width": 1200, "height": 900}, {"width": 390, "height": 800}
WRONG_ONLY = {"resultTypes": ["violations"]}  # naming all that is right takes most of its time
STOPS_BETWEEN = 4  # of Chromium's own, as at what can be scrolled
UNFOLD = "document.querySelectorAll('details').forEach(part => { part.open = true; })"
GROUND = "getComputedStyle(document.body).backgroundColor"
ACTIVE = "a[href], button, input, select, textarea, summary, [tabindex='0']"
# Of what can be used with a mouse: how much there is, and how much of it the keyboard has reached.
REACHABLE = f"""() => {{
  const shown = part => part.checkVisibility({{visibilityProperty: true}}) && !part.disabled;
  window.wanted = new Set([...document.querySelectorAll({ACTIVE!r})].filter(shown));
  return window.wanted.size;
}}"""
REACHED = """() => {
  window.wanted.delete(document.activeElement);
  return window.wanted.size;
}"""


@contextmanager
def opened(browser: Browser, path: Path, scheme: str, size: dict[str, int]) -> Iterator[Page]:
    """The page at `path` in a light or dark `scheme`, with all of it unfolded."""
    context = browser.new_context(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(path.as_uri())
    page.evaluate(UNFOLD)
    yield page
    context.close()


def barriers(browser: Browser, path: Path) -> list[str]:
    """Everything that axe-core, and the keyboard, find wrong with the page at `path`."""
    with opened(browser, path, "light", DESKTOP) as page:
        light = page.evaluate(GROUND)
        found = [*violations(page), *unreached(page)]
    with opened(browser, path, "dark", PHONE) as page:
        dark = page.evaluate(GROUND)
        found += [f"in the dark, on a phone: {text}" for text in violations(page)]
    return found if dark != light else [*found, f"light and dark are both {light}"]


def violations(page: Page, within: str | None = None) -> list[str]:
    """What axe-core finds, by all of its rules, with the parts of the page where it does.

    `within`: a selector of what is looked at; else all of the page is.
    """
    return [
        f"{found['id']}: {node['html'][:200]} {node['any'][0]['message'] if node['any'] else ''}"
        for found in Axe().run(page, within, WRONG_ONLY).response["violations"]
        for node in found["nodes"]
    ]


def unreached(page: Page) -> list[str]:
    """What the Tab key does not come to, of all that a mouse can use."""
    stops = page.evaluate(REACHABLE)
    for _ in range(STOPS_BETWEEN * stops):
        page.keyboard.press("Tab")
        if not page.evaluate(REACHED):
            return []
    left = page.evaluate("[...window.wanted].map(part => part.outerHTML.slice(0, 120))")
    return [f"the keyboard does not reach {part}" for part in left]

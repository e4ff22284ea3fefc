"""Nothing that a student wrote is drawn over what stands beside it, on screen or on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Literal

import pytest
from browser import running_browser
from mini import nbgrader_cell
from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.server_extensions.formgrader import handlers
from PIL import Image, ImageChops, ImageStat
from playwright.sync_api import Page
from traitlets.config import Config

from autograder.course.configuration import SETTINGS
from autograder.pages.feedback.exporter import FeedbackExporter

OF_FORMGRADER = ("base_url", "mathjax_url", "my_prefix", "keyword", "prev", "next")
NAMES = ("submission_id", "notebook_id", "assignment_id", "student", "notebook", "assignment")
MEDIA: tuple[Literal["screen"], Literal["print"]] = ("screen", "print")
BOX = "background-color:#333;color:#333"
WORD = "M" * 9

Make = Callable[[NotebookNode], str]
Looks = dict[tuple[Make, str], list[Image.Image]]

COVERING = {
    "padding-of-a-line": f'<div style="height:0"><span style="{BOX};padding:2000px">x</span></div>',
    "padding-above-nothing": f'<span style="{BOX};padding:0 0 2000px 0">x</span>',
    "a-border": '<div style="height:0"><span style="border:900px solid #333">x</span></div>',
    "no-height": f'<div style="height:0"><div style="{BOX};height:900px">x</div></div>',
    "large-letters": f'<div style="height:1px;font-size:900px">{WORD}<br>{WORD}</div>',
    "a-table-without-height": f'<div style="height:0"><table style="{BOX}">'
    + "<tr><td>x</td></tr>" * 99
    + "</table></div>",
    "a-cell-of-no-height": f'<table style="height:0"><tr><td><div style="height:0">'
    f'<pre style="{BOX};height:900px">x</pre></div></td></tr></table>',
    "a-picture-without-height": '<div style="height:0"><img height="900" width="900" '
    'style="background-color:#333" alt="x"></div>',
    "raised": f'<div style="height:0;vertical-align:5000px">'
    f'<span style="{BOX};vertical-align:-300px;font-size:600px">{WORD}</span></div>',
    "negative-margin": f'<div style="margin:-900px 0;{BOX};height:900px">x</div>',
    "a-transform": f'<div style="transform:scale(50);{BOX}">x</div>',
    "a-place": f'<div style="position:fixed;top:0;left:0;width:100%;height:100%;{BOX}">x</div>',
    "a-float": f'<div style="float:left;{BOX};height:900px;width:4000px">x</div>',
    "lines-of-no-height": f'<div style="line-height:0;font-size:600px">{WORD}<br>{WORD}</div>',
    "an-open-details": f'<details open style="height:0"><p style="{BOX};height:900px">x',
    "closing-what-is-not-ones-own": f'</div></div></div></div><p style="height:0">'
    f'<span style="{BOX};padding:2000px">x</span></p>',
    "a-stylesheet": "<style>pre, div { display: none; }</style>x",
    "a-comment": "<!-- x",
    "svg": '<svg style="overflow:visible" height="1"><rect y="-900" width="4000" height="4000"/>'
    "</svg>",
    "mathml": '<math><mpadded height="0"><mspace height="2000px" mathbackground="#333"/></mpadded>'
    "</math>",
    "a-formula": r"$\rlap{\raise{900px}{x}}\hspace{-900px}\rule{2000px}{2000px}$",
    "accents": "x" + "\u0301\u0316" * 300 + ("x" + "\u0301\u0316" * 300) * 90,
}


def stream(text: str) -> NotebookNode:
    return new_output("stream", text=text)


def verdict(name: str) -> NotebookNode:
    cell = nbgrader_cell(name, "check()", grade=True, points=5.0)
    cell.outputs = [stream(f"REAL VERDICT of {name}\n" * 3)]
    return cell


def notebook(inside: NotebookNode) -> NotebookNode:
    between = [new_markdown_cell("before"), inside, new_markdown_cell("after")]
    return new_notebook(cells=[verdict("above"), *between, verdict("below")])


CELLS: dict[str, Callable[[str], NotebookNode]] = {
    "markdown": new_markdown_cell,
    "output": lambda text: new_code_cell(
        "x", outputs=[new_output("display_data", data={"text/html": text})]
    ),
    "output-in-markdown": lambda text: new_code_cell(
        "x", outputs=[new_output("display_data", data={"text/markdown": text})]
    ),
    "text": lambda text: new_code_cell("x", outputs=[stream(text)]),
    "code": new_code_cell,
}

WAYS = [
    *((kind, way) for kind in ("markdown", "output") for way in COVERING),
    *(("output-in-markdown", way) for way in ("padding-of-a-line", "no-height")),
    *((kind, "accents") for kind in ("text", "code")),
]


@cache
def exporter() -> HTMLExporter:
    """As formgrader has it; it compiles its templates once."""
    config = Config({"HTMLExporter": Config(SETTINGS["HTMLExporter"])})
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    return HTMLExporter(config=config)


def formgrader(found: NotebookNode) -> str:
    told = dict.fromkeys((*OF_FORMGRADER, *NAMES), "x") | {"index": 0, "total": 1}
    told |= {"last_name": None, "first_name": None}
    page, _ = exporter().from_notebook_node(found, {"metadata": {}, **told})
    static = Path(handlers.static_path)
    sheets = [*static.rglob("bootstrap.min.css"), static / "css" / "formgrade.css"]
    styles = "".join(path.read_text() for path in sheets)
    return str(page).replace("</head>", f"<style>{styles}</style></head>")


def feedback(found: NotebookNode) -> str:
    page, _ = FeedbackExporter().from_notebook_node(found, {"metadata": {}})
    return str(page)


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with running_browser() as browser:
        shown = browser.new_page(viewport={"width": 1200, "height": 1000})
        shown.route("http*://**", lambda route: route.abort())
        yield shown


@pytest.fixture(scope="module")
def as_ever() -> Looks:
    """What stands beside harmless cells, once it was looked at."""
    return {}


PLACES = """() => [...document.querySelectorAll("pre, p")]
  .filter(one => /REAL VERDICT|^(before|after)$/.test(one.textContent))
  .map(one => one.getBoundingClientRect())
  .map(box => [box.x + scrollX, box.y + scrollY, box.width, box.height].map(Math.round))"""


def neighbours(page: Page, path: Path, html: str) -> list[Image.Image]:
    """How what stands beside the student's cell looks, on screen and printed."""
    path.write_text(html)
    page.goto(path.as_uri())
    seen = []
    for media in MEDIA:
        page.emulate_media(media=media)
        whole = Image.open(BytesIO(page.screenshot(full_page=True))).convert("L")
        places = page.evaluate(PLACES)
        assert len(places) == 4
        seen += [
            whole.crop((x, y, x + min(width, 600), y + height)) for x, y, width, height in places
        ]
    return seen


def difference(one: Image.Image, other: Image.Image) -> float:
    """Of grey, on average; letters a fraction of a pixel lower make up a little."""
    return float(ImageStat.Stat(ImageChops.difference(one, other.resize(one.size))).mean[0])


@pytest.mark.parametrize("make", [formgrader, feedback])
@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_what_stands_beside_a_students_cell_looks_as_ever(
    page: Page, tmp_path: Path, as_ever: Looks, kind: str, way: str, make: Make
) -> None:
    path = tmp_path / "page.html"
    if (make, kind) not in as_ever:
        as_ever[make, kind] = neighbours(page, path, make(notebook(CELLS[kind]("x"))))
    now = neighbours(page, path, make(notebook(CELLS[kind](COVERING[way]))))
    assert max(map(difference, as_ever[make, kind], now)) < 8


TALL = {
    "a-height": '<p style="height:1000000000px">x</p>',
    "a-height-of-the-screen": '<div style="height:2000px"><p style="height:99999vh">x</p></div>',
    "a-height-of-its-own": '<div style="height:2000px"><div style="height:2000%">x</div></div>',
    "a-power": '<p style="padding:1e8px">x</p>',
    "letters": '<p style="font-size:99999px">M<br>M</p>',
    "letters-in-letters": '<div style="font-size:900%">' * 20 + "M<br>M" + "</div>" * 20,
    "a-picture": '<img height="1000000000" width="9" src="data:image/png;base64,aa" alt="x">',
    "a-border": '<table border="1000000000"><tr><td>x</td></tr></table>',
    "many": '<p style="height:2000px">x</p>' * 30,
}
HIGH = 30_000  # pixels, of a page with a cell as in COVERING


@pytest.mark.parametrize("make", [formgrader, feedback])
@pytest.mark.parametrize("way", TALL)
def test_what_stands_below_a_students_cell_can_be_reached(
    page: Page, tmp_path: Path, way: str, make: Make
) -> None:
    path = tmp_path / "page.html"
    path.write_text(make(notebook(new_markdown_cell(TALL[way]))))
    page.goto(path.as_uri())
    page.emulate_media(media="screen")
    assert page.evaluate("document.documentElement.scrollHeight") < HIGH

"""Cleaning what students write: nothing active is left, judged by a parser and by a browser."""

from __future__ import annotations

import base64
import html
import io
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from browser import dump_dom
from hostile_markup import HOSTILE, HOSTILE_MARKDOWN, LIVE, PIXEL, SVG, armed, findings, marks
from jinja2 import Environment
from matplotlib.figure import Figure
from nbconvert.filters import ansi2html
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
from PIL import Image
from spent import processor_seconds

from autograder.pages import markup, pieces, texts
from autograder.pages.formulas import MAX_FORMULA, MAX_FORMULA_CHARS, Formulas
from autograder.pages.inert import SanitizeOutputs, render_markdown
from autograder.pages.markup import clean_html, colours_only
from autograder.pages.svg import Pictures
from autograder.pages.texts import markdown_to_html
from autograder.results import sentences

FORMULAS = {
    "formula-link": r"$\href{javascript:{js}}{x}$",
    "formula-text": r"$\text{<img src=x onerror='{js}'>}$",
    "formula-entities": r"$$\text{&lt;img src=x onerror='{js}'&gt;}$$",
    "formula-colour": r"""$\color{red" onclick="{js}}{x}$""",
    "formula-style": r"$\style{background: url(javascript:{js})}{x} \class{btn}{y}$",
    "formula-as-alternative": r"""![$"><img src=x onerror='{js}'>$](a.png)""",
    "formula-as-title": r"""[x](a.png "$\text{<img src=x onerror='{js}'>}$")""",
    "formula-in-a-tag": r"""<b title="$x$" $y$ onclick="{js}">$z$</b>""",
    "formula-environment": r"\begin{align}<script>{js}</script>&\text{<b>}\end{align}",
}
HOSTILE_FORMULAS = {name: armed(payload, name) for name, payload in FORMULAS.items()}

CLICK_EVERY_SCRIPT = """
addEventListener("load", () => {
  for (const frame of document.querySelectorAll("iframe"))
    for (const link of frame.contentDocument.querySelectorAll("a")) {
      const url = link.href.animVal === undefined ? link.href : link.href.animVal;
      if (url.startsWith("javascript:")) link.dispatchEvent(new MouseEvent("click"));
    }
});
"""


@pytest.fixture
def what_ran(tmp_path: Path) -> Callable[[dict[str, str]], set[str]]:
    """Opens each piece of markup in a frame of one page, clicks on scripts, returns what ran."""

    def run(pieces: dict[str, str]) -> set[str]:
        frames = "".join(f'<iframe srcdoc="{html.escape(p)}"></iframe>' for p in pieces.values())
        page = tmp_path / f"{len(list(tmp_path.iterdir()))}.html"
        page.write_text(f"<body>{frames}<script>{CLICK_EVERY_SCRIPT}</script></body>")
        return marks(dump_dom(page.as_uri(), tmp_path / f"profile-{page.stem}"))

    return run


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_active_is_left_of_hostile_html(name: str) -> None:
    assert findings(clean_html(HOSTILE[name])) == []


@pytest.mark.parametrize("name", HOSTILE_MARKDOWN)
def test_nothing_active_is_left_of_hostile_markdown(name: str) -> None:
    attachments = {"a.png": {"text/html": "<script>1</script>", "image/svg+xml": "PHN2Zz4="}}
    assert findings(markdown_to_html(HOSTILE_MARKDOWN[name], attachments)) == []


@pytest.mark.parametrize("name", [*HOSTILE_MARKDOWN, *HOSTILE_FORMULAS])
def test_nothing_active_is_left_of_hostile_formulas(name: str) -> None:
    text = {**HOSTILE_MARKDOWN, **HOSTILE_FORMULAS}[name]
    assert set(findings(markdown_to_html(text, {}, Formulas()))) <= {"<math>"}


def test_a_browser_runs_the_hostile_html_and_not_what_is_left_of_it(
    what_ran: Callable[[dict[str, str]], set[str]],
) -> None:
    assert what_ran(HOSTILE) >= set(LIVE)
    cleaned = {name: clean_html(piece) for name, piece in HOSTILE.items()}
    rendered = {name: markdown_to_html(text, {}) for name, text in HOSTILE_MARKDOWN.items()}
    formulas = {
        name: markdown_to_html(text, {}, Formulas()) for name, text in HOSTILE_FORMULAS.items()
    }
    assert what_ran(cleaned | rendered | formulas) == set()


def test_formgrader_gets_formulas_that_need_no_script_within_one_budget_a_page() -> None:
    environment = Environment()
    environment.filters["markdown2html"] = render_markdown
    page = environment.from_string(
        "{% for cell in cells %}{% block one scoped %}{{ cell.source | markdown2html }}"
        "{% endblock %}{% endfor %}"
    )
    long = "$" + "x" * (MAX_FORMULA - 1) + "$ "
    sources = [r"$\frac{1}{2}$", long * (MAX_FORMULA_CHARS // MAX_FORMULA), long]
    shown = page.render(cells=[{"source": source} for source in sources], resources={})
    assert "<mfrac><mrow><mn>1</mn></mrow>" in shown
    assert shown.count("<math") == 1 + MAX_FORMULA_CHARS // MAX_FORMULA


def test_cleaning_twice_changes_nothing_more() -> None:
    for piece in HOSTILE.values():
        once = clean_html(piece)
        assert clean_html(once) == once


def test_long_markup_loses_its_styles_and_nothing_else() -> None:
    letters = "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}" * 9  # longer once they are lowered
    shown = "<b>x</b>" * 1001
    assert clean_html(f"{letters}<STYLE>p {{}}</style>{shown}") == letters + shown


def test_a_data_frame_keeps_its_table_and_its_colours() -> None:
    frame = pd.DataFrame({"loss": [0.5, 0.25], "step": [1, 2]})
    table = clean_html(frame.to_html())
    assert '<table border="1" class="dataframe">' in table
    assert "<td>0.25</td>" in table
    long = pd.concat([frame] * 400).style.format("<b>{:.2f}</b>").to_html()
    assert clean_html(long).count("<b>0.25</b>") == 400
    styled = clean_html('<td><b style="color: rgb(255, 0, 0); background-color: #eee">1</b></td>')
    assert "color:rgb(255, 0, 0)" in clean_html(f"<table><tr>{styled}</tr></table>") + styled


def test_pictures_code_tables_and_formulas_survive_in_markdown() -> None:
    text = (
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\ndef f(x): return x < 1\n```\n\n"
        "$x_{<t} \\in A & B$\n\n[paper](https://example.org/a?b=1) ![plot](attachment:p.png)"
    )
    page = markdown_to_html(text, {"p.png": {"image/png": PIXEL}})
    assert "<td>2</td>" in page
    assert '<span class="k">def</span>' in page
    assert "$x_{&lt;t} \\in A &amp; B$" in page
    assert 'href="https://example.org/a?b=1"' in page
    assert f'src="data:image/png;base64,{PIXEL}"' in page


def test_an_svg_plot_keeps_its_shapes_and_loses_what_is_active() -> None:
    picture = Pictures()(armed(SVG, "svg"))
    assert picture is not None
    assert '<rect id="s" width="20" height="10" fill="#aa0000" clip-path="url(#c)" />' in picture
    for word in ("script", "onload", "foreign", "127.0.0.1", "animate", "style", "href"):
        assert word not in picture.lower()


@pytest.mark.parametrize(
    "effect",
    [
        'filter="blur(200px)"',
        'style="fill: red; FILTER:blur(200px)"',
        'style="filter/**/:blur(200px)"',
        'style="backdrop-filter: blur(9px)"',
        'style="mix-blend-mode: screen"',
        'mix-blend-mode="screen"',
    ],
)
def test_effects_that_compute_all_pixels_anew_are_left_out_of_a_picture(effect: str) -> None:
    """Ten of them, one around the other, keep a browser busy for minutes."""
    drawing = f'<g {effect} id="kept"><rect width="9" height="9" style="fill: red"/></g>'
    kept = Pictures()(f'<svg xmlns="http://www.w3.org/2000/svg">{drawing}</svg>')
    assert kept is not None
    assert "fill: red" in kept
    assert 'id="kept"' in kept
    assert not re.search("filter|blend", kept, re.IGNORECASE)


def test_a_plot_of_matplotlib_as_svg_survives(tmp_path: Path) -> None:
    figure = Figure()
    axes = figure.subplots()
    axes.plot([1, 3, 2])
    axes.imshow([[1, 2], [3, 4]])
    figure.savefig(tmp_path / "plot.svg")
    drawn = (tmp_path / "plot.svg").read_text()
    kept = Pictures()(drawn)
    assert kept is not None
    for tag in ("<path", "<use", "<image", "<clipPath"):
        assert kept.count(tag) == drawn.count(tag) > 0


@pytest.mark.parametrize(
    "text",
    [
        "no xml",
        "<html/>",
        "<svg/>",
        '<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>',
    ],
)
def test_what_is_no_svg_picture_is_none(text: str) -> None:
    assert Pictures()(text) is None


def test_terminal_text_keeps_colours_and_nothing_else() -> None:
    link = "\x1b]8;;http://127.0.0.1:9/\x07here\x1b]8;;\x07"
    text = colours_only(f"\x1b[2J\x1b[0;31mred\x1b[0m {link}\x1b[1A\x1b[38m\x07\x1b(B\tend\n")
    assert text == "\x1b[0;31mred\x1b[0m here\tend\n"
    assert ansi2html(text) == '<span class="ansi-red-fg">red</span> here\tend\n'


def test_text_that_would_take_minutes_to_show_is_shown_plainly() -> None:
    assert processor_seconds(show_what_would_take_minutes) < 10
    assert clean_html("<b>x</b>" * 5_000).count("<b>") == 5_000
    assert "\x1b" not in colours_only("\x1b[1mx" * 5_000)[markup.MAX_COLOURS * 6 :]


def show_what_would_take_minutes() -> None:
    clean_html("<div>" * 500_000)
    clean_html('<div title="</div>">' * 100_000)
    clean_html("<div><marquee></div></marquee>" * 50_000)
    Pictures()('<svg xmlns="http://www.w3.org/2000/svg">' + "<g>" * 100_000 + "</g>" * 100_000)
    markdown_to_html("\\begin{a}" * 20_000, {})
    markdown_to_html("[" * 1_000_000, {})
    markdown_to_html("$" + "x_1+" * 400 + "$ $" + "x" * 100_000 + "$", {}, Formulas())
    markdown_to_html("$x+y$ " * 30_000, {}, Formulas())
    ansi2html(colours_only("\x1b[1mx" * 500_000))


def test_what_fills_a_browsers_memory_is_not_shown() -> None:
    file = io.BytesIO()
    Image.new("1", (20_000, 20_000)).save(file, "PNG")
    bomb = base64.b64encode(file.getvalue()).decode()
    assert len(bomb) < 100_000
    shown, _ = pieces.output(new_output("display_data", {"image/png": bomb}), 0)
    assert shown is not None
    assert shown["data"] == {"text/plain": sentences.not_shown()}
    assert "src" not in clean_html(f'<img src="data:image/png;base64,{bomb}">')
    assert pieces.attachments({"a": {"image/png": bomb}}) == {"a": {}}
    wide = clean_html('<table><tr><td colspan="1000000" rowspan="3">x</td></tr></table>')
    assert 'rowspan="3"' in wide
    assert "colspan" not in wide
    often = markdown_to_html("![x](attachment:a) " * 5000, {"a": {"image/png": PIXEL * 1000}})
    assert len(often) < 2 * texts.MAX_ATTACHED


def test_a_notebook_keeps_only_outputs_of_known_kinds() -> None:
    display = new_output(
        "display_data",
        {
            "text/html": HOSTILE["image-error"],
            "image/png": PIXEL,
            "image/jpeg": '"><script>',
            "application/javascript": "1",
            "application/vnd.jupyter.widget-view+json": {"model_id": "a"},
        },
        metadata={"image/png": {"width": "1 onerror=1", "height": 7}, "text/html": {"isolated": 1}},
    )
    stream = new_output("stream", name="stdout", text="\x1b[2Ja\ud800")
    markdown = new_output("execute_result", {"text/markdown": HOSTILE_MARKDOWN["md-link"]})
    notebook = new_notebook(
        cells=[
            new_code_cell("1", outputs=[display, stream, markdown]),
            new_markdown_cell("x", attachments={"a": {"text/html": "x", "image/png": PIXEL}}),
            new_raw_cell("x", metadata={"raw_mimetype": "text/html"}),
            new_code_cell("1", metadata={"nbgrader": {"grade_id": '"><script>'}}),
        ],
    )
    # What nbformat's helpers refuse, a file may have.
    notebook.metadata.update({"widgets": {"a": 1}, "language_info": {"name": []}})
    notebook.cells[0].execution_count = "<b>"
    notebook.cells[2].metadata.tags = 1
    clean, _ = SanitizeOutputs().preprocess(notebook, {})
    shown, said, told = clean.cells[0].outputs
    assert shown.data == {"text/html": "<img>", "image/png": PIXEL}
    assert shown.metadata == {"image/png": {"height": 7}}
    assert said.text == "a?"
    assert told.data == {"text/html": '<p><a rel="noopener noreferrer">x</a></p>\n'}
    assert clean.cells[0].execution_count is None
    assert clean.cells[1].attachments == {"a": {"image/png": PIXEL}}
    assert [cell.metadata for cell in clean.cells[2:]] == [{}, {}]
    assert clean.metadata == {}

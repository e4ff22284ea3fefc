"""Pictures that would keep a browser busy are not shown, and plots stay whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from io import StringIO
from typing import Any
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest
from matplotlib.figure import Figure
from nbformat.v4 import new_code_cell, new_notebook, new_output

from autograder.pages.inert import SanitizeOutputs
from autograder.pages.svg import Pictures

ALL = '<rect width="500" height="400" fill="#f00" fill-opacity=".5"/>'
ZIGZAG = "".join(f"L{n * 7919 % 500} {n * 104729 % 400}" for n in range(30_000))
LINE = f'<path fill="none" stroke="#000" d="M0 0{ZIGZAG[:60_000]}"'


def svg(inside: str, more: str = 'viewBox="0 0 500 400"') -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" {more}>{inside}</svg>'


def in_defs(part: str) -> str:
    return f"<defs>{part}</defs>"


BUSY = {
    "many_large_shapes": ALL * 20_000,
    "one_large_shape_drawn_again": in_defs(f'<g id="a">{ALL}</g>') + '<use href="#a"/>' * 20_000,
    "many_small_shapes_made_large": '<g transform="scale(1e3)">'
    + '<rect width=".5" height=".4"/>' * 20_000
    + "</g>",
    "a_turned_one": '<circle r="500" transform="matrix(0 1 -1 0 0 0)"/>' * 20_000,
    "many_tiny_shapes": "<rect/>" * 290_000,
    "an_area_of_many_lines": f'<path d="M0 0{ZIGZAG}"/>',
    "arcs": f'<path d="M0 0{"A1 1 0 0 1 400 400A1 1 0 0 1 0 0" * 5_000}"/>',
    "wide_lines": (LINE + ' stroke-width="200"/>') * 5,
    "lines_wide_by_what_is_around": '<g stroke-width="500">'
    + '<path stroke="#000" d="M0 0L9 9"/>' * 10_000
    + "</g>",
    "dashes": LINE + ' stroke-dasharray="0.01"/>',
    "dashes_by_what_is_around": f'<g style="stroke-dasharray: 0.01">{LINE}/></g>',
    "layers": '<g opacity=".5">' * 90
    + ALL * 10
    + "</g>" * 90
    + f'<g opacity="50%">{ALL}</g>' * 900,
    "gradients": in_defs('<radialGradient id="a"><stop/></radialGradient>')
    + '<rect width="500" height="400" fill="url(#a)"/>' * 3_000,
    "patterns": in_defs('<pattern id="a" width="1" height="1"><path d="M0 0L1 1"/></pattern>')
    + '<rect width="500" height="400" fill="url(#a)"/>' * 300,
    "patterns_of_what_is_around": in_defs('<pattern id="a" width="1" height="1"><path/></pattern>')
    + f'<g fill="url(#a)">{ALL.replace("#f00", "nothing")}</g>' * 300,
    "clipping": in_defs(f'<clipPath id="a"><path d="M0 0{ZIGZAG[:9000]}"/></clipPath>')
    + f'<g clip-path="url(#a)">{ALL}</g>' * 100,
    "letters": '<text font-size="400">WWWW</text>' * 3_000,
    "letters_with_lines": '<text font-size="300" stroke="#000" stroke-dasharray="1">WWWW</text>'
    * 300,
}


@pytest.mark.parametrize("name", BUSY)
def test_a_picture_that_keeps_a_browser_busy_is_not_shown(name: str) -> None:
    assert Pictures()(svg(BUSY[name])) is None


@pytest.mark.parametrize(
    "hiding",
    [
        'viewBox="0 0 1e9px 1e9px" width="500"',
        'viewBox="0,,0 1e9 1e9" width="500" height="400"',
        'viewBox="0 0 500 400" transform="scale(1e-9) odd(1)"',
        'viewBox="0 0 500 400" width="1e9" height="1e9"',
        'width="1000000000%" height="1000000000%"',
    ],
)
def test_what_a_browser_ignores_makes_no_picture_less_work(hiding: str) -> None:
    assert Pictures()(svg(ALL * 20_000, hiding)) is None


@pytest.mark.parametrize(
    "part",
    [
        '<marker id="a"><path/></marker>',
        '<path style="marker: url(#a)" marker-mid="url(#a)"/>',
        '<mask id="a"/><filter id="a"/><foreignObject/><svg/><symbol/><style>a</style>',
        '<animate attributeName="x"/><set attributeName="x"/><script>1</script>',
        '<path stroke-width="-9" stroke-miterlimit="1e9" vector-effect="non-scaling-stroke"/>',
        '<clipPath clipPathUnits="objectBoundingBox"/><pattern patternContentUnits="x"/>',
        '<path style="stroke-width: calc(1px * 9); stroke: var(--a); fill: inherit; d: path(1)"/>',
        '<path stroke-dasharray="5,,5" transform="scale(1,,1)" d="M0 0a1 1 0 01 5 5"/>',
        '<text style="font: 100em serif; letter-spacing: 9px; font-size: 9vw">a</text>',
    ],
)
def test_of_what_plots_do_not_need_nothing_stays(part: str) -> None:
    kept = Pictures()(svg(part))
    assert kept is not None
    bare = re.sub(r"</?(?:ns\d:)?(?:path|text|clipPath|pattern|svg)\b| xmlns=\"[^\"]*\"", "", kept)
    assert set(re.findall(r"[\w-]+", bare.replace('viewBox="0 0 500 400"', ""))) <= {"a"}


def points(figure: Figure) -> None:
    at, colours = np.random.default_rng(0).normal(size=(2, 10_000)), np.linspace(0, 1, 10_000)
    axes = figure.subplots()
    axes.scatter(*at, c=colours, s=colours * 30, alpha=0.5)


def markers(figure: Figure) -> None:
    at = np.random.default_rng(0).normal(size=(2, 10_000))
    figure.subplots().plot(*at, "o", alpha=0.5, label="points")
    figure.legend(title="kind", shadow=True)


def heat_map(figure: Figure) -> None:
    axes = figure.subplots()
    drawn = axes.pcolormesh(np.random.default_rng(0).random((63, 64)), edgecolors="w")
    figure.colorbar(drawn)


def hatches(figure: Figure) -> None:
    axes = figure.subplots()
    axes.bar(range(5), range(5), hatch="//", label="one")
    axes.bar(range(5), [-1] * 5, hatch="oo*", alpha=0.4, label="another")
    axes.contourf(np.random.default_rng(0).random((9, 9)), hatches=["/", "x"])
    axes.legend(loc="upper left")


def lines(figure: Figure) -> None:
    axes = figure.subplots()
    for _ in range(5):
        axes.plot(np.random.default_rng(0).normal(size=10_000), "--", lw=2)
    axes.fill_between(range(1000), np.random.default_rng(0).random(1000) * 9)
    axes.grid(ls=":")
    axes.set_title("$\\alpha_1$ after 10,000 steps")


def parts(picture: str) -> Counter[str]:
    """How often each element, attribute and property of style occurs."""
    found = Counter[str]()
    for element in fromstring(picture).iter():
        styled = re.findall(r"([\w-]+)\s*:", re.sub(r"url\([^)]*\)", "", element.get("style", "")))
        found.update([element.tag, *element.attrib, *styled])
    return found


@pytest.mark.parametrize("draw", [points, markers, heat_map, hatches, lines])
def test_a_plot_of_matplotlib_stays_whole(draw: Callable[[Figure], None]) -> None:
    figure, file = Figure(), StringIO()
    draw(figure)
    figure.savefig(
        file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type"))
    )
    drawn = re.sub(r"<style.*?</style>|<metadata>.*?</metadata>", "", file.getvalue(), flags=re.S)
    kept = Pictures()(drawn)
    assert kept is not None
    assert parts(kept) == parts(drawn)


def test_pictures_of_one_page_share_what_a_browser_may_have_to_do() -> None:
    picture: dict[str, Any] = {"image/svg+xml": svg(ALL * 1_000), "text/plain": "in words"}
    small = {"image/svg+xml": svg(ALL)}
    outputs = [new_output("display_data", data) for data in (*[picture] * 20, small)]
    notebook = new_notebook(cells=[new_code_cell(outputs=outputs)])
    SanitizeOutputs().preprocess(notebook, {})
    shown = ["image/svg+xml" in output.data for output in notebook.cells[0].outputs]
    assert 0 < sum(shown[:20]) < 10
    assert shown[-1]
    assert all(shown[:2])
    assert notebook.cells[0].outputs[19].data == {"text/plain": "in words"}

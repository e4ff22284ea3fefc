"""Makes the feedback page: the exporter, and the few filters that turn text into markup.

Theory of operation. The notebook is made inert first. The template then escapes whatever it
prints; what is markup comes out of a filter below, which cleaned or escaped it. The page has no
script, and its Content-Security-Policy forbids scripts and all that would be fetched.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from nbconvert.exporters import Exporter
from nbconvert.filters import ansi2html
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]
from traitlets import default

from autograder.results import sentences
from autograder.pages.feedback.content import Page, Region, feedback
from autograder.pages.formulas import Formulas
from autograder.pages.feedback.pictures import drawing, where_wrong
from autograder.pages.inert import POLICY, SanitizeOutputs
from autograder.pages.markup import SetFormula, clean_html, markdown_to_html
from autograder.results.plain import plain

MAX_HIGHLIGHTED = 200_000  # characters of a cell
WIDE = 72  # characters of a line that may have to be scrolled

_HEADING = re.compile(r"<(/?)h([1-6])(?=[ >])")
_TABLE = re.compile(r"<table(?=[ >])")
_SCROLLED = '<div class="scroll" role="region" aria-label="Table" tabindex="0">'
_PICTURE = re.compile(r'<img(?! [^>]*\balt=")')
_DOLLARS = re.compile(r"\s*(\$\$?)(.+?)\1\s*", re.DOTALL)


class FeedbackExporter(Exporter):  # type: ignore[misc]
    """The exporter of `nbgrader generate_feedback`."""

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        nb, resources = super().from_notebook_node(nb, resources, **kw)
        nb, resources = SanitizeOutputs().preprocess(nb, resources)
        page = feedback(nb, resources, self._hidden_regions())
        return rendered(page, _language(nb)), resources

    def _hidden_regions(self) -> list[Region]:
        """What nbgrader cut from the release, and puts back when it grades by asserts in cells."""
        tests, scheme = ClearHiddenTests(parent=self), ClearMarkScheme(parent=self)
        return [
            Region(tests.begin_test_delimeter, tests.end_test_delimeter),
            Region(scheme.begin_mark_scheme_delimeter, scheme.end_mark_scheme_delimeter),
        ]


def _language(notebook: NotebookNode) -> str:
    found = notebook.metadata.get("language_info", {})
    return str(found.get("pygments_lexer") or found.get("name") or "ipython3")


def rendered(page: Page, language: str = "ipython3") -> str:
    """The whole HTML of a page whose code is written in `language`."""
    formulas = Formulas()
    return (
        _environment()
        .get_template("feedback.html.j2")
        .render(
            page=page,
            policy=POLICY,
            code=_highlighter(language),
            markdown=lambda source, attachments=None: _markdown(source, attachments, formulas),
            latex=lambda source: _latex(source, formulas),
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("autograder.pages.feedback"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: plain(value) if type(value) is str else value,
    )
    environment.filters.update(
        base64=lambda text: b64encode(text.encode()).decode(),
        drawing=drawing,
        html=lambda markup: Markup(_fitted(clean_html(markup))),
        points=lambda number: f"{round(number, 2):g}",
        prose=prose,
        terminal=lambda text: Markup(ansi2html(text)),
        where_wrong=where_wrong,
    )
    environment.tests["wide"] = lambda text: any(len(line) > WIDE for line in text.splitlines())
    environment.globals["followed_through"] = sentences.followed_through
    return environment


def prose(text: str) -> Markup:
    """A sentence, in which `names` between backticks become code."""
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(plain(text)))))


def _markdown(source: str, attachments: Any, set_formula: SetFormula) -> Markup:
    return Markup(_fitted(markdown_to_html(source, attachments or {}, set_formula)))


def _latex(source: str, set_formula: SetFormula) -> Markup:
    """What a cell displays as LaTeX, usually between dollars."""
    bare = _DOLLARS.fullmatch(source)
    made = set_formula(bare[2] if bare else source, display=True)
    return Markup(made) if made else Markup("<pre>{}</pre>").format(source)


def _fitted(markup: str) -> str:
    """Cleaned HTML as a part of the page.

    Headings go one level down, a table scrolls in a box of its own, no picture lacks an `alt`.
    """
    lower = _HEADING.sub(lambda tag: f"<{tag[1]}h{min(int(tag[2]) + 1, 6)}", markup)
    boxed = _TABLE.sub(rf"{_SCROLLED}\g<0>", lower).replace("</table>", "</table></div>")
    return _PICTURE.sub('<img alt=""', boxed)


def _highlighter(language: str) -> Callable[[str], Markup]:
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        lexer = get_lexer_by_name("text", stripnl=False)
    formatter = HtmlFormatter(nowrap=True)

    def code(source: str) -> Markup:
        if len(source) > MAX_HIGHLIGHTED:
            return escape(source)
        return Markup(highlight(source, lexer, formatter))

    return code

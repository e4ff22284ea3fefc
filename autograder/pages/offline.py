"""`jupyter nbconvert --to offline_html`: a page whose formulas need neither script nor network."""

from __future__ import annotations

from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert.exporters import HTMLExporter
from traitlets import default

from autograder.pages.formulas import Formulas
from autograder.pages.texts import markdown_to_html


class OfflineHTMLExporter(HTMLExporter):  # type: ignore[misc]
    """nbconvert's HTML, with formulas as MathML."""

    export_from_notebook = "HTML with formulas that need no network"

    @default("mathjax_url")
    def _no_mathjax(self) -> str:
        return ""

    @pass_context
    def markdown2html(self, context: Context, source: str) -> str:
        """The Markdown of a cell as HTML; nbconvert's template asks for it by this name."""
        cell = context.get("cell", {})
        return markdown_to_html(source, cell.get("attachments", {}), Formulas())

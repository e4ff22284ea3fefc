"""Whatever a student wrote is shown, and nothing of it runs.

Theory of operation. Two pages show a student's work: the feedback page, and formgrader's view of a
submission, which has trusted scripts of its own and the instructor's session. Three layers stand
between them and the student:

1. `SanitizeOutputs` makes a notebook inert: outputs of known kinds only, their markup cleaned,
   terminal escapes reduced to colours. `nbgrader autograde` stores notebooks that went through it,
   and both pages put what they show through it again.
2. Markdown is cleaned after it became HTML (`render_markdown`, `clean_html`): what Markdown means
   is known only then.
   Each piece is clipped to a box of its own, or it could be drawn over what stands beside it.
3. `feedback.exporter` makes the feedback page: it has no script at all, and its
   Content-Security-Policy forbids scripts and everything that would be fetched.
"""

from __future__ import annotations

from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode, from_dict

from autograder import helper
from autograder.pages.typesetter import PIECES, Typesetter, not_shown
from autograder.results.plain import encodable

POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)
MAX_OUTPUTS = 2_000  # that one notebook shows
MARKUP = ("text/html", "image/svg+xml")
MAX_MARKUP = 8 << 20  # characters of HTML and SVG that they have


def _typesetter(context: Context) -> Typesetter:
    """That of the page that is being made."""
    made: Typesetter = context.get("resources", {}).setdefault("typesetter", Typesetter())
    return made


def _boxed(markup: Markup) -> Markup:
    """`markup`, of which nothing is drawn over what stands beside it, as a report of the grader.

    Nor does it push that out of reach: of what is very high, a part is seen at a time.
    """
    return Markup('<div style="overflow: auto; max-height: 400rem">{}</div>').format(markup)


@pass_context
def render_markdown(context: Context, source: object) -> str:
    """Jinja filter: Markdown as inert HTML, with formulas that a browser sets without a script."""
    attachments = context.get("cell", {}).get("attachments", {})
    return _boxed(_typesetter(context).markdown(str(source), attachments))


@pass_context
def render_html(context: Context, markup: object) -> str:
    """Jinja filter: inert HTML."""
    return _boxed(_typesetter(context).html(str(markup)))


@pass_context
def render_terminal(context: Context, text: object) -> str:
    """Jinja filter: terminal text as inert HTML."""
    return _typesetter(context).terminal(str(text))


@pass_context
def render_code(context: Context, source: object, **_: Any) -> str:
    """Jinja filter: code as inert HTML."""
    made = _typesetter(context).code(str(source), language(context.get("nb")))
    return f'<div class="highlight hl-ipython3"><pre>{made}</pre></div>\n'


def as_it_is(markup: str) -> str:
    """Jinja filter, in place of one that looks for links of an older Jupyter for very long."""
    return markup


def language(notebook: NotebookNode | None) -> str:
    """The language that a notebook's code is coloured as."""
    found = notebook.metadata.get("language_info", {}) if notebook else {}
    return str(found.get("pygments_lexer") or found.get("name") or "ipython3")


class SanitizeOutputs(Preprocessor):  # type: ignore[misc]
    """Makes a notebook inert; applied twice it changes nothing more."""

    def __init__(self, **kw: Any) -> None:
        super().__init__(**kw)
        self.enabled = True
        helper.load(PIECES)

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        nb.metadata.pop("widgets", None)
        language = nb.metadata.get("language_info", {})
        if not isinstance(language, dict) or not all(
            isinstance(language.get(key, ""), str) for key in ("name", "pygments_lexer")
        ):
            del nb.metadata["language_info"]
        inert = _Inert()
        for cell in nb.cells:
            inert.make(cell)
        return nb, resources


class _Inert:
    """Makes the cells of one notebook inert."""

    def __init__(self) -> None:
        self._typesetter = Typesetter()
        self._outputs = self._markup = 0

    def make(self, cell: NotebookNode) -> None:
        cell.source = encodable(str(cell.source))
        if cell.cell_type == "code":
            cell.execution_count = _count(cell.get("execution_count"))
            cell.outputs = self._inert_outputs(cell.get("outputs", []))
        elif cell.cell_type != "markdown":
            cell.cell_type = "raw"
            cell.metadata.pop("raw_mimetype", None)  # shown by way of `clean_html`
        if "attachments" in cell:
            cell.attachments = from_dict(self._typesetter.attachments(cell.attachments))
        if not _is_plain(cell.metadata.get("nbgrader", {})):
            del cell.metadata["nbgrader"]
        if not isinstance(cell.metadata.get("tags", []), list):
            del cell.metadata["tags"]

    def _inert_outputs(self, outputs: list[Any]) -> list[NotebookNode]:
        """The outputs of known kinds, each rebuilt from the fields that are shown."""
        kept = []
        for output in outputs:
            if output == not_shown():
                kept.append(output)
                continue
            if self._outputs == MAX_OUTPUTS:
                return [*kept, from_dict(not_shown())]
            made = self._typesetter.output(output)
            if made is None:
                continue
            self._outputs += 1
            self._markup += sum(len(made.get("data", {}).get(mime, "")) for mime in MARKUP)
            kept.append(from_dict(made if self._markup <= MAX_MARKUP else not_shown()))
        return kept


def _count(value: Any) -> int | None:
    return value if type(value) is int else None


def _is_plain(settings: Any) -> bool:
    """Whether nbgrader's templates may print the grade_id as it is, which they do."""
    return isinstance(settings, dict) and not set(str(settings.get("grade_id"))) & set("<>&\"'")

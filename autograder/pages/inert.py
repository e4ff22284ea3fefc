"""Whatever a student wrote is shown, and nothing of it runs.

Theory of operation. Two pages show a student's work: the feedback page, and formgrader's view of a
submission, which has trusted scripts of its own and the instructor's session. Three layers stand
between them and the student:

1. `SanitizeOutputs` makes a notebook inert: outputs of known kinds only, their markup cleaned,
   terminal escapes reduced to colours. `nbgrader autograde` stores notebooks that went through it,
   and both pages put what they show through it again.
2. Markdown is cleaned after it became HTML (`render_markdown`, `clean_html`): what Markdown means
   is known only then.
3. `feedback.exporter` makes the feedback page: it has no script at all, and its
   Content-Security-Policy forbids scripts and everything that would be fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode

from autograder.pages.formulas import Formulas
from autograder.pages.markup import (
    PICTURES,
    clean_html,
    colours_only,
    inert_svg,
    markdown_to_html,
)
from autograder.results.plain import encodable

POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)

_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")


@pass_context
def render_markdown(context: Context, source: object) -> str:
    """Jinja filter: Markdown as inert HTML, with formulas that a browser sets without a script."""
    formulas = context.get("resources", {}).setdefault("formulas", Formulas())  # of one page
    attachments = context.get("cell", {}).get("attachments", {})
    return markdown_to_html(str(source), attachments, formulas)


def inert_outputs(outputs: Iterable[Any]) -> list[NotebookNode]:
    """The outputs of known kinds, each rebuilt from the fields that are shown."""
    made = (_inert_output(output) for output in outputs if isinstance(output, dict))
    return [NotebookNode(output) for output in made if output is not None]


def _inert_output(output: dict[str, Any]) -> dict[str, Any] | None:
    kind = output.get("output_type")
    if kind == "stream":
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return {"output_type": kind, "name": name, "text": colours_only(str(output.get("text")))}
    if kind == "error":
        return {
            "output_type": kind,
            "ename": colours_only(str(output.get("ename"))),
            "evalue": colours_only(str(output.get("evalue"))),
            "traceback": [colours_only(str(line)) for line in output.get("traceback") or []],
        }
    if kind not in ("display_data", "execute_result"):
        return None
    made = {
        "output_type": kind,
        "data": NotebookNode(_inert_data(output.get("data") or {})),
        "metadata": NotebookNode(_picture_sizes(output.get("metadata"))),
    }
    if kind == "execute_result":
        made["execution_count"] = _count(output.get("execution_count"))
    return made


def _inert_data(data: dict[str, Any]) -> dict[str, str]:
    """One output's data by MIME type; Markdown becomes HTML, where there is none."""
    texts = {mime: value for mime, value in data.items() if isinstance(value, str)}
    made = {mime: texts[mime] for mime in PICTURES if _BASE64.fullmatch(texts.get(mime, "<"))}
    for mime in ("text/plain", "text/latex"):
        if mime in texts:
            made[mime] = colours_only(texts[mime])
    if "text/html" in texts:
        made["text/html"] = clean_html(texts["text/html"])
    elif "text/markdown" in texts:
        made["text/html"] = markdown_to_html(texts["text/markdown"], {})
    picture = inert_svg(texts.get("image/svg+xml", ""))
    if picture is not None:
        made["image/svg+xml"] = picture
    return made


def _picture_sizes(metadata: Any) -> dict[str, Any]:
    """Width and height of pictures: templates print them without quotes, so numbers only."""
    found = metadata if isinstance(metadata, dict) else {}
    return {
        mime: {k: v for k, v in sizes.items() if k in ("width", "height") and type(v) is int}
        for mime, sizes in found.items()
        if mime in PICTURES and isinstance(sizes, dict)
    }


def _count(value: Any) -> int | None:
    return value if type(value) is int else None


class SanitizeOutputs(Preprocessor):  # type: ignore[misc]
    """Makes a notebook inert; applied twice it changes nothing more."""

    def __init__(self, **kw: Any) -> None:
        super().__init__(**kw)
        self.enabled = True

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        nb.metadata.pop("widgets", None)
        language = nb.metadata.get("language_info", {})
        if not isinstance(language, dict) or not all(
            isinstance(language.get(key, ""), str) for key in ("name", "pygments_lexer")
        ):
            del nb.metadata["language_info"]
        for cell in nb.cells:
            _make_inert(cell)
        return nb, resources


def _make_inert(cell: NotebookNode) -> None:
    cell.source = encodable(str(cell.source))
    if cell.cell_type == "code":
        cell.execution_count = _count(cell.get("execution_count"))
        cell.outputs = inert_outputs(cell.get("outputs", []))
    elif cell.cell_type != "markdown":
        cell.cell_type = "raw"
        cell.metadata.pop("raw_mimetype", None)  # shown by way of `clean_html`
    if "attachments" in cell:
        found = cell.attachments if isinstance(cell.attachments, dict) else {}
        cell.attachments = _pictures_attached(found)
    if not _is_plain(cell.metadata.get("nbgrader", {})):
        del cell.metadata["nbgrader"]
    if not isinstance(cell.metadata.get("tags", []), list):
        del cell.metadata["tags"]


def _is_plain(settings: Any) -> bool:
    """Whether nbgrader's templates may print the grade_id as it is, which they do."""
    return isinstance(settings, dict) and not set(str(settings.get("grade_id"))) & set("<>&\"'")


def _pictures_attached(attachments: dict[str, Any]) -> NotebookNode:
    return NotebookNode(
        {
            name: {m: found[m] for m in PICTURES if _BASE64.fullmatch(str(found.get(m, "<")))}
            for name, found in attachments.items()
            if isinstance(found, dict)
        }
    )

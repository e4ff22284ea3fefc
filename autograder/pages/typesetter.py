"""What a student wrote, made fit for a page by the helper, within the time that a page may take."""

from __future__ import annotations

from typing import Any, Final

from markupsafe import Markup, escape

from autograder import helper
from autograder.errors import NotDone
from autograder.pages.drawing import MAX_WORK
from autograder.results import sentences
from autograder.results.plain import plain

PIECES: Final = "autograder.pages.pieces"
TEXTS: Final = "autograder.pages.texts"  # which `PIECES` loads where it needs it
MAX_FORMULA_CHARS = 50_000  # characters of all formulas on a page: about a second's work


class Typesetter:
    """Sets the pieces of one page; one that takes too long is replaced by a sentence, or plain."""

    def __init__(self) -> None:
        self._allowance = helper.Allowance()
        self._formulas_left = MAX_FORMULA_CHARS
        self._drawing_left = MAX_WORK

    def output(self, found: Any) -> dict[str, Any] | None:
        """An output, made inert; None for one of a kind that is not shown."""
        try:
            made, left = self._allowance.run(f"{PIECES}:output", found, self._drawing_left)
        except NotDone:
            return not_shown()
        self._drawing_left = left
        shown: dict[str, Any] | None = made
        return shown

    def attachments(self, found: Any) -> dict[str, dict[str, str]]:
        """The pictures among a cell's attachments."""
        try:
            made: dict[str, dict[str, str]] = self._allowance.run(f"{PIECES}:attachments", found)
        except NotDone:
            return {}
        return made

    def html(self, markup: str) -> Markup:
        """Inert HTML."""
        try:
            return Markup(self._allowance.run(f"{PIECES}:html", markup))
        except NotDone:
            return Markup("<p>{}</p>").format(sentences.not_shown())

    def fitted(self, markup: str) -> Markup:
        """Inert HTML as a part of the feedback page."""
        try:
            return Markup(self._allowance.run(f"{PIECES}:fitted", markup))
        except NotDone:
            return Markup("<p>{}</p>").format(sentences.not_shown())

    def markdown(self, source: str, attached: Any, *, fitted: bool = False) -> Markup:
        """Markdown as inert HTML; `fitted` as a part of the feedback page."""
        helper.load(TEXTS)
        return self._with_formulas("markdown", source, attached, fitted)

    def latex(self, source: str) -> Markup:
        """LaTeX as inert HTML."""
        return self._with_formulas("latex", source)

    def _with_formulas(self, what: str, source: str, *how: Any) -> Markup:
        try:
            made, left = self._allowance.run(f"{PIECES}:{what}", source, *how, self._formulas_left)
        except NotDone:
            return Markup("<pre>{}</pre>").format(plain(source))
        self._formulas_left = left
        return Markup(made)

    def terminal(self, text: str) -> Markup:
        """Terminal text as inert HTML."""
        if "\x1b" not in text:
            return _shown(text)
        helper.load(TEXTS)
        try:
            return Markup(self._allowance.run(f"{PIECES}:terminal", text))
        except NotDone:
            return _shown(text)

    def code(self, source: str, language: str) -> Markup:
        """Code as inert HTML, in the colours of its syntax."""
        try:
            return Markup(self._allowance.run(f"{PIECES}:code", source, language))
        except NotDone:
            return _shown(source)


def not_shown() -> dict[str, Any]:
    """What stands in the place of an output that cannot be shown."""
    return {
        "output_type": "display_data",
        "data": {"text/plain": sentences.not_shown()},
        "metadata": {},
    }


def _shown(text: str) -> Markup:
    return escape(plain(text))

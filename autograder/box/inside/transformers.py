"""What IPython does to each cell before it runs, done no oftener than it shows.

IPython cuts a cell into tokens, in Python, to find syntax of its own (`%magic`, `!command`,
`help?`). That takes longer than most cells of a notebook run, and most have none. It transforms
each cell twice, and parses again what was parsed to see that it is plain Python.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from IPython.core.inputtransformer2 import (
    EscapedCommand,
    HelpEnd,
    MagicAssign,
    SystemAssign,
    TransformerManager,
)

SPECIAL = [MagicAssign, SystemAssign, EscapedCommand, HelpEnd]
_MAY_BE_SPECIAL = re.compile(r"\?[\s\\]*$|=[\s\\]*[%!]|^\s*[?!%,;/]")  # in one line of a cell


class Transformers(TransformerManager):
    """Leaves cells of plain Python as they are."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._own = [*self.cleanup_transforms], [*self.line_transforms], SPECIAL
        self._latest: str | None = None
        self._transformed = ""  # what became of the latest cell
        self._parsed: tuple[str, ast.Module] | None = None

    def transform_cell(self, cell: str) -> str:
        """See its base."""
        now = self.cleanup_transforms, self.line_transforms, self.token_transformers
        if now != self._own:
            self._latest = None
            return super().transform_cell(cell)
        if cell != self._latest:
            self._transformed = super().transform_cell(cell)
            self._latest = cell
        return self._transformed

    def do_token_transforms(self, lines: list[str]) -> list[str]:
        """See its base."""
        if self.token_transformers == SPECIAL and self._are_plain(lines):
            return lines
        found: list[str] = super().do_token_transforms(lines)  # type: ignore[no-untyped-call]
        return found

    def tree(self, transformed: str) -> ast.Module | None:
        """The latest cell as a tree, if it is plain Python that parsing warns of nothing in."""
        text, tree = self._parsed or ("", None)
        return tree if text == transformed else None

    def _are_plain(self, lines: list[str]) -> bool:
        self._parsed = None
        if any(map(_MAY_BE_SPECIAL.search, lines)):
            return False
        text = "".join(lines)
        try:
            with noting_warnings(shown=False) as warned:  # shown when it is compiled to be run
                tree = ast.parse(text)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return False
        if not warned:
            self._parsed = text, tree
        return True


@contextmanager
def noting_warnings(*, shown: bool) -> Iterator[list[str]]:
    """What Python warns of meanwhile, and whether it is `shown` as ever."""
    noted: list[str] = []
    show = warnings.showwarning

    def note(message: Warning | str, *how: Any) -> None:
        noted.append(str(message))
        if shown:
            show(message, *how)

    warnings.showwarning = note  # type: ignore[assignment] # passes on what it gets
    try:
        yield noted
    finally:
        warnings.showwarning = show

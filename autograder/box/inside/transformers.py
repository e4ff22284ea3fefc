"""What IPython does to each cell before it runs, done no oftener than it shows.

IPython cuts a cell into tokens, in Python, to find syntax of its own (`%magic`, `!command`,
`help?`). That takes longer than most cells of a notebook run, and most have none.
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
_MAY_BE_SPECIAL = re.compile(r"\?|=[\s\\]*[%!]|^\s*[!%,;/]")  # in one line of a cell


class Transformers(TransformerManager):
    """Leaves cells of plain Python as they are."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._latest_plain: list[str] = []  # IPython transforms each cell twice

    def do_token_transforms(self, lines: list[str]) -> list[str]:
        """See its base."""
        if self.token_transformers == SPECIAL and self._are_plain(lines):
            return lines
        found: list[str] = super().do_token_transforms(lines)  # type: ignore[no-untyped-call]
        return found

    def _are_plain(self, lines: list[str]) -> bool:
        if lines == self._latest_plain:
            return True
        if any(map(_MAY_BE_SPECIAL.search, lines)):
            return False
        try:
            with noting_warnings(shown=False):  # they are shown when it is compiled to be run
                ast.parse("".join(lines))
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return False
        self._latest_plain = lines
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

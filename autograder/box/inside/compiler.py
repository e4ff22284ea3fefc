"""How a box compiles cells: each statement once.

Theory of operation. IPython compiles a cell as a whole to see whether it waits for something,
parses it again, and compiles its statements one by one, each before it runs. Here the statements
are compiled while it asks, and what it would compile later is what was compiled then. Where the two
could differ (Python warns of something, a statement cannot be compiled, an import from the future
says how), nothing is compiled beforehand.
"""

# mypy: disable-error-code="no-untyped-call"
# (IPython is typed in part only)

from __future__ import annotations

import os
import zlib
from ast import AST, Expr, Interactive, Module, PyCF_ALLOW_TOP_LEVEL_AWAIT, stmt
from dataclasses import dataclass, field
from inspect import CO_COROUTINE
from types import CodeType
from typing import Any

from IPython.core.compilerop import CachingCompiler

from autograder.box.inside.transformers import noting_warnings

AWAIT = PyCF_ALLOW_TOP_LEVEL_AWAIT
Key = tuple[int, str]  # which statement, and how it is compiled


@dataclass(frozen=True)
class _Cell:
    """A cell whose statements are compiled."""

    text: str = ""
    name: str = ""
    tree: Module = field(default_factory=lambda: Module([], []))
    codes: dict[Key, CodeType] = field(default_factory=dict)


class _Statements:
    """A compiler that knows what is compiled; its own frame is in no traceback of a student."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler
        self.extra_flags = compiler.extra_flags

    def __call__(self, source: Any, filename: str, symbol: str) -> CodeType:
        return self._compiler.code(source, filename, symbol)


class Compiler(CachingCompiler):
    """Calls code as a kernel does.

    Attributes:
        statements: what IPython calls instead while it runs a cell.
    """

    def __init__(self) -> None:
        super().__init__()
        self.statements = _Statements(self)
        self._cell = _Cell()
        self._own_flags = self.flags

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        digits = zlib.crc32(raw_code.encode(errors="replace"))
        return f"/tmp/ipykernel_{os.getpid()}/{digits}.py"  # never a file: what warnings show

    def prepare(self, tree: Module, text: str, name: str) -> bool | None:
        """Compiles the statements of a cell called `name`, before the first one runs.

        Returns:
            Whether one of them waits for something; None where nothing was compiled.
        """
        self.forget()
        if self.flags != self._own_flags:
            return None
        try:
            with noting_warnings(shown=False) as warned:
                codes = self._compiled(tree, name)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            warned, codes = ["an error"], {}
        if warned or self.flags != self._own_flags:
            self.flags = self._own_flags
            return None
        self._cell = _Cell(text, name, tree, codes)
        vars(self)["ast_parse"] = self._give_tree
        return any(code.co_flags & CO_COROUTINE for code in codes.values())

    def _compiled(self, tree: Module, name: str) -> dict[Key, CodeType]:
        codes = {}
        with self.extra_flags(AWAIT):
            for node in tree.body:
                whole, mode = _whole(node, is_shown=node is tree.body[-1])
                codes[id(node), mode] = super().__call__(whole, name, mode)
        return codes

    def forget(self) -> None:
        """Has the cell at hand parsed and compiled as IPython asks for it."""
        self._cell = _Cell()
        vars(self).pop("ast_parse", None)

    def _give_tree(self, source: str, filename: str = "<unknown>", symbol: str = "exec") -> AST:
        """As `ast_parse`, once, and where nothing can fail: no traceback shows it."""
        del self.ast_parse
        if (source, filename, symbol) == (self._cell.text, self._cell.name, "exec"):
            return self._cell.tree
        return self.ast_parse(source, filename, symbol)

    def code(self, source: Any, filename: str, symbol: str) -> CodeType:
        """As calling it, for a statement of the cell at hand."""
        code = self._cell.codes.get((id(source.body[0]), symbol))
        if code and filename == self._cell.name and self._is_plain():
            return code
        return self(source, filename, symbol)

    def _is_plain(self) -> bool:
        return self.flags | AWAIT == self._own_flags | AWAIT


def _whole(node: stmt, *, is_shown: bool) -> tuple[Any, str]:
    """A statement as it is compiled, and the mode: the last one shows its value if it has one."""
    if is_shown and isinstance(node, Expr):
        return Interactive([node]), "single"
    return Module([node], []), "exec"

"""The statements of a cell are compiled once, and come out as IPython would compile them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType
from typing import Any

import nbformat
import pytest
from conftest import IDS, ROOT
from IPython.core.async_helpers import _should_be_async
from IPython.core.compilerop import CachingCompiler

from autograder.box.inside.compiler import AWAIT, Compiler
from autograder.box.inside.transformers import Transformers

NAME = "/tmp/ipykernel_1/1.py"
PLAIN = [
    "x = 1\nx",
    "import math\nmath.pi;",
    "def f():\n    return 1\n\n\nclass A:\n    x: int = 1\n",
    "for x in range(2):\n    x",
    "await f()",
    "async with a as b:\n    b",
    "x = [y async for y in z]",
    "async def f():\n    await g()",
    "'''text'''\nx = 1",
]
NOT_BEFOREHAND = [
    "1 is 1",
    "assert (x, 'never')",
    "x = 1\nreturn x",
    "x = 1\nbreak",
    "from __future__ import annotations\nx: int = 1",
    "def f():\n    x = 1\n    global x",
]


def compiled(compiler: CachingCompiler, text: str) -> Iterator[CodeType]:
    """The statements of a cell, as IPython asks for them one after the other."""
    calls: Any = compiler.statements if isinstance(compiler, Compiler) else compiler
    tree = compiler.ast_parse(text, NAME)
    assert isinstance(tree, ast.Module)
    for node in tree.body:
        shown = node is tree.body[-1] and isinstance(node, ast.Expr)
        whole = ast.Interactive([node]) if shown else ast.Module([node], [])
        with compiler.extra_flags(AWAIT):
            yield calls(whole, NAME, "single" if shown else "exec")


def prepared(text: str) -> tuple[Compiler, bool | None]:
    transformers, compiler = Transformers(), Compiler()
    tree = transformers.tree(transformers.transform_cell(text))
    return compiler, None if tree is None else compiler.prepare(tree, text, NAME)


def prepared_tree(compiler: Compiler) -> ast.Module:
    return compiler._cell.tree


def expect_as_ipython(text: str) -> None:
    compiler, waits = prepared(text)
    assert waits is _should_be_async(text)
    ours, theirs = compiled(compiler, text), compiled(CachingCompiler(), text)
    for one, other in zip(ours, theirs, strict=True):
        assert (one, one.co_filename) == (other, other.co_filename)


@pytest.mark.parametrize("text", PLAIN)
def test_statements_come_out_as_ipython_compiles_them(text: str) -> None:
    expect_as_ipython(text)


@pytest.mark.parametrize("name", IDS)
def test_so_do_those_of_the_course(name: str) -> None:
    notebook = nbformat.read(ROOT / "source" / name / f"{name}.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            text = Transformers().transform_cell(cell.source)
            expect_as_ipython(text)


@pytest.mark.parametrize("text", NOT_BEFOREHAND)
def test_what_may_come_out_otherwise_later_is_not_compiled_beforehand(text: str) -> None:
    compiler, waits = prepared(text)
    assert waits is None
    assert compiler.flags == CachingCompiler().flags


@pytest.mark.parametrize("text", ["%time x", "x = '\\d'", "def f(:"])
def test_nor_what_is_not_plain_python(text: str) -> None:
    assert prepared(text)[1] is None


def test_nothing_is_parsed_or_compiled_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "x = 1\nprint(x)\nx"
    compiler, _ = prepared(text)

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(CachingCompiler, "__call__", never)
    monkeypatch.setattr(CachingCompiler, "ast_parse", never)
    assert len(list(compiled(compiler, text))) == 3
    with pytest.raises(AssertionError):  # whoever has the tree may have changed it
        next(compiled(compiler, text))


def test_a_statement_of_another_cell_or_name_is_compiled() -> None:
    text = "x = 1"
    compiler, _ = prepared(text)
    other = ast.parse("x = 2").body[0]
    (mine,) = compiled(compiler, text)
    with compiler.extra_flags(AWAIT):
        assert compiler.statements(ast.Module([other], []), NAME, "exec") != mine
        same = ast.Module(prepared_tree(compiler).body, [])
        assert compiler.statements(same, NAME, "exec") is mine
        assert compiler.statements(same, "elsewhere", "exec").co_filename == "elsewhere"


def test_an_import_from_the_future_holds_for_all_that_follows() -> None:
    compiler = Compiler()
    for code in compiled(compiler, "from __future__ import annotations"):
        assert code
    assert compiler.prepare(ast.parse("x: int = 1"), "x: int = 1", NAME) is None
    (code,) = compiled(compiler, "x: print('never')")
    exec(code, {})

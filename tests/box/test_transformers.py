"""Cells that IPython would leave as they are, are not cut into tokens; all others are."""

from __future__ import annotations

import ast
import warnings

import nbformat
import pytest
from conftest import IDS, ROOT
from IPython.core.async_helpers import _should_be_async
from IPython.core.inputtransformer2 import EscapedCommand, TransformerManager

from autograder.box.inside.shell import BoxShell
from autograder.box.inside.transformers import Transformers, noting_warnings

SPECIAL = [
    "%timeit 1",
    "%%time\nx = 1",
    "x = 1\n%time x",
    "if True:\n    %time x",
    "files = !ls",
    "files = \\\n  !ls",
    "files = %env",
    "a, b = %env",
    "!ls -l",
    "  !ls",
    "len?",
    "?len",
    "x = 1; len?",
    "%cd ..\n!pwd",
    ",print a b",
    ";print a b",
    "/print a",
    "for i in range(2):\n    !echo {i}",
    ">>> 1\n1",
    "In [1]: 1\nOut[1]: 1",
    "In [1]: x = !ls",
    "x = 1\x0c\n%time x",
    "x = 1\r%time x",
    "len? ",
    "len?\\\n",
    "len??\nx = 1",
    "x = 'why?'\nlen?",
    "len? # why",
    "math.pi?;",
]
PLAIN = [
    "",
    "\n\n",
    "1",
    "x = 1 % 2\ny = x != 1\nz = f'{x!r:>4}'",
    "x = [\n    1\n    , 2\n]",
    "y = 8 \\\n    / 2",
    "'''\n%time\n!ls\nwhat?\n'''",
    "x = 'is it = !so?'",
    "# why?\nx = 1",
    "x = (1 ==\n     2)",
    "    x = 1\n    y = 2",
    "def f():\n    ...\n...",
    "x = {...: 1}",
    "def f():\n    'Is it? It is.'\n    return '?'",
    "x = '''\nwhy?\n'''",
    "x = 'a?' 'b?'",
    "x = 1\n\x0cy = 2",
    "x = '\u2028%time'",
    "try:\n  1\nexcept* ValueError:\n  2",
]
BROKEN = [
    "def f(:\n    1",
    "if True:\n        1\n    2",
    "'''",
    "x = (1,",
    "x = 1\\",
    "return 1",
    "\x00",
    "x = 0777",
    "print 'x'",
    "x = $1",
    "(" * 300 + ")" * 300,
]


def outcome(manager: TransformerManager, source: str) -> str | tuple[type[Exception], str]:
    try:
        return manager.transform_cell(source)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("source", SPECIAL + PLAIN + BROKEN)
def test_a_cell_becomes_what_ipython_makes_of_it(source: str) -> None:
    assert outcome(Transformers(), source) == outcome(TransformerManager(), source)


@pytest.mark.parametrize("name", IDS)
def test_so_do_all_cells_of_the_course(name: str) -> None:
    notebook = nbformat.read(ROOT / "source" / name / f"{name}.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert outcome(Transformers(), cell.source) == outcome(
                TransformerManager(), cell.source
            )


def test_plain_python_is_not_cut_into_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(TransformerManager, "do_one_token_transform", never)
    assert Transformers().transform_cell("x = 1 % 2\nif x != 1:\n    print(x)") != ""
    with pytest.raises(AssertionError):
        Transformers().transform_cell("%time x")


def test_an_own_transformer_sees_every_cell() -> None:
    class Shouted(EscapedCommand):
        @classmethod
        def find(cls, tokens_by_line):  # type: ignore[no-untyped-def]
            return cls((1, 0)) if "quiet" in tokens_by_line[0][0].string else None

        def transform(self, lines: list[str]) -> list[str]:
            return ["loud\n"]

    ours, theirs = Transformers(), TransformerManager()
    for manager in (ours, theirs):
        manager.token_transformers.append(Shouted)
    assert ours.transform_cell("quiet") == theirs.transform_cell("quiet") == "loud\n"


def test_warnings_are_noted_and_shown_as_ever(recwarn: pytest.WarningsRecorder) -> None:
    shown = warnings.showwarning
    with noting_warnings(shown=True) as noted:
        _should_be_async("1 is 1")
        _should_be_async("x = 1")
    assert [text[:17] for text in noted] == ['"is" with a liter']
    assert len(recwarn) == 1
    assert warnings.showwarning is shown


def test_looking_for_special_syntax_warns_of_nothing(recwarn: pytest.WarningsRecorder) -> None:
    warnings.simplefilter("always")
    assert Transformers().transform_cell("x = '\\d'") == "x = '\\d'\n"
    assert list(recwarn) == []
    ast.parse("x = '\\d'")
    assert len(recwarn) == 1


def test_a_cell_that_was_not_transformed_is_refused_as_by_ipython() -> None:
    shell = BoxShell.__new__(BoxShell)
    shell._answers_at_once = ""
    with pytest.raises(TypeError, match="no longer calls `transform_cell`"):
        shell.should_run_async("await x")

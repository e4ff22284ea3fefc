"""Probes: functions that a check sends into the box as source, to run beside the student's code."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from symtable import SymbolTable, symtable
from typing import Any, overload

from autograder.box.probes import SCOPE
from autograder.errors import UsageError


class Probe:
    """A function that runs next to the student's code; only its source travels.

    Attributes:
        signature: of the function.
        takes: names of what it asks for, beside its first parameter.
        silent: whether its replies are no part of what tells one mistake from another.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        uses: Sequence[Callable[..., Any]] = (),
        silent: bool = False,
    ) -> None:
        """`uses`: classes and functions that travel along, each as bare as the probe.

        Raises:
            ValueError: one of them is not written as a `def` or a `class`, or uses what its module
                alone knows.
        """
        self.source = "\n".join(_bare_source(part) for part in (*uses, function))
        self.name = function.__name__
        if unknown := sorted(_unknown_names(self.source)):
            raise ValueError(
                f"the probe {self.name} uses {', '.join(unknown)} of its module, which does not "
                "travel: hand it in as an argument, import it inside, or name it among `uses`"
            )
        self.signature = inspect.signature(function)
        self.takes = _named_parameters(self.signature)
        self.silent = silent

    def told(self, line: int) -> str:
        """Its name, and the line with this number in `source`, for its author."""
        lines = self.source.splitlines()
        return (
            f"{self.name}, at `{lines[line - 1].strip()}`" if 0 < line <= len(lines) else self.name
        )


def expect_probe(given: object, inputs: Mapping[str, object]) -> None:
    """Refuses what a check runs as a probe, and is none, or takes other `inputs`.

    Raises:
        UsageError: it is a function without the mark, or something else, or they do not fit it.
    """
    if not isinstance(given, Probe):
        name = getattr(given, "__name__", type(given).__name__)
        raise UsageError(
            f"`{name}` is run beside the student's code, and is no probe: mark it with `@probe`"
        )
    try:
        given.signature.bind(None, **inputs)
    except TypeError as error:
        raise UsageError(
            f"the probe `{given.name}` is run with inputs that it does not take: {error}"
        ) from error


def _named_parameters(signature: inspect.Signature) -> frozenset[str]:
    parameters = list(signature.parameters.values())[1:]
    return frozenset(one.name for one in parameters if one.kind is not one.VAR_KEYWORD)


@overload
def probe(function: Callable[..., dict[str, Any]]) -> Probe: ...


@overload
def probe(
    *, uses: Sequence[Callable[..., Any]] = ..., silent: bool = ...
) -> Callable[[Callable[..., dict[str, Any]]], Probe]: ...


def probe(
    function: Callable[..., dict[str, Any]] | None = None,
    *,
    uses: Sequence[Callable[..., Any]] = (),
    silent: bool = False,
) -> Probe | Callable[[Callable[..., dict[str, Any]]], Probe]:
    """Marks a function of (answers, **inputs) as a probe.

    It may use `torch` and `nn`, imports of its own, and the classes and functions that it names as
    `uses`, nothing else of its module. `answers` has the student's names as attributes. It returns
    a dict of tensors, numbers, strings, booleans. `silent`: see `Probe`.
    """
    if function is None:
        return partial(Probe, uses=uses, silent=silent)
    return Probe(function, uses=uses, silent=silent)


def _unknown_names(source: str) -> set[str]:
    """Names that neither Python nor what runs a probe knows."""
    tree = ast.parse(source)
    for function in (part for part in ast.walk(tree) if isinstance(part, ast.FunctionDef)):
        for part in _own_statements(function):
            if isinstance(part, ast.AnnAssign):  # which nobody evaluates there
                part.annotation = ast.Constant(None)
    whole = symtable(ast.unparse(tree), "a probe", "exec")
    used = {
        symbol.get_name()
        for table in _with_inner(whole)
        for symbol in table.get_symbols()
        if symbol.is_global() and symbol.is_referenced()
    }
    own = {symbol.get_name() for symbol in whole.get_symbols() if symbol.is_assigned()}
    return used - own - {*dir(builtins), *SCOPE}


def _own_statements(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function, but not in classes or functions within it."""
    for part in ast.iter_child_nodes(node):
        if not isinstance(part, ast.ClassDef | ast.FunctionDef):
            yield part
            yield from _own_statements(part)


def _with_inner(table: SymbolTable) -> Iterator[SymbolTable]:
    yield table
    for inner in table.get_children():
        yield from _with_inner(inner)


def _bare_source(function: Callable[..., Any]) -> str:
    """Without decorators and annotations, whose names the box does not know."""
    named = inspect.isclass(function) or inspect.isfunction(function)
    if not named or function.__name__ == "<lambda>":
        raise ValueError("of a probe only the source travels: write it as a `def`, with a name")
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    for part in ast.walk(tree):
        if isinstance(part, ast.FunctionDef):
            part.decorator_list, part.returns = [], None
        elif isinstance(part, ast.arg):
            part.annotation = None
    return ast.unparse(tree)

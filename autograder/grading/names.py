"""Which names a cell leaves behind, which it asks others for, and what it imports.

Theory of operation. Names are read off the compiled code, and a few lines can compile to gigabytes:
each way out of a `try` has a copy of its `finally`. What students wrote is compiled by the helper,
which can be ended, and not at all where copies would outgrow the source.
"""

from __future__ import annotations

import ast
import dis
import inspect
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import TYPE_CHECKING

from autograder import helper
from autograder.course.cells import parsed
from autograder.errors import NotDone
from autograder.helper import Allowance

if TYPE_CHECKING:
    from nbformat import NotebookNode

_READS = {"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"}
_COPIED = 10  # times as much code as there is source, at most
_SMALL = 10_000  # nodes of a syntax tree, of which there may be as many whatever the source
_EXITS = (ast.Return, ast.Break, ast.Continue)
_FUNCTIONS_AND_CLASSES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_DEFINING = (*_FUNCTIONS_AND_CLASSES, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
_SETTING = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_AT_ONCE = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


@dataclass(frozen=True)
class Names:
    """The top-level names of a cell.

    Attributes:
        defined: those that the cell leaves behind.
        used: those that it takes from elsewhere; neither local names, nor attributes, nor those
            that it has defined itself by then.
    """

    defined: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, source: str) -> Names:
        """Those of a cell; none when it is no Python, or would compile to far more than it is."""
        return cls.of_tree(parsed(source))

    @classmethod
    def of_tree(cls, tree: ast.Module) -> Names:
        """The same of what a cell, or a part of it, was parsed to."""
        if _outgrows(tree):
            return cls()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
                code = compile(tree, "<cell>", "exec", flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return cls()
        names, later = cls(), set[str]()
        _read(code, names.defined, names, later)
        names.used.update(later - names.defined)
        names.defined.update(_changed_parts(tree))
        return names


def _changed_parts(tree: ast.Module) -> set[str]:
    """The names of which an attribute or an item is set: who asks for them asks for that, too."""
    found = set()
    for statement in tree.body:
        targets = getattr(statement, "targets", [getattr(statement, "target", None)])
        for target in targets if isinstance(statement, _SETTING) else ():
            while isinstance(target, ast.Attribute | ast.Subscript):
                target = target.value
                if isinstance(target, ast.Name):
                    found.add(target.id)
    return found


@dataclass(frozen=True)
class Statement:
    """One that defines something, and the names that it defines and uses."""

    text: str
    names: Names


def names_of(sources: Sequence[str], allowance: Allowance | None = None) -> list[Names]:
    """Those of each cell that somebody wrote; none where reading them takes too long.

    `allowance`: from which the time is taken, if it is not their own.

    Raises:
        Ungraded: no helper can be started.
    """
    try:
        told = helper.run("autograder.grading.names:_told", list(sources), allowance=allowance)
    except NotDone:
        return [Names() for _ in sources]
    return [Names(set(defined), set(used)) for defined, used in told]


def _told(sources: Sequence[str]) -> list[list[list[str]]]:
    """The helper's side, as JSON can tell it."""
    found = map(Names.of, sources)
    return [[sorted(names.defined), sorted(names.used)] for names in found]


def statements_of(source: str, allowance: Allowance | None = None) -> list[Statement]:
    """Those of a cell that define something; none where reading them takes too long.

    `allowance`: from which the time is taken, if it is not its own.

    Raises:
        Ungraded: no helper can be started.
    """
    try:
        told = helper.run("autograder.grading.names:_statements", source, allowance=allowance)
    except NotDone:
        return []
    return [Statement(text, Names(set(defined), set(used))) for text, defined, used in told]


def _statements(source: str) -> list[tuple[str, list[str], list[str]]]:
    """The helper's side."""
    found = [node for node in parsed(source).body if isinstance(node, _DEFINING)]
    read = [Names.of_tree(ast.Module([node], [])) for node in found]
    return [
        (ast.unparse(node), sorted(names.defined), sorted(names.used))
        for node, names in zip(found, read, strict=True)
    ]


class Readings:
    """What has been read of the cells of one submission, each text once.

    Attributes:
        allowance: from which the time of what is read now is taken; None for time of its own.
    """

    def __init__(self) -> None:
        self.allowance: Allowance | None = None
        self._names: dict[str, Names] = {}
        self._statements: dict[str, list[Statement]] = {}

    def names_of(self, sources: Sequence[str]) -> list[Names]:
        """See `names_of`."""
        if new := [text for text in dict.fromkeys(sources) if text not in self._names]:
            self._names.update(zip(new, names_of(new, self.allowance), strict=True))
        return [self._names[text] for text in sources]

    def statements_of(self, source: str) -> list[Statement]:
        """See `statements_of`."""
        if source not in self._statements:
            self._statements[source] = statements_of(source, self.allowance)
        return self._statements[source]


def definitions(
    statements: Sequence[Statement], used: Collection[str], names: Collection[str]
) -> str:
    """Those of the statements that define what is `used`, and what they use themselves.

    None of them defines anything but `names`; empty where there is none.
    """
    own = {*names}
    defining: dict[str, list[int]] = {}
    for number, one in enumerate(statements):
        if one.names.defined <= own:
            for name in one.names.defined:
                defining.setdefault(name, []).append(number)
    wanted, kept = [*used], set[int]()
    while wanted:
        for number in defining.pop(wanted.pop(), ()):
            if number not in kept:
                kept.add(number)
                wanted.extend(statements[number].names.used)
    return "\n".join(statements[number].text for number in sorted(kept))


def _outgrows(tree: ast.AST) -> bool:
    """Whether the copies of what stands in `finally` outgrow the source."""
    nodes = list(ast.walk(tree))
    sizes, exits = dict[int, int](), dict[int, int]()
    for node in reversed(nodes):  # those inside first
        inside = list(ast.iter_child_nodes(node))
        sizes[id(node)] = 1 + sum(sizes[id(one)] for one in inside)
        exits[id(node)] = isinstance(node, _EXITS) + sum(exits[id(one)] for one in inside)
        last = getattr(node, "finalbody", [])
        ways = 1 + exits[id(node)] - sum(exits[id(one)] for one in last)
        sizes[id(node)] += ways * sum(sizes[id(one)] for one in last)
        exits[id(node)] += ways * sum(exits[id(one)] for one in last)
    return sizes[id(tree)] > _COPIED * len(nodes) + _SMALL


def _read(code: CodeType, bound: set[str], names: Names, later: set[str]) -> None:
    """Adds what `code` defines and uses; what only a later call reads goes into `later`.

    `bound`: where names go that it binds as its own, those of the cell or of a class body.
    """
    called_later = bool(code.co_flags & inspect.CO_OPTIMIZED) and code.co_name not in _AT_ONCE
    for step in dis.get_instructions(code):
        if step.opname == "STORE_GLOBAL":
            names.defined.add(step.argval)
        elif step.opname == "STORE_NAME":
            bound.add(step.argval)
        elif step.opname in _READS:
            if step.argval not in bound and step.argval not in names.defined:
                (later if called_later else names.used).add(step.argval)
        elif isinstance(step.argval, CodeType):
            _read(step.argval, set(), names, later)


def imported_modules(notebook: NotebookNode) -> list[str]:
    """What a notebook's code cells import, for the zygote to load ahead: `os.path`, `torch.nn`.

    A name taken out of a module stands behind its dot: some modules load their parts when asked.
    """
    found: dict[str, None] = {}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        for node in ast.walk(parsed(cell.source)):
            if isinstance(node, ast.Import):
                found.update(dict.fromkeys(alias.name for alias in node.names))
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [alias.name for alias in node.names if alias.name != "*"]
                found.update(dict.fromkeys([node.module, *(f"{node.module}.{n}" for n in names)]))
    return list(found)

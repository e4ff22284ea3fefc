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
        tree = parsed(source)
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


def names_of(sources: Sequence[str]) -> list[Names]:
    """Those of each cell that somebody wrote; none where reading them takes too long.

    Raises:
        Ungraded: no helper can be started.
    """
    try:
        told = helper.run("autograder.grading.names:_told", list(sources))
    except NotDone:
        return [Names() for _ in sources]
    return [Names(set(defined), set(used)) for defined, used in told]


def _told(sources: Sequence[str]) -> list[list[list[str]]]:
    """The helper's side, as JSON can tell it."""
    found = map(Names.of, sources)
    return [[sorted(names.defined), sorted(names.used)] for names in found]


def definitions(source: str, used: Collection[str], names: Collection[str]) -> str:
    """The statements of a cell that define what is `used`, and what they use themselves.

    None of them defines anything but `names`; empty where there is none, or reading takes too long.

    Raises:
        Ungraded: no helper can be started.
    """
    asked = source, sorted(used), sorted(names)
    try:
        return str(helper.run("autograder.grading.names:_definitions", *asked))
    except NotDone:
        return ""


def _definitions(source: str, used: Sequence[str], names: Sequence[str]) -> str:
    """The helper's side."""
    statements = [ast.unparse(node) for node in parsed(source).body if isinstance(node, _DEFINING)]
    read = [Names.of(statement) for statement in statements]
    left = {n for n, one in enumerate(read) if one.defined <= {*names}}
    wanted, kept = {*used}, set[int]()
    while found := {n for n in left if read[n].defined & wanted}:
        wanted.update(*(read[n].used for n in found))
        kept |= found
        left -= found
    return "\n".join(statements[n] for n in sorted(kept))


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
        elif step.opname in _READS and step.argval not in bound | names.defined:
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

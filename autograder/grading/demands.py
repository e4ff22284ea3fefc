"""The names of a notebook that the checks of a question ask for, told from the check files.

Theory of operation. Probes take a name from `answers`, or are told it: then it stands as a string
where the check or the probe is written, and is a function or class that the release defines. What a
check file takes from another file beside it, as `from .drawing import pairs_of`, is read with it:
that part, and the parts of that file which it names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from autograder.course.assignments import Assignment
from autograder.course.cells import parsed


@dataclass(frozen=True)
class _Part:
    """A statement of a file of checks or probes.

    Attributes:
        asked: what it takes from `answers`.
        texts: the strings in it.
        names: the names that it uses or gives.
    """

    asked: frozenset[str]
    texts: frozenset[str]
    names: frozenset[str]

    @classmethod
    def of(cls, statement: ast.stmt) -> Self:
        asked, texts, names = set[str](), set[str](), set[str]()
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                asked |= {node.attr} if node.value.id == "answers" else set()
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
        return cls(frozenset(asked), frozenset(texts), frozenset(names))


class _File:
    """A file of checks or probes, looked through once.

    Attributes:
        parts: all that stands in it.
        by_name: what it defines.
        taken: where what it takes from files beside it stands: the file, and the name there.
    """

    def __init__(self, path: Path) -> None:
        body = ast.parse(path.read_text(encoding="utf-8")).body
        self.parts = [_Part.of(statement) for statement in body]
        self.by_name = {
            name: part
            for statement, part in zip(body, self.parts, strict=True)
            for name in _defined_by(statement)
        }
        self.taken = {
            one.asname or one.name: (node.module, one.name)
            for node in body
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
            for one in node.names
        }


class Demands:
    """The names that the checks of an assignment ask for, each file read once."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._files: dict[str, _File] = {}
        self._found: dict[str, set[str]] = {}

    def of(self, slug: str) -> set[str]:
        """The names that the checks of a question ask for."""
        if slug not in self._found:
            found = set[str]()
            for part in self._parts(self._assignment.check_file(slug).stem):
                found |= part.asked | (part.texts & self._released)
            self._found[slug] = found
        return self._found[slug]

    def _parts(self, file: str) -> Iterator[_Part]:
        """All parts of a file, and those of files beside it that these come to."""
        parts = self._file(file).parts
        yield from parts
        waiting = [(file, name) for part in parts for name in part.names]
        seen = {(file, name) for name in self._file(file).by_name}
        while waiting:
            at, name = place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            known = self._file(at)
            if name in known.taken:
                waiting.append(known.taken[name])
            elif name in known.by_name:
                part = known.by_name[name]
                yield part
                waiting += [(at, one) for one in part.names]

    def _file(self, name: str) -> _File:
        if name not in self._files:
            self._files[name] = _File(self._assignment.checks / f"{name}.py")
        return self._files[name]

    @cached_property
    def _released(self) -> set[str]:
        """The functions and classes that the release defines."""
        cells = [cell for cell in self._assignment.release.cells if cell.cell_type == "code"]
        return {
            node.name
            for cell in cells
            for node in parsed(cell.source).body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }


def _defined_by(part: ast.stmt) -> Iterator[str]:
    """The names to which a statement of a file gives a value."""
    if isinstance(part, ast.FunctionDef | ast.ClassDef):
        yield part.name
    elif isinstance(part, ast.Assign | ast.AnnAssign):
        for target in part.targets if isinstance(part, ast.Assign) else [part.target]:
            yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))

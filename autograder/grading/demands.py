"""The names of a notebook that the checks of a question ask for, told from the check files.

Theory of operation. Probes take a name from `answers`, or are told it: then it stands as a string
where the check or the probe is written, and is a function or class that the release defines. What a
check file takes from another file beside it, as `from .drawing import pairs_of`, is read with it:
that part, and the parts of that file which it names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from autograder.course.assignments import Assignment
from autograder.course.cells import parsed


class _CheckFile:
    """One file of checks or probes.

    Attributes:
        tree: what stands in it.
        parts: what it defines, by name.
        taken: where what it takes from files beside it stands: the file's name, and the name there.
    """

    def __init__(self, path: Path) -> None:
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.parts = {name: part for part in self.tree.body for name in _defined_by(part)}
        self.taken = {
            one.asname or one.name: (node.module, one.name)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
            for one in node.names
        }


class Demands:
    """The names that the checks of an assignment ask for, each file read once."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._files: dict[str, _CheckFile] = {}
        self._found: dict[str, set[str]] = {}

    def of(self, slug: str) -> set[str]:
        """The names that the checks of a question ask for."""
        if slug not in self._found:
            name = self._assignment.check_file(slug).stem
            self._found[slug] = self._asked_in(name, self._file(name).tree, set())
        return self._found[slug]

    def _asked_in(self, file: str, part: ast.AST, seen: set[tuple[str, str]]) -> set[str]:
        """What a part of a file asks for; `seen`: what has been read, by file and name."""
        found: set[str] = set()
        for node in ast.walk(part):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found |= {node.attr} if node.value.id == "answers" else set()
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= {node.value} & self._released
            elif isinstance(node, ast.Name):
                found |= self._asked_by(file, node.id, seen)
        return found

    def _asked_by(self, file: str, name: str, seen: set[tuple[str, str]]) -> set[str]:
        """What stands behind a name in a file asks for, wherever it is written."""
        if (file, name) in seen:
            return set()
        seen.add((file, name))
        known = self._file(file)
        if name in known.taken:
            return self._asked_by(*known.taken[name], seen)
        return self._asked_in(file, known.parts[name], seen) if name in known.parts else set()

    def _file(self, name: str) -> _CheckFile:
        if name not in self._files:
            self._files[name] = _CheckFile(self._assignment.checks / f"{name}.py")
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

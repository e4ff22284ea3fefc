"""Which cells of a notebook a question rests on, told from the names in their sources."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property

from nbformat import NotebookNode

from autograder.course.assignments import Assignment
from autograder.course.cells import grade_id, is_graded, is_solution

_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def parsed(source: str) -> ast.Module:
    """The syntax tree of a cell without its magics; empty when it is no Python."""
    lines = [line for line in source.splitlines() if not line.lstrip().startswith(("%", "!"))]
    try:
        return ast.parse("\n".join(lines))
    except SyntaxError:
        return ast.Module([], [])


class Dependencies:
    """What the questions of an assignment rest on in the instructor's notebook.

    A question rests on a cell that defines a name which its solution or its check file mentions,
    and on whatever that cell rests on. Names in check files count as strings too, because probes
    ask for answers by name.
    """

    def __init__(self, assignment: Assignment, solved: NotebookNode) -> None:
        self._assignment = assignment
        self._cells = [
            cell for cell in solved.cells if cell.cell_type == "code" and not is_graded(cell)
        ]
        self._places = {grade_id(cell): n for n, cell in enumerate(self._cells)}

    def of(self, notebook: NotebookNode) -> Dependencies:
        """What the questions rest on in another notebook of the same assignment."""
        return Dependencies(self._assignment, notebook)

    def source(self, slug: str) -> str:
        """The instructor's solution cell of a question."""
        return str(self._cells[self._places[slug]].source)

    def earlier_questions(self, slug: str) -> list[str]:
        """Slugs of the questions that `slug` rests on, in their order."""
        known = {question.slug for question in self._assignment.questions}
        names = [grade_id(self._cells[n]) or "" for n in sorted(self._needed(slug))]
        return [name for name in names if name in known and name != slug]

    def cells(self, slug: str) -> list[NotebookNode]:
        """What has to run before `slug` can be judged: the cells above the first question, those
        it rests on, and its own solution, last."""
        first = min((n for n, cell in enumerate(self._cells) if is_solution(cell)), default=0)
        wanted = sorted({*range(first), *self._needed(slug)} - {self._places[slug]})
        return [self._cells[n] for n in [*wanted, self._places[slug]]]

    def _needed(self, slug: str) -> set[int]:
        place = self._places[slug]
        checks = ast.parse(self._assignment.check_file(slug).read_text(encoding="utf-8"))
        found = {place, *self._definers(_mentioned(checks), place)}
        waiting = list(found)
        while waiting:
            number = waiting.pop()
            new = self._definers(self._used[number], number) - found
            found |= new
            waiting += new
        return found

    def _definers(self, names: Iterable[str], before: int) -> set[int]:
        """The last cell above `before` that defines each of `names`."""
        found = set()
        for name in names:
            places = [n for n in range(before) if name in self._defined[n]]
            found |= set(places[-1:])
        return found

    @cached_property
    def _defined(self) -> list[set[str]]:
        return [_top_level(parsed(cell.source)) for cell in self._cells]

    @cached_property
    def _used(self) -> list[set[str]]:
        trees = [parsed(cell.source) for cell in self._cells]
        return [{n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} for tree in trees]


def _top_level(tree: ast.Module) -> set[str]:
    """Names that a cell leaves behind."""
    found: set[str] = set()
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif not isinstance(node, _SCOPES):
            waiting += ast.iter_child_nodes(node)
    return found


def _mentioned(tree: ast.Module) -> set[str]:
    """What the probes of a check file ask for: attributes of `answers`, and strings."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found |= {node.attr} if node.value.id == "answers" else set()
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found

"""What nbgrader notes of a cell: its id, and whether it is an answer or a graded test."""

from __future__ import annotations

import ast
import re
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # loading nbformat takes longer than many a command
    from nbformat import NotebookNode

ADDED = "added-"  # before the number of a student's own cell, in its id
CHECK_PREFIX = "check_"  # of a graded test cell's id, and of the file that judges its question
_CELL_MAGIC = re.compile(r"\A(?:\s*%%.*\n)+")
_TIMED = re.compile(r"(?<![^ \t\n])%time[ \t]+(?=\S)")


def type_and_text(cell: NotebookNode) -> tuple[str, str] | None:
    """What tells a cell apart that has no name; None of an empty one."""
    text = "\n".join(lines(cell.source))
    return (cell.cell_type, text) if text else None


def lines(source: str) -> list[str]:
    """What a cell says, whatever its tool made of the ends of lines."""
    return [line.rstrip() for line in source.strip().splitlines()]


def grade_id(cell: NotebookNode) -> str | None:
    """The nbgrader id of a cell; None for a cell that nbgrader does not know."""
    found = cell.get("metadata", {}).get("nbgrader", {})
    value = found.get("grade_id") if isinstance(found, dict) else None
    return value if isinstance(value, str) else None


def name_of(cell: NotebookNode) -> str:
    """What a code cell is called: by its nbgrader id, else by the notebook's own."""
    return grade_id(cell) or str(cell.get("id", ""))


def is_solution(cell: NotebookNode) -> bool:
    return grade_id(cell) is not None and bool(cell.metadata.nbgrader.get("solution"))


def is_graded(cell: NotebookNode) -> bool:
    return grade_id(cell) is not None and bool(cell.metadata.nbgrader.get("grade"))


def cell_magic(cell: NotebookNode) -> str:
    """The magic that a cell is handed to, as `%%time`; empty where Python runs it."""
    found = re.match(r"\s*(%%\w+)", cell.source)
    return found[1] if found else ""


def clear_outputs(cell: NotebookNode) -> None:
    """Makes a code cell one that has not run yet."""
    if cell.cell_type == "code":
        cell.outputs, cell.execution_count = [], None


def error_in(cell: NotebookNode) -> str:
    """What a cell that ran has raised, in one line; empty if nothing."""
    errors = [one for one in cell.get("outputs", []) if one.output_type == "error"]
    return f"{errors[0].ename}: {errors[0].evalue}" if errors else ""


def is_task(cell: NotebookNode) -> bool:
    """Whether the cell sets a task, which a person grades."""
    return grade_id(cell) is not None and bool(cell.metadata.nbgrader.get("task"))


def parsed(source: str) -> ast.Module:
    """The syntax tree of a cell, magics as IPython reads them; empty when it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in a student's strings
            try:
                return ast.parse(source)
            except SyntaxError:
                return ast.parse(_without_magics(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _without_magics(source: str) -> str:
    from IPython.core.inputtransformer2 import TransformerManager

    manager = TransformerManager()  # type: ignore[no-untyped-call]
    return manager.transform_cell(_TIMED.sub("", _CELL_MAGIC.sub("", source)))

"""What a cell shows: its errors as they are told, and those that stand for a lost box."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from nbformat import NotebookNode

from autograder.box.outside.replies import CellReply
from autograder.course.cells import name_of
from autograder.results.model import Status
from autograder.results.plain import plain

TOLD_CHARS = 300
_LINE_OF_CELL = re.compile(r"(?:\.py|>|Cell In\[\d{1,9}\]), line (\d{1,9})")
_PLACE = re.compile(r" \([^()\n]{0,100}, line \d{1,9}\)")


def told_by(reply: CellReply) -> tuple[str, str, int | None]:
    """The name and text of the error that a cell showed, and the line of the cell."""
    shown = [output for output in reply.outputs if output.get("output_type") == "error"]
    if not shown:
        return reply.error or "", "", None
    name, text = (plain(str(shown[-1].get(key, "")))[:TOLD_CHARS] for key in ("ename", "evalue"))
    told = plain("\n".join(str(line) for line in shown[-1].get("traceback", [])))
    lines = _LINE_OF_CELL.findall(f"{text}\n{told}")
    return name, _PLACE.sub("", text), int(lines[0]) if lines else None


def place_of(cell: NotebookNode) -> str:
    """What a cell is called in a sentence."""
    return f"Cell {name_of(cell)}"


def size(outputs: Sequence[dict[str, Any]]) -> int:
    """How many characters the outputs of a cell hold."""
    return sum(len(str(value)) for output in outputs for value in output.values())


def error_output(status: Status, why: str) -> NotebookNode:
    """An error in the place of the outputs of a cell that was left out."""
    name = {"timeout": "CellTimeoutError", "memory": "MemoryError"}.get(status, "DeadKernelError")
    return NotebookNode(output_type="error", ename=name, evalue=why, traceback=[f"{name}: {why}"])

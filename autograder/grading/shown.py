"""What a cell shows: its errors as they are told, and those that stand for a lost box."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from nbformat import NotebookNode

from autograder.box.outside.replies import CellReply
from autograder.course.cells import ADDED, name_of
from autograder.results import sentences
from autograder.results.model import Status
from autograder.results.plain import in_code, plain

TOLD_CHARS = 300
LINE_CHARS = 40
MISUSE = "UsageError"  # of a magic
MISUSED = f"{MISUSE}: "
OUTPUT_CHARS = 1_000  # that each output counts at least
_LINE_OF_CELL = re.compile(r"(?:\.py|>|Cell In\[\d{1,9}\]), line (\d{1,9})")
_PLACE = re.compile(r" \([^()\n]{0,100}, line \d{1,9}\)")


def told_by(reply: CellReply) -> tuple[str, str, int | None]:
    """The name and text of the error that a cell showed, and the line of the cell."""
    if reply.error == MISUSE:
        return reply.error, _misuse(reply), None
    shown = [output for output in reply.outputs if output.get("output_type") == "error"]
    if not shown:
        return reply.error or "", "", None
    name, text = (plain(str(shown[-1].get(key, "")))[:TOLD_CHARS] for key in ("ename", "evalue"))
    told = plain("\n".join(str(line) for line in shown[-1].get("traceback", [])))
    lines = _LINE_OF_CELL.findall(f"{text}\n{told}")
    return name, _PLACE.sub("", text), int(lines[0]) if lines else None


def stopped(reply: CellReply) -> bool:
    """Whether a cell raised, and not only at what it went on without."""
    if reply.error is None or not reply.did_without:
        return reply.error is not None
    name, text, _ = told_by(reply)
    return text not in reply.did_without and name != NameError.__name__


def _misuse(reply: CellReply) -> str:
    """What IPython says of a magic, which it prints, and shows as no error."""
    told = (plain(str(one.get("text", ""))) for one in reply.outputs if one.get("name") == "stderr")
    lines = [line for text in told for line in text.splitlines()]
    said = [line for line in lines if line.startswith(MISUSED)] or [""]
    return said[-1].removeprefix(MISUSED)[:TOLD_CHARS].rstrip(".")


def lacking(reply: CellReply, where: str) -> str:
    """What to say of the first thing that the cell asked for and that is not there; else nothing.

    Behind it the cell went on, or it stood at the end.
    """
    raised = (one for one in reply.outputs if one.get("ename") == ModuleNotFoundError.__name__)
    said = reply.did_without or str(next(raised, {}).get("evalue", ""))
    told = in_code(said.rstrip("."), TOLD_CHARS) if said else ""
    return told and sentences.lacks(where, told, went_on=bool(reply.did_without))


def place_of(cell: NotebookNode) -> str:
    """What a cell is called in a sentence; a student's own has no name, but a first line."""
    name = name_of(cell)
    if not name.startswith(ADDED):
        return f"Cell {name}"
    first = cell.source.strip().partition("\n")[0]
    return f"Your own cell {in_code(first, LINE_CHARS)}"


def size(outputs: Sequence[dict[str, Any]]) -> int:
    """How many characters the outputs of a cell hold, or as many as they cost in memory."""
    return sum(
        max(OUTPUT_CHARS, sum(len(str(value)) for value in output.values())) for output in outputs
    )


def error_output(status: Status, why: str) -> NotebookNode:
    """An error in the place of the outputs of a cell that was left out."""
    name = {"timeout": "CellTimeoutError", "memory": "MemoryError"}.get(status, "DeadKernelError")
    return NotebookNode(output_type="error", ename=name, evalue=why, traceback=[f"{name}: {why}"])

"""One submission under way: its cells, its box, and a fresh box after each loss.

Theory of operation. The cells of a submission run in order in one box, then the probes of its
questions run in that same box. When a cell or a probe hangs, crashes or breaks the protocol, the
box is ended and the question it belongs to is marked lost. The next request starts a fresh box,
which first replays every cell that has not itself been lost, so that the other questions are
judged as if nothing had happened.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import torch
from nbformat import NotebookNode

from autograder import sentences
from autograder.box.client import Box, BoxLost, Zygote
from autograder.box.probes import Scalar
from autograder.box.replies import CellReply
from autograder.checking import CheckFailure, Probe, Reply, reply_or_failure
from autograder.course import CHECK_PREFIX, grade_id
from autograder.limits import Limits
from autograder.results import Status


class Session:
    """Runs a repaired notebook and answers the probes of its checks (a `Student`).

    Attributes:
        flags: what was left out or cut, one sentence each.
        lost: status and sentence of every question whose code cost a box, by slug.
        errors: slugs of questions whose own cell raised.
        truncated: slugs of questions whose own cells printed too much.
    """

    def __init__(
        self,
        zygote: Zygote,
        notebook: NotebookNode,
        slugs: Sequence[str],
        limits: Limits,
        assets: Mapping[str, Path],
        seed: int,
    ) -> None:
        self._zygote = zygote
        self._cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        self._slugs = frozenset(slugs)
        self._limits = limits
        self._assets = assets
        self._seed = seed
        self._deadline = time.monotonic() + limits.submission_seconds
        self._box: Box | None = None
        self._reached = 0
        self._skipped: set[int] = set()
        self._shown_bytes = 0
        self._current = ""
        self.flags: list[str] = []
        self.lost: dict[str, tuple[Status, str]] = {}
        self.errors: set[str] = set()
        self.truncated: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        if self._box is not None:
            self._box.close()
            self._box = None

    def run_cells(self) -> None:
        """Runs every code cell once, in order, and writes its outputs into the notebook."""
        while self._reached < len(self._cells):
            number = self._reached
            cell = self._cells[number]
            try:
                reply = self._ready_box().run_cell(cell.source, self._deadline)
            except BoxLost as loss:
                self._lose_cell(number, loss)
            else:
                self._show(cell, reply)
            self._reached += 1

    def begin(self, slug: str) -> None:
        """Says which question the next probes judge."""
        self._current = slug

    def run(self, probe: Probe, **inputs: torch.Tensor | Scalar) -> Reply:
        """See `autograder.checking.Student`."""
        slug = self._current
        if slug in self.lost:
            status, sentence = self.lost[slug]
            raise CheckFailure(sentence, status)
        try:
            found = self._ready_box().run_probe(probe.source, probe.name, inputs, self._deadline)
        except BoxLost as loss:
            self._box = None
            self.lost[slug] = (loss.status, sentences.lost(loss.status, self._limits, "Your code"))
            raise CheckFailure(self.lost[slug][1], loss.status) from loss
        try:
            return reply_or_failure(found)
        except CheckFailure as failure:
            if failure.status != "memory":
                raise
            said = sentences.lost("memory", self._limits, "Your code")
            raise CheckFailure(said, "memory") from failure

    def _ready_box(self) -> Box:
        """The box, or a fresh one in which all cells so far have been replayed."""
        while self._box is None:
            box = self._zygote.box(self._limits, self._assets, self._seed)
            self._box = box
            for number in range(self._reached):
                if number in self._skipped:
                    continue
                try:
                    box.run_cell(self._cells[number].source, self._deadline)
                except BoxLost as loss:
                    self._lose_cell(number, loss)
                    break
                if time.monotonic() >= self._deadline:
                    break
        return self._box

    def _lose_cell(self, number: int, loss: BoxLost) -> None:
        self._box = None
        self._skipped.add(number)
        cell = self._cells[number]
        slug = self._slug(cell)
        where = f"Cell {grade_id(cell) or cell.id}"
        why = sentences.lost(loss.status, self._limits, where)
        if slug is not None:
            self.lost.setdefault(slug, (loss.status, why))
        self.flags.append(sentences.left_out(where.lower(), why))
        cell.outputs = [_error_output(loss.status, why)]

    def _show(self, cell: NotebookNode, reply: CellReply) -> None:
        slug = self._slug(cell)
        where = f"cell {grade_id(cell) or cell.id}"
        if reply.error is not None and slug is not None and grade_id(cell) == slug:
            self.errors.add(slug)
        if reply.truncated:
            self.flags.append(sentences.truncated(where, self._limits))
            if slug is not None:
                self.truncated.add(slug)
        cell.execution_count = reply.execution_count
        self._shown_bytes += _size(reply.outputs)
        if self._shown_bytes <= self._limits.submission_output_bytes:
            cell.outputs = [NotebookNode(output) for output in reply.outputs]
        elif (sentence := sentences.too_much_output(self._limits)) not in self.flags:
            self.flags.append(sentence)

    def _slug(self, cell: NotebookNode) -> str | None:
        """The question that a cell belongs to; None for given cells and added ones."""
        name = (grade_id(cell) or "").removeprefix(CHECK_PREFIX)
        return name if name in self._slugs else None


def _size(outputs: Sequence[dict[str, Any]]) -> int:
    return sum(len(str(value)) for output in outputs for value in output.values())


def _error_output(status: Status, why: str) -> NotebookNode:
    name = {"timeout": "CellTimeoutError", "memory": "MemoryError"}.get(status, "DeadKernelError")
    return NotebookNode(output_type="error", ename=name, evalue=why, traceback=[f"{name}: {why}"])

"""The cells of one submission, run in a box, and in a fresh one after each loss.

Theory of operation. They run in order in one box. When one hangs, crashes or breaks the protocol,
the box is ended, and who asks for it next gets a fresh one, in which every cell runs again that has
not itself been lost, but for what `own_time` leaves out. Cells of the release that rest on an
answer that hung are left out, since each would hang as long. Once the submission's time is over no
box is started.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from nbformat import NotebookNode

from autograder.box.outside.client import Box, BoxLost
from autograder.box.outside.replies import CellReply
from autograder.box.outside.zygotes import Zygote
from autograder.course.cells import ADDED, CHECK_PREFIX, grade_id, name_of
from autograder.course.limits import Limits
from autograder.course.pace import Pace
from autograder.grading.own_time import OwnCells, OwnTime
from autograder.grading.shown import error_output, lacking, place_of, size, stopped, told_by
from autograder.results import sentences
from autograder.results.model import Status

OUT_OF_MEMORY = "MemoryError"  # what the cell made may be kept, and starve all that follows


class NoTimeLeft(BoxLost):
    """Nothing was asked of a box, since the submission's time was over by then."""


@dataclass(frozen=True)
class Terms:
    """What the cells of a submission run under.

    Attributes:
        zygote: of which their boxes are forked.
        slugs: of the assignment's questions.
        assets: files beside the notebook, by their names.
        seed: what random numbers follow from.
        deadline: when it ends, a reading of `time.monotonic()` in seconds; None gives it the time
            of a whole submission.
        questions_under: says which questions a cell rests on.
        pace: how long the instructor's solution takes.
        own: which of the student's own cells are left out; None for none.
    """

    zygote: Zygote
    slugs: Sequence[str]
    limits: Limits
    assets: Mapping[str, Path]
    seed: int
    deadline: float | None = None
    questions_under: Callable[[NotebookNode], set[str]] = lambda cell: set()
    pace: Pace = field(default_factory=Pace)
    own: OwnCells | None = None


class RunOfCells:
    """Runs the code cells of a repaired notebook.

    Attributes:
        flags: what was left out or cut, one sentence each.
        lost: status and sentence of every question whose code cost a box, by slug.
        errors: slugs of questions whose own cell raised.
        truncated: slugs of questions whose own cells printed too much.
        stopped: what is said of each of the student's own cells that raised, by its name.
        suspects: slugs of questions in whose visible checks, or below them, a cell ran out of time:
            so, most likely, would what their checks ask for.
        hung: slugs of questions that ran out of time, or on which a cell rests that did.
        spent_by_cells: seconds of the processor that each cell took, by its name.
    """

    def __init__(self, terms: Terms, notebook: NotebookNode) -> None:
        """Nothing runs yet."""
        self._terms = terms
        self._cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        self._slugs = frozenset(terms.slugs)
        self._limits = terms.limits
        self._own = terms.own or OwnCells(OwnTime(), frozenset)
        self._deadline = terms.deadline or time.monotonic() + terms.limits.submission_seconds
        self._box: Box | None = None
        self._reached = 0
        self._skipped: set[int] = set()
        self._unbegun: set[int] = set()
        self._checked: set[str] = set()
        self._raised: dict[str, tuple[str, str, int | None]] = {}
        self._shown_bytes = 0
        self._left_alike: dict[str, tuple[int, str, list[str]]] = {}
        self.flags: list[str] = []
        self.lost: dict[str, tuple[Status, str]] = {}
        self.errors: set[str] = set()
        self.truncated: set[str] = set()
        self.stopped: dict[str, str] = {}
        self.suspects: set[str] = set()
        self.hung: set[str] = set()
        self.spent_by_cells: dict[str, float] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends its box."""
        self._end_box()

    def run_cells(self) -> None:
        """Runs every code cell once, in order, and writes its outputs into the notebook."""
        while self._reached < len(self._cells):
            number = self._reached
            cell = self._cells[number]
            if (
                self._left_out(number)
                or self._leaves_out_own(number)
                or self._leaves_out_hanging(number)
            ):
                self._reached += 1
                continue
            try:
                reply = self._run_cell(self._ready_box(), cell)
            except BoxLost as loss:
                self._lose_cell(number, loss)
            else:
                self._checked |= {self._question_of_check(cell) or ""}
                if reply.error == OUT_OF_MEMORY:
                    self._end_box()
                    self._lose_cell(number, BoxLost("memory", "a cell needed too much memory"))
                else:
                    self._show(cell, reply)
            self._reached += 1

    def postpone(self, seconds: float) -> None:
        """Gives it as much more time."""
        self._deadline += seconds

    @property
    def is_over(self) -> bool:
        """Whether it has had its time."""
        return time.monotonic() >= self._deadline

    @property
    def kept_cells(self) -> list[NotebookNode]:
        """The cells that were not left out, but for want of time before they began."""
        return [
            cell
            for n, cell in enumerate(self._cells)
            if not self._left_out(n)
            or (n in self._unbegun and self._question_of_check(cell) is None)
        ]

    def _run_cell(self, box: Box, cell: NotebookNode) -> CellReply:
        name, lost = name_of(cell), True
        until = self._own.deadline(cell, self._deadline, self._limits.cell_seconds)
        started = time.monotonic()
        try:
            reply = box.run_cell(cell.source, until, self._terms.pace.of_cell(name))
            lost = False
        finally:
            self._own.note(cell, time.monotonic() - started, lost=lost)
        self.spent_by_cells[name] = box.spent
        return reply

    def _ready_box(self) -> Box:
        """The box, or a fresh one in which all cells so far have been replayed.

        Raises:
            NoTimeLeft: the submission's time is over.
        """
        while True:
            if self.is_over:
                self._end_box()
                raise NoTimeLeft("timeout", "the submission ran out of time")
            if self._box is not None and not self._box.gone:  # it may be, with a branch of it
                return self._box
            self._box = self._terms.zygote.box(self._limits, self._terms.assets, self._terms.seed)
            self._replay(self._box)

    def _replay(self, box: Box) -> None:
        """Runs the cells so far, up to the first that costs the box or has no more time."""
        for number in range(self._reached):
            if self.is_over:
                return
            if self._left_out(number) or self._leaves_out_own(number):
                continue
            try:
                self._run_cell(box, self._cells[number])
            except BoxLost as loss:
                self._lose_cell(number, loss)
                return

    def _end_box(self) -> None:
        if self._box is not None and not self._box.gone:
            self._box.close()
        self._box = None

    def _left_out(self, number: int) -> bool:
        judged = self._question_of_check(self._cells[number]) is not None
        return number in self._skipped or (judged and bool(self._skipped or self.lost))

    def _leaves_out_own(self, number: int) -> bool:
        """Whether one of the student's own cells is left out for want of time; says so if it is."""
        cell = self._cells[number]
        if not self._own.leaves_out(cell):
            return False
        why = sentences.own_cells_left_out(self._own.time.seconds)
        if why not in self.flags:
            self.flags.append(why)
        if number >= self._reached:
            cell.outputs = [error_output("timeout", why)]
        return True

    def _leaves_out_hanging(self, number: int) -> bool:
        """Leaves out a cell of the release that rests on an answer that hung; whether it does."""
        cell = self._cells[number]
        if not self.hung or not grade_id(cell) or grade_id(cell) in self._slugs:
            return False
        hung = self._terms.questions_under(cell) & self.hung
        if hung:
            self._leave_out(number, "timeout", sentences.rests_on_hung(place_of(cell), hung))
        return bool(hung)

    def _lose_cell(self, number: int, loss: BoxLost) -> None:
        self._box = None
        cell = self._cells[number]
        why = self._why(loss, place_of(cell))
        self._unbegun |= {number} if isinstance(loss, NoTimeLeft) else set()
        if grade_id(cell) in self._slugs:
            self.lost.setdefault(grade_id(cell) or "", (loss.status, why))
        if loss.status == "timeout" and not self._is_nobodys(loss):
            under = self._terms.questions_under(cell)
            self.suspects |= under - self._checked
            self.hung |= under - self._checked or under
        self._leave_out(number, loss.status, why)

    def _is_nobodys(self, loss: BoxLost) -> bool:
        """Whether a cell was ended for what others had taken."""
        return loss.seconds is None and (isinstance(loss, NoTimeLeft) or not self.is_over)

    def _why(self, loss: BoxLost, where: str) -> str:
        own = self._own.time
        if isinstance(loss, NoTimeLeft):
            return sentences.no_time_left(where, self._limits, own.spent if own.is_over else None)
        if loss.status == "timeout" and self._is_nobodys(loss):
            return sentences.own_cells_over(where, own.seconds)
        return sentences.lost(loss.status, self._limits, where, loss.seconds)

    def _leave_out(self, number: int, status: Status, why: str) -> None:
        self._skipped.add(number)
        cell = self._cells[number]
        cell.outputs = [error_output(status, why)]
        place = place_of(cell)
        what = why.replace(place[1:], "")  # where it stands within a sentence, too
        flag, first, places = self._left_alike.setdefault(what, (len(self.flags), why, []))
        places.append(place)
        self.flags[flag : flag + 1] = [sentences.left_out(first, places[1:])]

    def _show(self, cell: NotebookNode, reply: CellReply) -> None:
        name = name_of(cell)
        if reply.error is not None and name in self._slugs:
            self.errors.add(name)
            self._raised[name] = told_by(reply)
        if name.startswith(ADDED) and stopped(reply):
            self.stopped[name] = sentences.stopped(place_of(cell), *told_by(reply))
        if said := lacking(reply, place_of(cell)):
            self.flags.append(said)
        if reply.truncated:
            self.flags.append(sentences.truncated(f"cell {name}", self._limits))
            self.truncated.add(self._question_of_check(cell) or name)
        cell.execution_count = reply.execution_count
        self._shown_bytes += size(reply.outputs)
        if self._shown_bytes <= self._limits.submission_output_bytes:
            cell.outputs = [NotebookNode(output) for output in reply.outputs]
        elif (sentence := sentences.too_much_output(self._limits)) not in self.flags:
            self.flags.append(sentence)

    def _question_of_check(self, cell: NotebookNode) -> str | None:
        """The question whose graded test cell this is; None for every other cell."""
        name = grade_id(cell) or ""
        slug = name.removeprefix(CHECK_PREFIX)
        return slug if name != slug and slug in self._slugs else None

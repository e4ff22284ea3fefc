"""Which cells of a notebook a question rests on, told from the names in their sources."""

from __future__ import annotations

import copy
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import cached_property

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.course.assignments import Assignment
from autograder.course.cells import CHECK_PREFIX, grade_id, is_graded, is_solution, name_of
from autograder.grading.demands import Demands
from autograder.grading.names import Names, Readings, definitions, names_of


class Dependencies:
    """What the questions of an assignment rest on in one notebook of it.

    A question rests on a cell that defines a name which its solution takes from elsewhere, or
    which its checks ask for, and on whatever that cell rests on.
    """

    def __init__(
        self,
        assignment: Assignment,
        notebook: NotebookNode,
        demands: Demands | None = None,
        *,
        with_checks: bool = False,
    ) -> None:
        """Nothing is read yet.

        Args:
            demands: of this assignment's checks, where they may have been read before.
            with_checks: whether the visible checks are among the cells, as they are released.
        """
        self._assignment = assignment
        self._demands = demands or Demands(assignment)
        released = {grade_id(cell): cell for cell in assignment.release.cells if with_checks}
        self._cells = [
            released[grade_id(cell)] if is_graded(cell) else cell
            for cell in notebook.cells
            if cell.cell_type == "code" and (with_checks or not is_graded(cell))
        ]
        self._places = {grade_id(cell): n for n, cell in enumerate(self._cells)}

    def of(self, notebook: NotebookNode) -> Dependencies:
        """What the questions rest on in another notebook of the same assignment."""
        return Dependencies(self._assignment, notebook, self._demands)

    def answered(
        self,
        slug: str,
        answer: str,
        *,
        keeps: bool = False,
        stays: bool = False,
        readings: Readings | None = None,
    ) -> Dependencies:
        """What the questions rest on where `answer` stands in the cell of `slug`.

        Args:
            keeps: whether what else that cell defines, and others use, stays below `answer`.
            stays: whether a cell of the student's own that defines the same does so no more.
            readings: what has been read for other answers, and the time for what is read now.
        """
        place, readings = self._places[slug], readings or Readings()
        (names,) = readings.names_of([answer])
        changed = {place: answer}
        if keeps and (helpers := self._helpers(place, names, readings)):
            changed[place] = f"{answer}\n\n{helpers}"
        if stays:
            below = self._redefining(place, names)
            changed |= {n: self._helpers(n, names, readings) for n in below}
        other = copy.copy(self)
        other._cells, other._names = [*self._cells], [*self._names]
        for n, read in zip(changed, readings.names_of([*changed.values()]), strict=True):
            other._cells[n] = NotebookNode({**self._cells[n], "source": changed[n]})
            other._names[n] = read
        for kept in ("_defining", "_last_use", "_closures"):
            other.__dict__.pop(kept, None)
        return other

    def written_above(
        self, slug: str, answers: Mapping[str, str], readings: Readings
    ) -> list[NotebookNode]:
        """All that the student wrote down to `slug` and right below, and what that rests on.

        Args:
            answers: by slug, what runs once more below each cell that defines the same.
            readings: what has been read of them, and the time for what is read now.
        """
        above = range(self._end(slug))
        written = [n for n in above if self._is_own(n) or is_solution(self._cells[n])]
        below: dict[int, list[str]] = {}
        for name, names in zip(answers, readings.names_of([*answers.values()]), strict=True):
            place = self._places[name]
            for n in [place, *self._redefining(place, names)]:
                below.setdefault(n, []).append(answers[name])
        wanted = sorted({*self._first, *self._needed([slug]), *self._rested_on(written)})
        return [c for n in wanted for c in (self._cells[n], *map(new_code_cell, below.get(n, ())))]

    def _redefining(self, place: int, answer: Names) -> list[int]:
        """The cells of the student's own below `place` that define what `answer` does."""
        return [
            n
            for n in range(place + 1, len(self._cells))
            if self._is_own(n) and self._names[n].defined & answer.defined
        ]

    def _is_own(self, number: int) -> bool:
        """Whether the student has added this cell."""
        return grade_id(self._cells[number]) is None

    def _helpers(self, place: int, answer: Names, readings: Readings) -> str:
        """What a cell alone defines, and not `answer`, of what cells below it use."""
        alone = self._names[place].defined - answer.defined
        own = {name for name in alone if self._defining[name][0] == place}
        used = {name for name in own if self._last_use.get(name, place) > place}
        if not used:
            return ""
        return definitions(readings.statements_of(self._cells[place].source), used, own)

    @property
    def slugs(self) -> list[str]:
        """Every question, in the order of the release."""
        return [question.slug for question in self._assignment.questions]

    def source(self, slug: str) -> str:
        """The solution cell of a question."""
        return str(self._cells[self._places[slug]].source)

    def earlier_questions(self, slug: str) -> list[str]:
        """Slugs of the questions that `slug` rests on, in their order."""
        names = [grade_id(self._cells[n]) for n in sorted(self._needed([slug]))]
        return [name for name in names if name in self.slugs and name is not None and name != slug]

    def questions_under(self, cell: NotebookNode) -> set[str]:
        """Slugs of the questions that a cell of this notebook rests on.

        The cell of a question and its test cell count as resting on that question.
        """
        slug = (grade_id(cell) or "").removeprefix(CHECK_PREFIX)
        own = [n for n, one in enumerate(self._cells) if one is cell]
        found = self._rested_on({*own, *([self._places[slug]] if slug in self.slugs else [])})
        return {grade_id(self._cells[n]) or "" for n in found} & set(self.slugs)

    def cells(self, slug: str, besides: Iterable[str] = ()) -> list[NotebookNode]:
        """What has to run before `slug` can be judged: the cells above the first question, those
        that it and the questions `besides` rest on, and its own solution, last."""
        wanted = {*self._first, *self._needed([slug, *besides])} - {self._places[slug]}
        return [self._cells[n] for n in [*sorted(wanted), self._places[slug]]]

    def names_under(self, slugs: Iterable[str]) -> set[str]:
        """The names of the cells that these questions rest on, their own among them."""
        return {name_of(self._cells[n]) for n in self._needed(slugs)}

    def cells_above(self, slug: str) -> list[NotebookNode]:
        """Every cell down to the solution of `slug`, and those right below, up to the next one."""
        return self._cells[: self._end(slug)]

    def _end(self, slug: str) -> int:
        """The place of the next solution below that of `slug`, or behind all cells."""
        later = [n for n, c in enumerate(self._cells) if is_solution(c) and n > self._places[slug]]
        return min(later, default=len(self._cells))

    def up_to_check(self, slug: str) -> list[NotebookNode]:
        """What has to run before the visible check of `slug`, and that check, last.

        Raises:
            KeyError: these are dependencies without checks.
        """
        wanted = {*self._first, *self._rested_on({self._places[CHECK_PREFIX + slug]})}
        return [self._cells[n] for n in sorted({*wanted, *self._needed([slug])})]

    @property
    def _first(self) -> range:
        """The cells above the first question."""
        return range(min((n for n, c in enumerate(self._cells) if is_solution(c)), default=0))

    def _needed(self, slugs: Iterable[str]) -> set[int]:
        found: set[int] = set()
        for slug in slugs:
            found |= {self._places[slug], *self._definers(self._asked(slug), self._places[slug])}
        return self._rested_on(found)

    def _rested_on(self, numbers: Iterable[int]) -> set[int]:
        """These cells and all that they rest on."""
        whole = 0
        for number in numbers:
            whole |= self._closures[number]
        return {n for n, bit in enumerate(reversed(f"{whole:b}")) if bit == "1"}

    @cached_property
    def _closures(self) -> list[int]:
        """Of each cell the cells that it rests on, and itself, as the bits of a number."""
        found: list[int] = []
        for number, names in enumerate(self._names):
            whole = 1 << number
            for definer in self._definers(names.used, number):
                whole |= found[definer]
            found.append(whole)
        return found

    def _definers(self, names: Iterable[str], before: int) -> set[int]:
        """The last cell above `before` that defines each of `names`."""
        found = set()
        for name in names:
            places = self._defining.get(name, [])
            if above := bisect_left(places, before):
                found.add(places[above - 1])
        return found

    @cached_property
    def _defining(self) -> dict[str, list[int]]:
        """The cells that define each name, from the first on."""
        found: dict[str, list[int]] = {}
        for number, names in enumerate(self._names):
            for name in names.defined:
                found.setdefault(name, []).append(number)
        return found

    @cached_property
    def _last_use(self) -> dict[str, int]:
        """The last cell that uses each name."""
        return {name: n for n, names in enumerate(self._names) for name in names.used}

    @cached_property
    def _names(self) -> list[Names]:
        return names_of([cell.source for cell in self._cells])

    def _asked(self, slug: str) -> set[str]:
        """The names that the checks of a question ask for and its own cell does not define."""
        return self._demands.of(slug) - self._names[self._places[slug]].defined

"""Where in a submission a student's own cells stand, and which of them are answers.

Theory of operation. Students write where they please, and their tools lose what nbgrader notes of a
cell. A cell that has kept its id alone is taken for the released one. What somebody imports in a
locked cell, or defines there that no locked cell does, stands in a cell of its own behind it. And
where a released cell for an answer was left as it is, the student's own cells in its place hold the
answer; where it was taken away, those above its place do as well, and so does the cell of an
earlier answer that it was joined to: what that one defines for it stands in a cell of its own too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import takewhile

import nbformat
from nbformat import NotebookNode

from autograder.course.cells import grade_id, is_solution
from autograder.intake.apart import answers_in, lines, own_code

_GIVEN = re.compile(r"^(?:(?:async )?def |class )?(\w+)(?= *[=:(])", re.MULTILINE)


def in_shape(submission: NotebookNode, release: NotebookNode) -> list[NotebookNode]:
    """The cells of a submission: each known by its `grade_id`, and the student's own code apart.

    Raises:
        Ungraded: no helper can be started.
    """
    released = {grade_id(cell): cell for cell in release.cells if grade_id(cell)}
    code = [cell for cell in released.values() if cell.cell_type == "code"]
    order = {grade_id(cell): place for place, cell in enumerate(code)}
    cells = list(_named(submission.cells, released))
    known = {grade_id(cell) for cell in cells}
    gone = [grade_id(cell) not in known for cell in code]
    edited, joined = dict[int, list[str]](), dict[int, tuple[str, list[str]]]()
    for place, cell in enumerate(cells):
        at = order.get(grade_id(cell))
        if at is None or cell.cell_type != "code" or not is_changed(cell, code[at]):
            continue
        if not is_solution(code[at]):
            edited[place] = [cell.source, code[at].source]
        elif below := [n for n in range(at, len(code)) if gone[n] and is_solution(code[n])]:
            joined[place] = cell.source, [code[n].source for n in below]
    own = dict(zip(edited, own_code([*edited.values()], _locked(code)), strict=True))
    behind = {place: [source] for place, source in own.items()}
    behind |= zip(joined, answers_in([*joined.values()]), strict=True)
    for place in sorted(behind, reverse=True):
        found = [nbformat.v4.new_code_cell(source) for source in behind[place] if source]
        cells[place + 1 : place + 1] = found
    return cells


def _locked(code: Iterable[NotebookNode]) -> list[str]:
    return [cell.source for cell in code if not is_solution(cell)]


def _named(
    cells: Sequence[NotebookNode], released: Mapping[str | None, NotebookNode]
) -> Iterator[NotebookNode]:
    """The cells; one that has lost its `grade_id`, and has its id, with what was released of it."""
    by_id = {cell.id: cell for cell in released.values()}
    known = {grade_id(cell) for cell in cells}
    for cell in cells:
        its = by_id.get(cell.get("id", "")) if grade_id(cell) is None else None
        lost = its is not None and grade_id(its) not in known
        yield NotebookNode({**cell, "metadata": its.metadata}) if its and lost else cell


def is_changed(cell: NotebookNode, released: NotebookNode) -> bool:
    """Whether somebody wrote something into a released cell, or took something out of it."""
    return lines(cell.source) != lines(released.source)


def gives_names_of(released: NotebookNode, cells: Iterable[NotebookNode]) -> list[NotebookNode]:
    """Those of the cells that give a name a value which a released one gives a value."""
    names = set(_GIVEN.findall(released.source))
    return [cell for cell in cells if names & set(_GIVEN.findall(cell.source))]


def places(cells: Sequence[NotebookNode], release: NotebookNode) -> list[int | None]:
    """The place in its release of each cell; None of what the student added.

    A cell that nbgrader does not know is known by its id and text, or by its text where that stands
    in the order of the release: so of equal ones one is the released cell, and a copy is not.
    """
    wanted, found = [[*map(_key, those)] for those in (release.cells, cells)]
    by_name = {name: place for place, name in enumerate(wanted) if isinstance(name, str)}
    by_id = {(cell.id, wanted[place]): place for place, cell in enumerate(release.cells)}
    sure = [
        by_name.get(key) if isinstance(key, str) else by_id.get((cell.get("id"), key))
        for cell, key in zip(cells, found, strict=True)
    ]
    taken = {*sure}
    free = {n: place for n, place in in_order(found, wanted).items() if place not in taken}
    return [free.get(n) if place is None else place for n, place in enumerate(sure)]


def _key(cell: NotebookNode) -> str | tuple[str, str] | None:
    """What a cell is told apart by: its `grade_id`, or its type and text; None of an empty one."""
    text = cell.source.strip()
    return grade_id(cell) or ((cell.cell_type, text) if text else None)


def in_order(found: Sequence[object], wanted: Sequence[object]) -> dict[int, int]:
    """The places in `wanted` of what stands in `found` in the same order; a None has no place."""
    ours, theirs = ([n for n, one in enumerate(of) if one] for of in (wanted, found))
    match = SequenceMatcher(None, [wanted[n] for n in ours], [found[n] for n in theirs], False)
    blocks = match.get_matching_blocks()
    return {theirs[one.b + k]: ours[one.a + k] for one in blocks for k in range(one.size)}


def answered_elsewhere(
    cells: Sequence[NotebookNode],
    release: NotebookNode,
    copies: Mapping[str | None, Sequence[NotebookNode]],
    stand: Sequence[int | None],
) -> dict[str, list[NotebookNode]]:
    """The student's own cells that hold an answer, by the name of the cell that was for it.

    `stand`: their `places`.
    """
    found = {}
    for place, released in enumerate(release.cells):
        name = grade_id(released)
        if name is None or not is_solution(released):
            continue
        left = copies.get(name, ())
        if any(is_changed(cell, released) for cell in left):
            continue
        is_code = released.cell_type == "code"
        where = _own_up_to if is_code and not left else _own_at
        own = [c for c in where(place, cells, stand) if c.cell_type == released.cell_type]
        if is_code:
            own = gives_names_of(released, own)[-1:]
        if own := [cell for cell in own if cell.source.strip()]:
            found[name] = own
    return found


def _own_at(
    place: int, cells: Sequence[NotebookNode], stand: Sequence[int | None]
) -> list[NotebookNode]:
    """The student's own cells between those that stand around a place in the release."""
    before, own = -1, list[NotebookNode]()
    for cell, at in zip(cells, stand, strict=True):
        if at is None:
            own.append(cell)
        elif at != place:
            if before < place < at:
                return own
            before, own = at, []
    return own if before < place else []


def _own_up_to(
    place: int, cells: Sequence[NotebookNode], stand: Sequence[int | None]
) -> list[NotebookNode]:
    """The student's own cells before all that stands behind a place in the release.

    A released cell that is put back there would undo what they define.
    """
    pairs = zip(cells, stand, strict=True)
    up_to = takewhile(lambda pair: pair[1] is None or pair[1] < place, pairs)
    return [cell for cell, at in up_to if at is None]

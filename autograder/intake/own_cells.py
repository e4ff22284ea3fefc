"""Where in a submission a student's own cells stand, and which of them are answers.

Theory of operation. Students write where they please, and their tools lose what nbgrader notes of a
cell. A cell that has kept its id alone is taken for the released one. What somebody imports in a
locked cell, or defines there that no locked cell does, stands in a cell of its own behind it. And
where a released cell for an answer was left as it is, the student's own cells in its place hold the
answer; where it was taken away, those above its place do as well, and so does the cell that it was
joined to: what of a locked one was not given, or of an earlier answer's defines the later one,
stands in a cell of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import compress, takewhile

import nbformat
from nbformat import NotebookNode

from autograder.course.cells import grade_id, is_solution, lines, type_and_text
from autograder.intake.apart import Edited, Place, parts_of

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
    at_place = cache(lambda at: _place(code, gone, at))
    edited = {}
    for place, cell in enumerate(cells):
        at = order.get(grade_id(cell))
        if at is not None and cell.cell_type == "code" and is_changed(cell, code[at]):
            edited[place] = Edited(cell.source, at_place(at))
    edited = {n: cell for n, cell in edited.items() if cell.place.stubs or not cell.place.is_answer}
    locked = [number for number, cell in enumerate(code) if not is_solution(cell)]
    found = parts_of([*edited.values()], [cell.source for cell in code], locked)
    for place, (before, behind) in reversed([*zip(edited, found, strict=True)]):
        around = [_own(before), [cells[place]], *map(_own, behind)]
        cells[place : place + 1] = [cell for part in around for cell in part]
    return cells


def _own(source: str) -> list[NotebookNode]:
    return [nbformat.v4.new_code_cell(source)] if source else []


def _place(code: Sequence[NotebookNode], gone: Sequence[bool], at: int) -> Place:
    """A released cell with those that may have been joined to it.

    Args:
        code: all code cells of the release.
        gone: which of them the submission lacks.
        at: which of them the cell is.
    """
    above = [*takewhile(gone.__getitem__, range(at - 1, -1, -1))]
    below = [*takewhile(gone.__getitem__, range(at + 1, len(code)))]
    answers = [n for n, cell in enumerate(code) if gone[n] and is_solution(cell)]
    is_answer = is_solution(code[at])
    return Place(
        at,
        is_answer,
        given=[n for n in (*above, *below) if n not in answers],
        below_answer=any(n in answers for n in above),
        stubs=[
            n for n in answers if n in below or (n > at and is_answer and _gives_names(code[n]))
        ],
    )


def _named(
    cells: Sequence[NotebookNode], released: Mapping[str | None, NotebookNode]
) -> Iterator[NotebookNode]:
    """The cells; one that has lost its `grade_id`, and has its id, with what was released of it.

    Where all have lost it, a cell with the text of a released one is that, too.
    """
    by_id = {cell.id: cell for cell in released.values()}
    known = {grade_id(cell) for cell in cells}
    by_text = {} if known - {None} else {type_and_text(cell): cell for cell in released.values()}
    for cell in cells:
        its = None
        if grade_id(cell) is None:
            its = by_id.get(cell.get("id", "")) or by_text.get(type_and_text(cell))
        if its is None or grade_id(its) in known:
            yield cell
        else:
            known.add(grade_id(its))
            yield NotebookNode({**cell, "metadata": its.metadata})


def is_changed(cell: NotebookNode, released: NotebookNode) -> bool:
    """Whether somebody wrote something into a released cell, or took something out of it."""
    return lines(cell.source) != lines(released.source)


def _gives_names(released: NotebookNode) -> bool:
    return bool(_GIVEN.search(released.source))


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
    return grade_id(cell) or type_and_text(cell)


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
        if released.cell_type == "code":
            own = _own_code_for(released, place, cells, stand, is_gone=not left)[-1:]
        else:
            own = [c for c in _own_at(place, cells, stand) if c.cell_type == released.cell_type]
        if own := [cell for cell in own if cell.source.strip()]:
            found[name] = own
    return found


def _own_code_for(
    released: NotebookNode,
    place: int,
    cells: Sequence[NotebookNode],
    stand: Sequence[int | None],
    *,
    is_gone: bool,
) -> list[NotebookNode]:
    """The student's own cells that may answer what a released one at a place asks for.

    Where that one gives no names a value, nothing but its being gone tells them from other cells.
    """
    names = _gives_names(released)
    if is_gone and not names:
        written = [cell.cell_type == "code" and bool(cell.source.strip()) for cell in cells]
        return _own_at(place, [*compress(cells, written)], [*compress(stand, written)])
    own = (_own_up_to if is_gone else _own_at)(place, cells, stand)
    return gives_names_of(released, [cell for cell in own if cell.cell_type == "code"])


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

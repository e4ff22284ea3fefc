"""Reading a submitted notebook, and putting it back into the shape of its release.

From the release come cell order, ids, points and the sources of locked cells; from the student
come only the sources of solution cells and the cells that the student added.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.course.cells import ADDED, clear_outputs, grade_id, is_solution, name_of
from autograder.intake.bare import bare_text, no_notebook
from autograder.intake.own_cells import (
    answered_elsewhere,
    gives_names_of,
    in_order,
    in_shape,
    is_changed,
    places,
)
from autograder.intake.own_texts import is_essay, told, where_own_texts_stand
from autograder.intake.reading import read_bytes

MOST_ALIKE = 3  # cells of which the same is told one by one
Flag = tuple[str, str, str]  # of which kind of cell, its name, what was wrong with it
START = ""  # anchor of the cells that a student put before the release's first


@dataclass(frozen=True)
class Repaired:
    """A submission in the release's shape.

    Attributes:
        notebook: what is executed and shown, without outputs.
        flags: what was wrong, one sentence each.
        unanswered: grade_ids of solution cells left as they were released.
    """

    notebook: NotebookNode
    flags: list[str]
    unanswered: frozenset[str]


def read_notebook(path: Path, max_bytes: int) -> NotebookNode:
    """Reads a notebook file as hostile input: no links, regular files only, size-capped.

    Raises:
        UnreadableSubmission: the file is missing, is no notebook, or is too large.
    """
    return parse_notebook(read_bytes(path, max_bytes), str(path))


def parse_notebook(data: bytes, name: str) -> NotebookNode:
    """A version 4 notebook out of untrusted bytes.

    Raises:
        UnreadableSubmission: they are no notebook.
    """
    notebook: NotebookNode = nbformat.v4.reads(bare_text(data, name))
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        raise no_notebook(name) from error
    return notebook


def repair(submission: NotebookNode, release: NotebookNode) -> Repaired:
    """Merges the student's answers into the released notebook; neither argument is changed."""
    own = in_shape(submission, release)
    copies = _copies(own)
    stand = places(own, release)
    elsewhere = answered_elsewhere(own, release, copies, stand)
    answers = {
        name: _answer(elsewhere.get(name, copies[name]), released)
        for released in release.cells
        if (name := grade_id(released)) and is_solution(released)
        if copies[name] or name in elsewhere
    }
    added = _added_cells([*zip(own, stand, strict=True)], release, answers, elsewhere)
    shape = _out_of_shape(copies, release, dict.fromkeys(elsewhere, _how_found(submission)))
    flags = _told([*shape, *_out_of_order(own, release)])

    cells = list(added[START])
    unanswered = set()
    for released in release.cells:
        cell = copy.deepcopy(released)
        name = grade_id(cell)
        if name in answers:
            cell.source = answers[name].source
        if is_solution(cell) and not is_changed(cell, released):
            unanswered.add(name or "")
        clear_outputs(cell)
        cells += [cell, *added[cell.id]]
    notebook = nbformat.v4.new_notebook(
        cells=cells, metadata=copy.deepcopy(release.metadata), nbformat_minor=5
    )
    flags += _texts_to_look_at(notebook, unanswered)
    return Repaired(notebook, flags, frozenset(unanswered))


def _texts_to_look_at(notebook: NotebookNode, unanswered: Container[str]) -> list[str]:
    """What is told of written answers whose cells hold nothing, where a text stands elsewhere."""
    names = [name_of(cell) for cell in notebook.cells if is_essay(cell)]
    empty = [name for name in names if name in unanswered]
    where = where_own_texts_stand(notebook) if empty else ""
    return [told(name, where) for name in empty if where]


def _copies(cells: Sequence[NotebookNode]) -> defaultdict[str | None, list[NotebookNode]]:
    """The cells of a submission by their grade_id, several where one was split or pasted."""
    found = defaultdict(list)
    for cell in cells:
        found[grade_id(cell)].append(cell)
    return found


def _answer(copies: Sequence[NotebookNode], released: NotebookNode) -> NotebookNode:
    """The cell that holds the answer among those of its id, or one made of all of them.

    A text is what stands in all of them. Of code it is the last that gives a name a value which
    the released one gives a value; the others run where they stand.
    """
    changed = [cell for cell in copies if is_changed(cell, released)]
    if released.cell_type != "code" and len(changed) > 1:
        parts = dict.fromkeys(cell.source for cell in changed)
        return NotebookNode({**changed[-1], "source": "\n\n".join(parts)})
    return (gives_names_of(released, changed) or changed or copies)[-1]


def _how_found(submission: NotebookNode) -> str:
    if any(map(grade_id, submission.cells)):
        return "was answered in another cell"
    return "was found by content, since no cell had its nbgrader id"


def _out_of_shape(
    copies: Mapping[str | None, Sequence[NotebookNode]],
    release: NotebookNode,
    elsewhere: Mapping[str, str],
) -> Iterator[Flag]:
    """What is told of each cell; `elsewhere`: of answers that stood in cells without their id."""
    for released in release.cells:
        name = grade_id(released)
        if name is None:
            continue
        kind = "solution cell" if is_solution(released) else "locked cell"
        found = copies.get(name, ())
        if name in elsewhere:
            yield kind, name, elsewhere[name]
        elif not found:
            yield kind, name, "was missing"
        if not found:
            continue
        if len(found) > 1:
            yield kind, name, f"was there {len(found)} times"
        if any(cell.cell_type != released.cell_type for cell in found):
            yield kind, name, "had another cell type"
        if not is_solution(released) and any(is_changed(cell, released) for cell in found):
            yield kind, name, "was edited"
        if any(_settings(cell) != _settings(released) for cell in found):
            yield kind, name, "had other grading settings"


def _out_of_order(cells: Sequence[NotebookNode], release: NotebookNode) -> Iterator[Flag]:
    wanted = [name for cell in release.cells if (name := grade_id(cell))]
    found = [*dict.fromkeys(name for c in cells if (name := grade_id(c)) in wanted)]
    kept = in_order(found, wanted)
    return (("cell", str(name), "was moved") for n, name in enumerate(found) if n not in kept)


def _told(flags: Iterable[Flag]) -> list[str]:
    """A sentence for each, or one for many of a kind."""
    alike: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for kind, name, what in flags:
        alike[kind, what].append(name)
    told = []
    for (kind, what), names in alike.items():
        if len(names) <= MOST_ALIKE:
            told += [f"{kind} {name} {what}" for name in names]
            continue
        shown, rest = ", ".join(names[:MOST_ALIKE]), len(names) - MOST_ALIKE
        told.append(f"{kind}s {shown} and {rest} more {what.replace('was', 'were', 1)}")
    return told


def _settings(cell: NotebookNode) -> tuple[object, ...]:
    settings = cell.metadata.nbgrader
    return tuple(settings.get(key) for key in ("grade", "solution", "locked", "points", "task"))


def _added_cells(
    cells: Iterable[tuple[NotebookNode, int | None]],
    release: NotebookNode,
    answers: Mapping[str, NotebookNode],
    elsewhere: Mapping[str, Sequence[NotebookNode]],
) -> defaultdict[str, list[NotebookNode]]:
    """The student's own among cells with their places, by the id of the cell that they follow.

    So that no work is lost, what counts as the student's own is also a cell without grading
    settings that was changed, and code that stands beside an answer in cells of its id.
    """
    ids = {grade_id(cell): cell.id for cell in release.cells}
    answering = {id(cell): ids[name] for name, own in elsewhere.items() for cell in own}
    added: defaultdict[str, list[NotebookNode]] = defaultdict(list)
    anchor = START
    for cell, place in cells:
        released = None if place is None else release.cells[place]
        if released is not None:
            answer = answers.get(grade_id(cell) or "")
            beside = answer is not None and cell is not answer and cell.cell_type == "code"
            anchor = anchor if beside else released.id
            source = cell.source if beside and _is_work(cell, released, answer) else ""
        else:
            anchor = answering.get(id(cell), anchor)
            source = "" if id(cell) in answering else cell.source
        if source.strip():
            own = copy.deepcopy(cell)
            own.source, own.metadata = source, NotebookNode()
            own.id = f"{ADDED}{sum(map(len, added.values())) + 1}"
            clear_outputs(own)
            added[anchor].append(own)
    return added


def _is_work(cell: NotebookNode, released: NotebookNode, answer: NotebookNode | None) -> bool:
    """Whether what stands beside an answer is neither the released cell nor the answer again."""
    same = answer is not None and cell.source == answer.source
    return released.cell_type == "code" and is_changed(cell, released) and not same

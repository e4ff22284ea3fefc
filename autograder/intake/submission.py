"""Reading a submitted notebook, and putting it back into the shape of its release.

From the release come cell order, ids, points and the sources of locked cells; from the student
come only the sources of solution cells and the cells that the student added.
"""

from __future__ import annotations

import copy
import json
import warnings
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.course.cells import clear_outputs, grade_id, is_solution
from autograder.errors import UnreadableSubmission
from autograder.intake.reading import read_bytes

MAX_CELLS = 5_000
MAX_CODE = 4 << 20  # characters of all cells that are code
MAX_QUOTES = 200_000  # quotation marks: two for each name or text that has to be checked
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
    problem = no_notebook(name)
    bare = bare_text(data, name)
    try:
        with warnings.catch_warnings(action="ignore"):  # of what is being mended
            found = nbformat.convert(nbformat.reader.reads(bare), 4)
            _, notebook = nbformat.validator.normalize(found, strip_invalid_metadata=True)
            nbformat.validate(notebook)
    except Exception as error:  # nbformat raises whatever the malformed input trips over
        raise problem from error
    return notebook


def no_notebook(name: str) -> UnreadableSubmission:
    """Says that `name` is none."""
    return UnreadableSubmission(f"{name} is not a Jupyter notebook: save it again from Jupyter")


def bare_text(data: bytes | str, name: str, without_outputs: bool = True) -> str:
    """A notebook's JSON without its outputs, which may be anything, where others will be made.

    Raises:
        UnreadableSubmission: it is no JSON, or of a size that takes minutes to check.
    """
    try:
        notebook = json.loads(data)
        sheets = (notebook, *notebook.get("worksheets", ()))
        cells = [cell for sheet in sheets for cell in sheet.get("cells", ())]
        for cell in cells:
            if without_outputs and "outputs" in cell:
                cell["outputs"] = []
        code = sum(len(str(c.get("source"))) for c in cells if c.get("cell_type") == "code")
        text = json.dumps(notebook)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise no_notebook(name) from error
    if len(cells) > MAX_CELLS or code > MAX_CODE or text.count('"') > MAX_QUOTES:
        raise UnreadableSubmission(
            f"{name} has {len(cells):,} cells with {code:,} characters of code, and more parts "
            "than any answer needs: take out what is no answer"
        )
    return text


def repair(submission: NotebookNode, release: NotebookNode) -> Repaired:
    """Merges the student's answers into the released notebook; neither argument is changed."""
    flags: list[str] = []
    answers = _answers(submission, release, flags)
    added = _added_cells(submission, release)
    _flag_order(submission, release, flags)

    cells = list(added[START])
    unanswered = set()
    for released in release.cells:
        cell = copy.deepcopy(released)
        name = grade_id(cell)
        if name in answers:
            cell.source = answers[name]
        if is_solution(cell) and cell.source.strip() == released.source.strip():
            unanswered.add(name or "")
        clear_outputs(cell)
        cells += [cell, *added[cell.id]]
    notebook = nbformat.v4.new_notebook(
        cells=cells, metadata=copy.deepcopy(release.metadata), nbformat_minor=5
    )
    return Repaired(notebook, flags, frozenset(unanswered))


def _answers(
    submission: NotebookNode, release: NotebookNode, flags: list[str]
) -> dict[str | None, str]:
    """Sources of the student's solution cells by grade_id; flags everything out of place."""
    found = defaultdict(list)
    for cell in submission.cells:
        found[grade_id(cell)].append(cell)
    answers: dict[str | None, str] = {}
    for released in release.cells:
        name = grade_id(released)
        if name is None:
            continue
        kind = "solution cell" if is_solution(released) else "locked cell"
        copies = found[name]
        if not copies:
            flags.append(f"{kind} {name} was missing")
            continue
        if len(copies) > 1:
            flags.append(f"{kind} {name} was there {len(copies)} times")
        changed = [c for c in copies if c.source.strip() != released.source.strip()]
        if any(c.cell_type != released.cell_type for c in copies):
            flags.append(f"{kind} {name} had another cell type")
        if is_solution(released):
            answers[name] = (changed or copies)[-1].source
        elif changed:
            flags.append(f"{kind} {name} was edited")
        if any(_settings(c) != _settings(released) for c in copies):
            flags.append(f"{kind} {name} had other grading settings")
    return answers


def _settings(cell: NotebookNode) -> tuple[object, ...]:
    settings = cell.metadata.nbgrader
    return tuple(settings.get(key) for key in ("grade", "solution", "locked", "points", "task"))


def _added_cells(
    submission: NotebookNode, release: NotebookNode
) -> defaultdict[str, list[NotebookNode]]:
    """The student's own cells under the id of the released cell that they follow.

    A cell without grading settings that the student changed counts as the student's own, so that
    no work is lost.
    """
    by_grade_id = {grade_id(cell): cell.id for cell in release.cells if grade_id(cell)}
    by_source = {(c.cell_type, c.source.strip()): c.id for c in release.cells if not grade_id(c)}
    added: defaultdict[str, list[NotebookNode]] = defaultdict(list)
    anchor = START
    for cell in submission.cells:
        same = by_source.get((cell.cell_type, cell.source.strip()))
        place = by_grade_id.get(grade_id(cell)) or same
        if place is not None:
            anchor = place
        elif cell.source.strip():
            own = copy.deepcopy(cell)
            own.metadata = NotebookNode()
            own.id = f"added-{sum(map(len, added.values())) + 1}"
            clear_outputs(own)
            added[anchor].append(own)
    return added


def _flag_order(submission: NotebookNode, release: NotebookNode, flags: list[str]) -> None:
    order = {grade_id(cell): place for place, cell in enumerate(release.cells) if grade_id(cell)}
    names = dict.fromkeys(name for c in submission.cells if (name := grade_id(c)) in order)
    highest = -1
    for name in names:
        if order[name] < highest:
            flags.append(f"cell {name} was moved")
        highest = max(highest, order[name])

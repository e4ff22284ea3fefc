"""Sample students: small files of answers, made into whole submissions.

A sample in `tests/submissions/<assignment>/<kind>/<name>.py` holds the sources of the cells that
it answers in its own way; the instructor's solution stands for the others:

    \"\"\"What this student did.

    score: 92.5
    positional_encoder: wrong 7.5
    \"\"\"

    # %% positional_encoder
    ...the whole source of that solution cell...

    # %% after attention
    ...a cell that the student added there...

`empty: true` in the docstring leaves unanswered what the file does not answer. `make grade` takes a
dozen samples of each assignment, the tests take all.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "tests" / "submissions"
_CELL = re.compile(r"^# %% (.+)$", re.MULTILINE)
_AT_START = "at the start"
DOZEN, WRONG, HOSTILE = 12, 5, 3


@dataclass(frozen=True)
class Sample:
    """What a sample student hands in, and the verdict it deserves.

    Attributes:
        answers: source of each solution cell it answers, by slug.
        added: sources of added cells, by the grade_id of the cell they follow.
        score: total it deserves.
        verdicts: status and points of every question that is not fully right, by slug.
        empty: whether the other questions stay unanswered.
    """

    name: str
    answers: dict[str, str] = field(default_factory=dict)
    added: dict[str, list[str]] = field(default_factory=dict)
    score: float = 0.0
    verdicts: dict[str, tuple[str, float]] = field(default_factory=dict)
    empty: bool = False


def samples(assignment: str, kind: str = "*") -> list[Path]:
    """Files of the sample class of `assignment`: of one kind (correct, wrong, hostile) or all."""
    return sorted((SAMPLES / assignment).glob(f"{kind}/*.py"))


def read_sample(path: Path) -> Sample:
    """The sample in `path`."""
    text = path.read_text(encoding="utf-8")
    first, *cells = _CELL.split(text)
    sample = Sample(path.stem, **_facts(ast.get_docstring(ast.parse(first)) or ""))
    for heading, source in zip(cells[::2], cells[1::2], strict=True):
        source = source.strip("\n")
        if heading == _AT_START:
            sample.added.setdefault("", []).append(source)
        elif heading.startswith("after "):
            sample.added.setdefault(heading.removeprefix("after "), []).append(source)
        else:
            sample.answers[heading] = source
    return sample


def _facts(docstring: str) -> dict[str, object]:
    facts = dict(re.findall(r"^(\w+): (.+)$", docstring, re.MULTILINE))
    score = float(facts.pop("score"))
    empty = facts.pop("empty", "") == "true"
    verdicts = {}
    for slug, verdict in facts.items():
        status, points = verdict.split()
        verdicts[slug] = (status, float(points))
    return {"score": score, "empty": empty, "verdicts": verdicts}


def build(sample: Sample, assignment: str) -> NotebookNode:
    """The notebook that this student would submit."""
    release = _read("release", assignment)
    solved = {_id(cell): cell.source for cell in _read("source", assignment).cells if _id(cell)}
    cells = [_added(source) for source in sample.added.get("", [])]
    for released in release.cells:
        cell = copy.deepcopy(released)
        name = _id(cell)
        if name in sample.answers:
            cell.source = sample.answers[name]
        elif cell.metadata.get("nbgrader", {}).get("solution") and not sample.empty:
            cell.source = solved[name]
        cells += [cell, *map(_added, sample.added.get(name, []))]
    return nbformat.v4.new_notebook(cells=cells, metadata=release.metadata)


def _read(folder: str, assignment: str) -> NotebookNode:
    return nbformat.read(ROOT / folder / assignment / f"{assignment}.ipynb", as_version=4)


def _id(cell: NotebookNode) -> str:
    found: str = cell.metadata.get("nbgrader", {}).get("grade_id", "")
    return found


def _added(source: str) -> NotebookNode:
    return nbformat.v4.new_code_cell(source)


def dozen(assignment: str) -> list[Path]:
    """Files of twelve samples of every kind, among them an empty one and one that hangs."""
    hostile = samples(assignment, "hostile")
    empty = [path for path in hostile if read_sample(path).empty]
    hanging = [path for path in hostile if _hangs(read_sample(path))]
    others = [path for path in hostile if path not in (*empty, *hanging)]
    hostile = [*empty, *hanging[:1], *others][:HOSTILE]
    wrong = _spread(samples(assignment, "wrong"), WRONG)
    right = _spread(samples(assignment, "correct"), DOZEN - len(hostile) - len(wrong))
    return [*right, *wrong, *hostile]


def _hangs(sample: Sample) -> bool:
    return any(status == "timeout" for status, _ in sample.verdicts.values())


def _spread(paths: Sequence[Path], count: int) -> list[Path]:
    """`count` of `paths`, evenly far from each other; all when there are fewer."""
    count = min(count, len(paths))
    return [paths[n * len(paths) // count] for n in range(count)]


def hand_in(path: Path, assignment: str, folder_of: Callable[[str], Path]) -> None:
    """Writes the sample in `path` into the folder that is its student's."""
    sample = read_sample(path)
    target = folder_of("demo-" + sample.name.replace("_", "-")) / f"{assignment}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(build(sample, assignment), target)

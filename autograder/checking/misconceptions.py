"""Known wrong answers: what each one does, and the sentence that its author should read.

`checks/<assignment>/misconceptions/<slug>.py` lists those of a question as `MISCONCEPTIONS`, and so
does each file in the folder `<slug>/` beside it, where `autograder adopt` puts new ones.
They are executable: applied to the instructor's solution they make a submission, whose replies
are stored beside the expected tensors and recognised in the work of students.
"""

from __future__ import annotations

import ast
import reprlib
import runpy
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course.assignments import Assignment
from autograder.errors import UsageError

PRICES = {
    "mathematics": (0.4, 1.0),
    "learning": (0.3, 0.6),
    "edge": (0.1, 0.3),
    "surroundings": (0.1, 0.2),
}
"""The share of a question's points that a mistake of each class costs, from and to: wrong
mathematics; gradients cut off, so that nothing learns; wrong in a mode, at an edge or in an
extreme; disturbs its surroundings."""

_TEXT = "a string"
_FIELDS = {
    "name": _TEXT,
    "sentence": _TEXT,
    "replaced": "a dictionary {piece of the solution: what stands in its place}, of strings",
    "code": _TEXT,
    "price": _TEXT,
}
"""What each field of a misconception holds."""


@dataclass(frozen=True)
class Misconception:
    """A wrong answer to one question.

    Attributes:
        name: what goes into results, like `softmax_over_queries`.
        sentence: for the student, two sentences at most: what they did, why it is wrong, where
            to look. It gives neither the right code nor an expected value away. While it is empty,
            because nobody has written it yet, students are told nothing.
        replaced: pieces of the instructor's solution, each found there exactly once, and what
            stands in their place.
        code: the whole wrong cell instead, for an answer built in another way.
        price: the class of mistake, which says what it may cost (see `PRICES`); empty for one that
            nobody has put into a class.
    """

    name: str
    sentence: str
    replaced: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    price: str = ""

    def applied(self, solution: str) -> str:
        """The wrong answer, given the source of the instructor's solution cell.

        Raises:
            UsageError: the solution does not hold a piece exactly once, or it is no Python then.
        """
        wrong = self.code or self._replaced_in(solution)
        if _is_python(solution):
            try:
                ast.parse(wrong)
            except SyntaxError as error:
                raise UsageError(
                    f"misconception {self.name}: with it the cell is no Python: {error}"
                ) from error
        return wrong

    def _replaced_in(self, solution: str) -> str:
        for piece, other in self.replaced.items():
            if solution.count(piece) != 1:
                raise UsageError(
                    f"misconception {self.name}: the solution holds {solution.count(piece)} times "
                    f"what it replaces, which should be once: {piece!r}"
                )
            solution = solution.replace(piece, other)
        return solution


def replies_file(assignment: Assignment, slug: str) -> Path:
    """Where it is stored what the misconceptions of a question reply."""
    return assignment.misconceptions_file(slug).with_suffix(".safetensors")


def misconceptions(assignment: Assignment, slug: str) -> list[Misconception]:
    """Those of one question; none when it has no files.

    Raises:
        UsageError: a file is no Python, or lists none, or something else; two have one name, one
            replaces nothing, or its price is none.
    """
    path = assignment.misconceptions_file(slug)
    files = [path] * path.is_file() + sorted(path.with_suffix("").glob("*.py"))
    found: list[Misconception] = []
    for file in files:
        found += _listed(file)
    if len({one.name for one in found}) < len(found):
        raise UsageError(f"{path.name} of {assignment.id} names two misconceptions alike")
    if empty := [one.name for one in found if not one.replaced and not one.code]:
        raise UsageError(f"the misconception {empty[0]} of {slug} replaces nothing")
    if odd := [one for one in found if one.price and one.price not in PRICES]:
        raise UsageError(
            f"the misconception {odd[0].name} of {slug} has the price {odd[0].price!r}: there are "
            f"{', '.join(PRICES)}"
        )
    return found


def _listed(file: Path) -> list[Misconception]:
    try:
        listed = runpy.run_path(str(file))["MISCONCEPTIONS"]
    except KeyError as error:
        raise UsageError(f"{file} lists no MISCONCEPTIONS") from error
    except Exception as error:
        raise UsageError(f"{file} cannot be read: {type(error).__name__}: {error}") from error
    entries = listed if isinstance(listed, list | tuple) else [listed]
    if odd := [one for one in entries if not isinstance(one, Misconception)]:
        raise UsageError(f"{file} lists what is no Misconception(...): {reprlib.repr(odd[0])}")
    for one in entries:
        for field_name, needed in _FIELDS.items():
            found = getattr(one, field_name)
            if not (isinstance(found, str) if needed is _TEXT else _is_of_texts(found)):
                raise UsageError(
                    f"the misconception {one.name} in {file} has as `{field_name}` "
                    f"{reprlib.repr(found)}: give {needed}"
                )
    return [*entries]


def _is_of_texts(found: object) -> bool:
    return isinstance(found, Mapping) and all(
        isinstance(part, str) for pair in found.items() for part in pair
    )


def unwritten(one: Misconception) -> str:
    """What is said of a misconception that has no sentence."""
    return f"the sentence of {one.name} is still to be written"


def _is_python(source: str) -> bool:
    """Whether a cell has no magics or the like."""
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True

"""Gradebooks that nbgrader's steps open while they grade.

nbgrader opens one eight times a submission. Each time it looks whether the tables are there and
compiles its queries anew; each grade it looks up by six other tables, and commits it alone. Its
steps run here as they are; only what they open costs less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import nbgrader.converters.autograde
import nbgrader.preprocessors.latesubmissions
import nbgrader.preprocessors.overwritecells
import nbgrader.preprocessors.overwritekernelspec
import nbgrader.preprocessors.saveautogrades
from nbgrader.api import BaseCell, Comment, Grade, Gradebook
from sqlalchemy import Engine, create_engine
from sqlalchemy.orm import Session, scoped_session, sessionmaker

_STEPS: tuple[Any, ...] = (
    nbgrader.converters.autograde,
    nbgrader.preprocessors.overwritecells,
    nbgrader.preprocessors.overwritekernelspec,
    nbgrader.preprocessors.saveautogrades,
    nbgrader.preprocessors.latesubmissions,
)


class _Transaction(Session):
    """What nbgrader's steps commit is kept together until `settle`; queries see it."""

    def commit(self) -> None:
        """Does nothing: `settle` commits."""

    def settle(self) -> None:
        super().commit()


class KnownGradebook(Gradebook):  # type: ignore[misc]
    """A gradebook whose tables are there, and what a step does with it is one transaction.

    All grades of a notebook are asked for together.
    """

    def __init__(self, engine: Engine, course_id: str) -> None:
        self.engine, self.course_id, self.authenticator = engine, course_id, None
        self.db = scoped_session(sessionmaker(bind=engine, class_=_Transaction))
        self._found: dict[tuple[Any, ...], dict[str, Any]] = {}

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """The end of a step, whose every change holds, or none if the step failed."""
        if kind is None:
            self.settle()
        self.close()

    def settle(self) -> None:
        """Commits what was done."""
        self.db().settle()

    def close(self) -> None:
        """Undoes what is not settled; the engine is for others too."""
        self._found.clear()
        self.db.remove()

    def find_grade(self, grade_cell: str, notebook: str, assignment: str, student: str) -> Grade:
        """See `Gradebook`."""
        found = self._of(Grade, notebook, assignment, student).get(grade_cell)
        return found or super().find_grade(grade_cell, notebook, assignment, student)

    def find_comment(
        self, solution_cell: str, notebook: str, assignment: str, student: str
    ) -> Comment:
        """See `Gradebook`."""
        found = self._of(Comment, notebook, assignment, student).get(solution_cell)
        return found or super().find_comment(solution_cell, notebook, assignment, student)

    def _of(self, kind: Any, notebook: str, assignment: str, student: str) -> dict[str, Any]:
        """What a submitted notebook has of a kind, by the names of its cells.

        A task and another cell may be called alike: which is meant is for nbgrader to say.
        """
        asked = (kind, notebook, assignment, student)
        if asked not in self._found:
            submitted = self.find_submission_notebook(notebook, assignment, student)
            cells = self.db.query(BaseCell.id, BaseCell.name)
            names = dict(cells.filter(BaseCell.notebook_id == submitted.notebook_id).all())
            # By both columns, of which the table has an index: else each row of the class is read.
            rows = self.db.query(kind).filter(
                kind.notebook_id == submitted.id, kind.cell_id.in_(names)
            )
            found = {row: names[row.cell_id] for row in rows}
            alike = Counter(found.values())
            self._found[asked] = {name: row for row, name in found.items() if alike[name] == 1}
        return self._found[asked]


def make_engine(db_url: str) -> Engine:
    """An engine that lives long: a server may end connections which had nothing to do."""
    return create_engine(db_url, pool_pre_ping=True)


@contextmanager
def opened_by_steps(gradebook: Callable[..., Gradebook]) -> Iterator[None]:
    """Meanwhile nbgrader's steps open what `gradebook` makes of their arguments."""
    own = [step.Gradebook for step in _STEPS]
    for step in _STEPS:
        step.Gradebook = gradebook
    try:
        yield
    finally:
        for step, before in zip(_STEPS, own, strict=True):
            step.Gradebook = before


@contextmanager
def looked_into_once() -> Iterator[None]:
    """Meanwhile nbgrader's steps look once whether a database has its tables and its course.

    Where they open another one already (`opened_by_steps`), they go on with that.
    """
    if _STEPS[0].Gradebook is not Gradebook:
        yield
        return
    engines: dict[str, Engine] = {}

    @cache
    def looked_into(db_url: str, course_id: str) -> Engine:
        Gradebook(db_url, course_id).close()  # makes what is missing
        return engines.setdefault(db_url, make_engine(db_url))

    def opened(db_url: str, course_id: str = "default_course") -> KnownGradebook:
        return KnownGradebook(looked_into(db_url, course_id), course_id)

    try:
        with opened_by_steps(opened):
            yield
    finally:
        for engine in engines.values():
            engine.dispose()

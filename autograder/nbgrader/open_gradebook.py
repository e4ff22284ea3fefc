"""nbgrader's gradebook, opened once for many submissions, each of them one transaction.

nbgrader's own steps open the gradebook eight times a submission, look each time whether its tables
are there, look up each grade by six others, and commit after each. They run here as they are; only
what they open is this gradebook.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import nbgrader.converters.autograde
import nbgrader.preprocessors.latesubmissions
import nbgrader.preprocessors.saveautogrades
from nbgrader.api import BaseCell, Comment, Grade, Gradebook
from sqlalchemy import create_engine
from sqlalchemy.orm import Session, scoped_session, sessionmaker

import autograder.intake.autograding

OPENERS: tuple[Any, ...] = (
    nbgrader.converters.autograde,
    nbgrader.preprocessors.saveautogrades,
    nbgrader.preprocessors.latesubmissions,
    autograder.intake.autograding,
)


class _Transaction(Session):
    """What nbgrader's steps commit is kept together until `settle`; queries see it."""

    def commit(self) -> None:
        """Nothing yet."""

    def settle(self) -> None:
        super().commit()


class OpenGradebook(Gradebook):  # type: ignore[misc]
    """The gradebook of a course; closed by `end` alone."""

    def __init__(self, db_url: str, course_id: str) -> None:
        Gradebook(db_url).close()  # nbgrader's preprocessors name no course, and leave a row so
        super().__init__(db_url, course_id)
        super().close()
        # A server may end a connection that had nothing to do while submissions were graded.
        self.engine = create_engine(db_url, pool_pre_ping=True)
        self.db = scoped_session(sessionmaker(bind=self.engine, class_=_Transaction))
        self._found: dict[tuple[Any, ...], dict[str, Any]] = {}

    def close(self) -> None:
        """Nothing: see `Gradebook`, whose every step opens and closes it."""

    def end(self) -> None:
        """Closes it."""
        self.db.remove()
        self.engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A submission: all that is not settled at its end is undone; nbgrader opens this one."""
        own = [opener.Gradebook for opener in OPENERS]
        for opener in OPENERS:
            opener.Gradebook = lambda *_, **__: self
        try:
            yield
        finally:
            for opener, gradebook in zip(OPENERS, own, strict=True):
                opener.Gradebook = gradebook
            self._found.clear()
            self.db.remove()

    def settle(self) -> None:
        """Commits what was recorded of a submission."""
        self.db().settle()

    def find_grade(self, grade_cell: str, notebook: str, assignment: str, student: str) -> Grade:
        """See `Gradebook`; all grades of a notebook are asked for together."""
        found = self._of(Grade, notebook, assignment, student).get(grade_cell)
        return found or super().find_grade(grade_cell, notebook, assignment, student)

    def find_comment(
        self, solution_cell: str, notebook: str, assignment: str, student: str
    ) -> Comment:
        """See `Gradebook`; all comments on a notebook are asked for together."""
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

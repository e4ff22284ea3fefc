"""Looking into the gradebook without changing it, and without loading nbgrader."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any
from urllib.parse import quote

from autograder.errors import UsageError

SQLITE = "sqlite:///"
_ASSIGNMENT = "SELECT 1 FROM assignment WHERE name = {}"
_STUDENTS = """
SELECT submitted.student_id FROM submitted_assignment AS submitted
JOIN assignment ON assignment.id = submitted.assignment_id WHERE assignment.name = {}
"""


def recorded_students(db_url: str, assignment: str) -> set[str]:
    """Students of whom the gradebook has a submission of `assignment`.

    Raises:
        UsageError: it does not know the assignment, or cannot be read.
    """
    rows = _sqlite_rows if db_url.startswith(SQLITE) else _rows
    if not rows(db_url, _ASSIGNMENT, assignment):
        raise UsageError(
            f"the gradebook does not know {assignment}: "
            f"run `nbgrader generate_assignment {assignment} --force` first"
        )
    return {str(row[0]) for row in rows(db_url, _STUDENTS, assignment)}


Rows = Callable[[str, str, str], list[Any]]


def _sqlite_rows(db_url: str, query: str, assignment: str) -> list[Any]:
    path = os.path.abspath(db_url.removeprefix(SQLITE))
    if not os.path.isfile(path):
        return []
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as connection:
            return connection.execute(query.format("?"), (assignment,)).fetchall()
    except sqlite3.Error as error:
        raise UsageError(f"cannot read the gradebook {path}: {error}") from error


def _rows(db_url: str, query: str, assignment: str) -> list[Any]:
    from sqlalchemy import create_engine, text
    from sqlalchemy.exc import SQLAlchemyError

    try:
        engine = create_engine(db_url)
        try:
            with engine.connect() as connection:
                found = connection.execute(text(query.format(":name")), {"name": assignment})
                return list(found)
        finally:
            engine.dispose()
    except (SQLAlchemyError, ImportError) as error:
        said = error.args[0] if error.args else error
        raise UsageError(f"cannot read the gradebook that db_url names: {said}") from error

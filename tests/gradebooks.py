"""nbgrader's gradebooks in tests: what each would do anew, or wait for, and need not.

Nobody cuts the power here, so no commit waits until the disk has it: a process that is killed
loses nothing by that. For each new gradebook nbgrader asks the `alembic` command, in a process of
its own, for its newest version, which alembic is asked here without one; and each gradebook that it
opens compiles its queries again, which a process does once here.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from typing import Any

import autograder.lean  # noqa: F401 - before nbgrader

import nbgrader.api  # isort: skip
from alembic.script import ScriptDirectory
from nbgrader.dbutil import ALEMBIC_DIR
from sqlalchemy import event
from sqlalchemy.engine import Engine

nbgrader.api.get_alembic_version = cache(ScriptDirectory(ALEMBIC_DIR).get_current_head)
nbgrader.api.create_engine = cache(nbgrader.api.create_engine)


@event.listens_for(Engine, "connect")
def _do_not_wait_for_the_disk(connection: Any, _: object) -> None:
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous=OFF")

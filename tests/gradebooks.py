"""nbgrader's gradebooks in tests: what each would do anew, or wait for, and need not.

Nobody cuts the power here, so no commit waits until the disk has it: a process that is killed
loses nothing by that. For each new gradebook nbgrader asks the `alembic` command for its newest
version, and each one that it opens compiles its queries again; here a process does so once.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from typing import Any

import nbgrader.api
from sqlalchemy import event
from sqlalchemy.engine import Engine

nbgrader.api.get_alembic_version = cache(nbgrader.api.get_alembic_version)
nbgrader.api.create_engine = cache(nbgrader.api.create_engine)


@event.listens_for(Engine, "connect")
def _do_not_wait_for_the_disk(connection: Any, _: object) -> None:
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous=OFF")

"""Whether a gradebook has all that this version of nbgrader keeps in one."""

from __future__ import annotations

import os


def lacking(db_url: str) -> list[str]:
    """The tables, and the columns as `table.column`, that a gradebook lacks; it is only read.

    Nothing where there is no gradebook yet.
    """
    from nbgrader.api import Base
    from sqlalchemy import create_engine, inspect, make_url

    url = make_url(db_url)
    if url.get_backend_name() == "sqlite" and not os.path.isfile(url.database or ""):
        return []  # it would make one
    engine = create_engine(db_url)
    try:
        found = inspect(engine)
        tables = set(found.get_table_names())
        wanted = Base.metadata.tables if tables else {}
        absent = sorted(wanted.keys() - tables)
        for name in sorted(wanted.keys() & tables):
            columns = {column["name"] for column in found.get_columns(name)}
            absent += [f"{name}.{one}" for one in sorted({*wanted[name].columns.keys()} - columns)]
        return absent
    finally:
        engine.dispose()

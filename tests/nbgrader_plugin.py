"""A pytest plugin for the run of nbgrader's own tests in `test_nbgrader_suite`.

Each of them makes a course and a gradebook. Two things that do not depend on the course take most
of their time and are done once here: nbgrader asks the `alembic` command for the newest version of
its gradebook, and a course warms and proves a zygote of its own.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import nbgrader.api

from autograder.box.outside.zygotes import Zygote
from autograder.course.settings import Settings
from autograder.grading import warm

nbgrader.api.get_alembic_version = cache(nbgrader.api.get_alembic_version)

_zygotes: dict[tuple[str, ...], Zygote] = {}
_own_zygote = warm._zygote


def _shared_zygote(imports: tuple[str, ...], settings: Settings, root: Path) -> Zygote:
    if imports not in _zygotes:
        _zygotes[imports] = _own_zygote(imports, settings, root)
    return _zygotes[imports]


warm._zygote = _shared_zygote

"""A pytest plugin for the run of nbgrader's own tests in `test_nbgrader_suite`.

Each of them makes a course and a gradebook. What does not depend on the course takes most of their
time and is done once here: a course warms and proves a zygote of its own.
"""

from __future__ import annotations

from pathlib import Path

import gradebooks  # noqa: F401 - changes those that are opened here

from autograder.box.outside.zygotes import Zygote
from autograder.course.settings import Settings
from autograder.grading import warm

_zygotes: dict[tuple[str, ...], Zygote] = {}
_ready_zygote = warm._ready_zygote


def _shared_zygote(imports: tuple[str, ...], settings: Settings, root: Path) -> Zygote:
    if imports not in _zygotes:
        _zygotes[imports] = _ready_zygote(imports, settings, root)
    return _zygotes[imports]


warm._ready_zygote = _shared_zygote

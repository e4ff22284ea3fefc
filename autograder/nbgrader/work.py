"""What a person has looked at before grading it by hand, and whether it has changed since."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from nbformat import NotebookNode

from autograder.course.cells import CHECK_PREFIX, grade_id, is_solution, is_task


class Work:
    """A submission that is graded again, beside the notebook that was graded before.

    Args:
        earlier: the bytes of that one; None when there was none, or it is not known.
    """

    def __init__(self, notebook: NotebookNode, earlier: bytes | None) -> None:
        self._sources = _sources(notebook.cells)
        self._earlier_bytes = earlier

    @cached_property
    def _earlier(self) -> dict[str, str] | None:
        if self._earlier_bytes is None:
            return None
        return _sources(json.loads(self._earlier_bytes)["cells"])

    def has_changed(self, cell: NotebookNode) -> bool:
        """Whether the work that a graded cell stands for is another one, as far as is known.

        That of a task may stand anywhere; that of tests is the answer of the same name.
        """
        if self._earlier is None:
            return False
        if is_task(cell):
            return self._sources != self._earlier
        name = grade_id(cell) or ""
        answer = name if is_solution(cell) else name.removeprefix(CHECK_PREFIX)
        return self._sources.get(answer) != self._earlier.get(answer)


def _sources(cells: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Sources by id of the cells that students write; their own cells are numbered."""
    found: dict[str, str] = {}
    for cell in cells:
        settings = cell["metadata"].get("nbgrader", {})
        if settings.get("solution") or not settings.get("grade_id"):
            source = cell["source"]
            text = source if isinstance(source, str) else "".join(source)
            found[settings.get("grade_id") or f"{len(found)} of the student"] = text
    return found

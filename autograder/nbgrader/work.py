"""What a person has looked at before grading it by hand, and whether it has changed since."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from nbformat import NotebookNode

from autograder.course.cells import CHECK_PREFIX, grade_id, is_solution, is_task


class Work:
    """A submission that is graded again, beside the notebook that was graded before.

    Args:
        earlier: the bytes of that one; None when there was none, or it is not known.
    """

    def __init__(self, notebook: NotebookNode, earlier: bytes | None) -> None:
        self._now = _Written.of(notebook.cells)
        self._earlier_bytes = earlier

    @cached_property
    def _earlier(self) -> _Written | None:
        if self._earlier_bytes is None:
            return None
        return _Written.of(json.loads(self._earlier_bytes)["cells"])

    def has_changed(self, cell: NotebookNode, *, anywhere: bool = False) -> bool:
        """Whether the work that a graded cell stands for is another one, as far as is known.

        That of a task may stand `anywhere`; that of tests is the answer of the same name. An answer
        that only one of the releases asks for is no work that was changed.
        """
        now, earlier = self._now, self._earlier
        if earlier is None:
            return False
        name = grade_id(cell) or ""
        answer = name if is_solution(cell) else name.removeprefix(CHECK_PREFIX)
        asked = now.answers.keys() & earlier.answers.keys()
        looked_at = asked if is_task(cell) else asked & {answer}
        added = (anywhere or is_task(cell)) and now.added != earlier.added
        return added or any(now.answers[one] != earlier.answers[one] for one in looked_at)


@dataclass(frozen=True)
class _Written:
    """What of a notebook a student has written: answers by id, and cells added, in their order."""

    answers: dict[str, str]
    added: list[str]

    @classmethod
    def of(cls, cells: Iterable[dict[str, Any]]) -> Self:
        answers, added = {}, []
        for cell in cells:
            settings = cell["metadata"].get("nbgrader", {})
            source = cell["source"]
            text = source if isinstance(source, str) else "".join(source)
            if not settings.get("grade_id"):
                added.append(text)
            elif settings.get("solution"):
                answers[settings["grade_id"]] = text
        return cls(answers, added)

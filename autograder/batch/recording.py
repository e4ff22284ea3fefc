"""Recording verdicts through nbgrader's own autograding, one after the other.

A run of `nbgrader autograde` by another hand, or formgrader, may use the same gradebook: SQLite and
PostgreSQL keep their transactions apart. Two runs of `batch` take turns by a lock file, since each
of nbgrader's steps is several transactions.
"""

from __future__ import annotations

import gc
import re
from functools import cache
from pathlib import Path
from typing import Any

from filelock import FileLock
from traitlets.config.loader import Config

from autograder.errors import Ungraded, UsageError

_OURS = re.compile(r"^ *autograder\.errors\.(\w+): (.+)$", re.MULTILINE)
_RAISED = re.compile(r"^ *([\w.]+(?:Error|Exception|Entry)\b.*)$", re.MULTILINE)


class Recorder:
    """Records the submissions of one assignment; loads nbgrader when made."""

    def __init__(self, config: Config, root: Path, assignment: str) -> None:
        gc.disable()  # what is imported stays: looking for garbage takes a quarter of the time
        import nbgrader.api
        from nbgrader.apps.api import NbGraderAPI
        from nbgrader.coursedir import CourseDirectory

        gc.freeze()
        gc.enable()
        # nbgrader opens the gradebook eight times a submission; one engine keeps compiled queries.
        nbgrader.api.create_engine = cache(nbgrader.api.create_engine)
        config = Config(config)
        config.GradeInBox.take_unsettled = True
        if "root" not in config.CourseDirectory:
            config.CourseDirectory.root = str(root)
        self._api: Any = NbGraderAPI(CourseDirectory(config=config), config=config)
        self._assignment = assignment
        self._lock = FileLock(root / ".cache" / "batch" / "gradebook.lock")

    def record(self, student: str) -> None:
        """Puts the verdict on a submission into the gradebook and into the autograded folder.

        Raises:
            UsageError: nbgrader refused the submission.
            Ungraded: it was not recorded; the next run tries again.
        """
        with self._lock:
            found = self._api.autograde(self._assignment, student, force=True)
        if not found["success"]:
            raise _failure(f"{found.get('log', '')}\n{found.get('error', '')}")


def _failure(log: str) -> UsageError | Ungraded:
    """What stood in the way, out of nbgrader's log."""
    ours = _OURS.search(log)
    if ours and ours[1] in ("UsageError", "UnreadableSubmission"):
        return UsageError(ours[2])
    if ours:
        return Ungraded(ours[2])
    first = _RAISED.search(log)
    return Ungraded(f"nbgrader could not record it: {first[1] if first else log.strip()[-300:]}")

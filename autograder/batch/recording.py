"""Recording verdicts through nbgrader's own autograding, one after the other.

A run of `nbgrader autograde` by another hand, or formgrader, may use the same gradebook: SQLite and
PostgreSQL keep their transactions apart. Two runs of `batch` take turns by a lock file, since each
of nbgrader's steps is several transactions.
"""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock
from traitlets.config.loader import Config

from autograder.nbgrader.running import failure, nbgrader_api


class Recorder:
    """Records the submissions of one assignment; loads nbgrader when made."""

    def __init__(self, config: Config, root: Path, assignment: str) -> None:
        config = Config(config)
        config.GradeInBox.take_unsettled = True
        self._api = nbgrader_api(config, root)
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
            raise failure(found)

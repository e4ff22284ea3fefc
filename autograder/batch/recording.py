"""Recording verdicts through nbgrader's own autograding, one after the other.

Theory of operation. What workers have made ready is written by the steps of nbgrader that write
(`nbgrader.direct`). A course that needs more of nbgrader than that, and a submission that has
changed since it was graded, goes through `nbgrader autograde` as a whole, which finds the verdict
in the cache; of a course that is said once.

A run of `nbgrader autograde` by another hand, or formgrader, may use the same gradebook: SQLite and
PostgreSQL keep their transactions apart. Two runs of `batch` take turns by a lock file, since each
of nbgrader's steps is several transactions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock
from traitlets.config.loader import Config

from autograder.batch.submissions import Submission
from autograder.course.assignments import Assignment
from autograder.errors import UnreadableSubmission
from autograder.intake.finding import notebook_in
from autograder.intake.reading import read_bytes
from autograder.nbgrader.finishing import Finished, beyond
from autograder.nbgrader.running import failure, nbgrader_api

if TYPE_CHECKING:
    from autograder.nbgrader.direct import DirectAutograde


class Recorder:
    """Records the submissions of one assignment; loads nbgrader when made."""

    def __init__(self, config: Config, root: Path, assignment: Assignment) -> None:
        config = Config(config)
        config.GradeInBox.take_unsettled = True
        self._config = config
        self._api = nbgrader_api(config, root)
        self._assignment = assignment
        self._lock = FileLock(root / ".cache" / "batch" / "gradebook.lock")

    def close(self) -> None:
        """Closes the gradebook."""
        if self.__dict__.get("_direct"):
            self._direct.close()  # type: ignore[union-attr]

    def record(self, one: Submission, finish: Callable[[], Finished | None]) -> None:
        """Puts the verdict on a submission into the gradebook and into the autograded folder.

        Args:
            finish: makes the verdict ready; None leaves all to nbgrader.

        Raises:
            UsageError: nbgrader refused the submission.
            Ungraded: it was not recorded; the next run tries again.
        """
        name = self._assignment.id
        with self._lock:
            direct = self._opened()
            finished = finish() if direct and self._is_as_it_was(one) else None
            if direct and finished:
                found = direct.record(name, one.student, finished)
            else:
                found = self._api.autograde(name, one.student, force=True)
        if not found["success"]:
            raise failure(found)

    def _opened(self) -> DirectAutograde | None:
        """None also while the gradebook cannot be opened: nbgrader comes upon it, and says so."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            return self._direct
        except SQLAlchemyError:
            return None

    @cached_property
    def _direct(self) -> DirectAutograde | None:
        """None where nbgrader's own steps are needed, which is said."""
        from autograder.nbgrader.direct import DirectAutograde, unsuited

        course = self._api.coursedir
        if why := beyond(self._config, self._assignment) or unsuited(course, self._assignment):
            said = f"nbgrader converts each submission itself, which takes longer: {why}"
            print(f"autograder: {said}", file=sys.stderr, flush=True)
            return None
        return DirectAutograde(self._api)

    def _is_as_it_was(self, one: Submission) -> bool:
        """Whether what lies there now is what was graded."""
        try:
            path = notebook_in(one.path.parent, self._assignment.id)
            return path == one.path and read_bytes(path, len(one.notebook) + 1) == one.notebook
        except UnreadableSubmission:
            return False

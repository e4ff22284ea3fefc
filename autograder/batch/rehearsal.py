"""Recording that leaves no trace: into a copy of the gradebook, and a folder that is taken away.

Theory of operation. What recording makes of a verdict is decided by nbgrader's own steps: scores by
hand, late penalties, submissions that are refused. So a rehearsal is not reckoned but done, by the
same `Recorder`. Only the places are others: a copy of the gradebook, and a folder for autograded
notebooks, in which each student's earlier ones are laid first, for they tell whether the work has
changed. Verdicts come from the cache, as they do when they are recorded.
"""

from __future__ import annotations

import copy
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from traitlets.config.loader import Config

from autograder.batch.recording import Recorder
from autograder.batch.submissions import Submission
from autograder.course.assignments import Assignment, Course
from autograder.course.folders import TIMESTAMP, Folders
from autograder.course.gradebook import Entry, first_line, recorded
from autograder.course.gradebook_advice import with_advice
from autograder.errors import Ungraded, UsageError
from autograder.nbgrader.finishing import Finished

STEP = "{nbgrader_step}"
PREFIX = "rehearsal-"
ROWS = 1000  # of the gradebook, copied at a time


class Rehearsal:
    """The copies of one assignment's gradebook and autograded notebooks, in `folder`.

    Raises:
        UsageError: nbgrader cannot be told another place for autograded notebooks alone.
    """

    def __init__(self, course: Course, config: Config, assignment: str, folder: Path) -> None:
        self._root, self._assignment = course.root, course.assignment(assignment)
        self._real = Folders(course, config, assignment)
        self._config = _elsewhere(config, self._real.root, folder)
        self.folders = Folders(course, self._config, assignment)
        self._copied = False

    def recorder(self) -> Recorder:
        """Makes what records here; loads nbgrader.

        Raises:
            Ungraded: the gradebook cannot be copied.
        """
        made = _Rehearser(self._config, self._root, self._assignment, self._real, self.folders)
        _copy_gradebook(self._real.db_url, self.folders.db_url)
        self._copied = True
        return made

    def entries(self) -> dict[str, Entry]:
        """What the gradebook would hold."""
        folders = self.folders if self._copied else self._real
        return recorded(folders.db_url, self._assignment.id).entries


@contextmanager
def rehearsal(course: Course, config: Config, assignment: str, home: Path) -> Iterator[Rehearsal]:
    """A rehearsal in a folder of its own below `home`, where nobody else rehearses meanwhile."""
    for left_behind in home.glob(f"{PREFIX}*"):
        shutil.rmtree(left_behind, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=home))
    try:
        yield Rehearsal(course, config, assignment, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Rehearser(Recorder):
    def __init__(
        self, config: Config, root: Path, assignment: Assignment, real: Folders, copies: Folders
    ) -> None:
        super().__init__(config, root, assignment)
        self._real, self._copies = real, copies

    def record(self, one: Submission, finish: Callable[[], Finished | None]) -> None:
        """See `Recorder`."""
        earlier = self._real.of_student("autograded", one.student)
        laid_in = self._copies.of_student("autograded", one.student)
        for path in [*earlier.glob("*.ipynb"), *earlier.glob(TIMESTAMP)]:
            laid_in.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, laid_in)
        super().record(one, finish)


def _elsewhere(config: Config, root: Path, folder: Path) -> Config:
    """The configuration with `folder` in place of all that recording writes to."""
    made = copy.deepcopy(config)
    structure = str(made.CourseDirectory.get("directory_structure", STEP))
    if not structure.startswith(STEP):
        raise UsageError(
            f"a preview needs a place of its own, which directory_structure = {structure!r} does "
            f"not leave: let it begin with {STEP}"
        )
    place = os.path.relpath(folder, root)
    made.CourseDirectory.autograded_directory = f"{place}/autograded"
    made.CourseDirectory.db_url = f"sqlite:///{folder}/gradebook.db"
    for converter in ("Autograde", "BaseConverter"):
        made[converter].pop("post_convert_hook", None)  # it may tell the world
    made.GradeInBox.keeps_history = False
    made.IntakeExporter.seen_directory = os.path.relpath(folder / "seen", root)
    return made


def _copy_gradebook(source: str, target: str) -> None:
    """Copies what nbgrader keeps of a course, whatever database that is in; it is only read."""
    from nbgrader.api import Base, Gradebook
    from sqlalchemy import create_engine, select
    from sqlalchemy.exc import SQLAlchemyError

    Gradebook(target).close()
    real, copied = create_engine(source), create_engine(target)
    try:
        with real.connect() as reading, copied.begin() as writing:
            for table in reversed(Base.metadata.sorted_tables):
                writing.execute(table.delete())
            for table in Base.metadata.sorted_tables:
                for rows in reading.execute(select(table)).mappings().partitions(ROWS):
                    writing.execute(table.insert(), [dict(row) for row in rows])
    except SQLAlchemyError as error:
        raise Ungraded(
            f"the gradebook cannot be copied for a preview: {with_advice(first_line(error))}"
        ) from error
    finally:
        real.dispose()
        copied.dispose()

"""nbgrader's gradebook, opened once for many submissions, each of them one transaction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nbgrader.api import Gradebook

from autograder.intake.gradebooks import KnownGradebook, make_engine, opened_by_steps


class OpenGradebook(KnownGradebook):
    """The gradebook of a course; closed by `end` alone."""

    def __init__(self, db_url: str, course_id: str) -> None:
        Gradebook(db_url).close()  # nbgrader's preprocessors name no course, and leave a row so
        Gradebook(db_url, course_id).close()
        super().__init__(make_engine(db_url), course_id)

    def __exit__(self, *_: object) -> None:
        """Nothing: nbgrader's every step opens and closes it."""

    def end(self) -> None:
        """Closes it."""
        self.close()
        self.engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A submission: all that is not settled at its end is undone; nbgrader opens this one."""
        try:
            with opened_by_steps(lambda *_, **__: self):
                yield
        finally:
            self.close()

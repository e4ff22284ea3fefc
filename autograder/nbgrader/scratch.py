"""An assignment released once more beside the course, to grade by it or to compare with it.

Theory of operation. What nbgrader grades an assignment without checks by, its hidden tests
included, stands in the gradebook since the release. Where a single notebook is to be graded there
may be no gradebook, and none must be changed. So the instructor's notebook is released once more,
into a gradebook below `.cache/` that lives as long as this object, and `nbgrader autograde` runs
there: the points are the same because the code is the same.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from nbformat import NotebookNode
from traitlets.config.loader import Config

from autograder.course.assignments import Assignment, Course
from autograder.course.settings import Settings, read_config
from autograder.errors import Ungraded, UsageError
from autograder.intake.belonging import origin, released_in_folder
from autograder.nbgrader.running import failure, nbgrader_api
from autograder.results.model import SubmissionResult
from autograder.results.stored import read_result

STEPS = ("submitted", "autograded", "release", "feedback")


class ScratchCourse:
    """One assignment released beside the course; a context that takes away what it made.

    Raises:
        UsageError: the instructor's notebook is missing.
        Ungraded: nbgrader could not release it.
    """

    def __init__(self, course: Course, assignment: Assignment, settings: Settings) -> None:
        source = assignment.source_path.parent
        if not any(source.glob("*.ipynb")):
            raise UsageError(f"{source} is missing: the tests of {assignment.id} stand there alone")
        self._course, self._assignment = course, assignment
        cache = course.root / ".cache"
        cache.mkdir(exist_ok=True)
        self._folder = Path(tempfile.mkdtemp(prefix="graded-alone-", dir=cache))
        try:
            self._api = nbgrader_api(self._config(settings), course.root)
            found = self._api.generate_assignment(assignment.id)
            if not found["success"]:
                raise Ungraded(f"nbgrader could not release {assignment.id}: {failure(found)}")
        except BaseException:
            self.close()
            raise

    def _config(self, settings: Settings) -> Config:
        config = Config(read_config(self._course.root))
        place = os.path.relpath(self._folder, self._course.root)
        for step in STEPS:
            config.CourseDirectory[f"{step}_directory"] = f"{place}/{step}"
        config.CourseDirectory.directory_structure = "{nbgrader_step}/{student_id}/{assignment_id}"
        config.CourseDirectory.db_url = f"sqlite:///{self._folder}/gradebook.db"
        config.IntakeExporter.seen_directory = f"{place}/seen"
        config.GradeInBox.trust_notebooks = settings.trust_notebooks
        return config

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Takes away the gradebook and all that was graded."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def outdated(self) -> list[str]:
        """The released files that the instructor's notebook would give otherwise, or anew."""
        released = self._assignment.release_path.parent
        made = self._folder / "release" / self._assignment.id
        names = [path.relative_to(made) for path in made.rglob("*") if path.is_file()]
        _, differing, missing = filecmp.cmpfiles(made, released, map(str, names), shallow=False)
        return sorted(differing + missing)

    def grade(self, notebook: NotebookNode, name: str) -> SubmissionResult:
        """The verdict on a notebook of the assignment, which messages call `name`.

        Raises:
            UsageError: it was refused.
            Ungraded: it could not be graded, through no fault of the student's.
        """
        import nbformat

        released = released_in_folder(self._assignment.release_path.parent)
        own = origin(notebook, released, name, self._assignment.id).name
        student = self._folder.name
        folder = self._folder / "submitted" / student / self._assignment.id
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{own}.ipynb")
        found = self._api.autograde(self._assignment.id, student, force=True)
        if not found["success"]:
            raise failure(found)
        result = read_result(self._folder / "autograded" / student / self._assignment.id)
        if result is None:
            raise Ungraded(f"nbgrader left no result of {name}")
        return replace(result, submission=name)

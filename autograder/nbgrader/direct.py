"""nbgrader's autograding of notebooks that are finished: what is left of it writes rows and files.

Theory of operation. The converter is nbgrader's own, with what stands around it
(`intake.autograding`): who is late, which files lie beside a notebook, what becomes of a submission
that fails, is decided there. Only its two conversions of the notebook are left out, since a worker
has done them (`finishing`), and the notebook was seen to belong to the assignment when it was
graded. The preprocessors that read and write the gradebook are nbgrader's too, and run on the cells
that were noted where they would have stood. The gradebook is settled before the notebook is
written: after an end in between a score that a person should look at again is still marked.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from nbconvert.writers import FilesWriter
from nbformat import NotebookNode, from_dict
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import capture_log, temp_attrs

from autograder.course.assignments import Assignment
from autograder.intake.finding import notebook_in
from autograder.intake.inspection import IntakeExporter
from autograder.nbgrader.finishing import Finished
from autograder.nbgrader.open_gradebook import OpenGradebook
from autograder.nbgrader.preprocessors import GradeInBox, SaveScores


class _Exporter(IntakeExporter):
    """Takes a notebook that was graded for one of its assignment."""

    def notebooks_of(self, assignment_id: str, folder: Path) -> dict[str, Path]:
        """See `IntakeExporter`."""
        return {assignment_id: notebook_in(folder, assignment_id)}


class DirectAutograde(Autograde):  # type: ignore[misc]
    """The converter; made once for all submissions of an assignment.

    Args:
        parent: nbgrader's API, whose course directory says what is recorded.
    """

    def __init__(self, parent: Any) -> None:
        super().__init__(coursedir=parent.coursedir, parent=parent)
        self.force = True
        self.writer = FilesWriter(parent=self, config=self.config)
        self.exporter = _Exporter(parent=self, config=self.config)
        self._beside = GradeInBox(parent=self.exporter)
        self._steps = (SaveScores(parent=self.exporter), AssignLatePenalties(parent=self.exporter))
        course = self.coursedir
        self._gradebook = OpenGradebook(course.db_url, course.course_id)

    def record(self, assignment: str, student: str, finished: Finished) -> dict[str, Any]:
        """What `NbGraderAPI.autograde` returns."""
        self._finished = finished
        with temp_attrs(self.coursedir, assignment_id=assignment, student_id=student):
            found: dict[str, Any] = capture_log(self)
            return found

    def close(self) -> None:
        """Closes the gradebook."""
        self._gradebook.end()

    def start(self) -> None:
        """See `BaseConverter`."""
        self.init_notebooks()
        before = os.getcwd()
        os.chdir(self.coursedir.root)
        try:
            with self._gradebook.transaction():
                self.convert_notebooks()
        finally:
            os.chdir(before)

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """See `BaseConverter`."""
        resources = self.exporter._init_resources(
            self.init_single_notebook_resources(notebook_filename)
        )
        notebook = NotebookNode(metadata={}, cells=from_dict(json.loads(self._finished.cells)))
        for step in self._steps:
            notebook, resources = step(notebook, resources)
        self._gradebook.settle()
        self.write_single_notebook(self._finished.notebook, resources)
        self._beside.leave(resources, self._finished.submitted, self._finished.result)


def unsuited(coursedir: Any, assignment: Assignment) -> str:
    """Why the gradebook or the folders of a course need nbgrader's own steps; empty if not."""
    place = coursedir.format_path(coursedir.release_directory, ".", assignment.id)
    if Path(place).resolve() != assignment.release_path.parent.resolve():
        return f"{assignment.id} is released into another folder than release/"
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        notebooks = gradebook.find_assignment(assignment.id).notebooks
        kernels = {one.name: json.loads(one.kernelspec or "{}") for one in notebooks}
    released = {path.stem for path in assignment.release_path.parent.glob("*.ipynb")}
    if released | kernels.keys() != {assignment.id}:
        return f"{assignment.id} has several notebooks"
    kernel = kernels[assignment.id]
    if kernel and kernel != assignment.release.metadata.get("kernelspec"):
        return f"the gradebook names another kernel than the release of {assignment.id}"
    return ""

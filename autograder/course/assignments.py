"""Where a course keeps its assignments, and what an assignment's release says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course.cells import CHECK_PREFIX, grade_id, is_graded
from autograder.errors import UsageError
from autograder.files import contents

if TYPE_CHECKING:  # loading nbformat takes longer than many a command
    from nbformat import NotebookNode

CHECKS = "checks"
INSTRUCTOR_TAG = "instructor"
CONFIG_NAME = "nbgrader_config.py"


@dataclass(frozen=True)
class Question:
    """One thing a student writes, judged by the checks of the same slug."""

    slug: str
    points: float

    @property
    def check_cell(self) -> str:
        """The grade_id of the question's graded test cell."""
        return CHECK_PREFIX + self.slug


@dataclass(frozen=True)
class Assignment:
    """One assignment: its id, its released notebook, and where its hidden parts are."""

    id: str
    release_path: Path
    checks: Path

    @cached_property
    def release(self) -> NotebookNode:
        import nbformat

        return nbformat.read(self.release_path, as_version=4)

    @property
    def solved(self) -> NotebookNode:
        """The instructor's notebook as a submission would hold it.

        Raises:
            UsageError: the course has no source of this assignment, or it is no notebook.
        """
        import nbformat
        from nbformat.reader import NotJSONError

        path = self.source_path
        if not path.is_file():
            raise UsageError(f"{path} is missing: the instructor's notebook holds the solutions")
        try:
            notebook = nbformat.read(path, as_version=4)
        except NotJSONError as error:
            raise UsageError(f"{path} is no notebook: it should hold the solutions") from error
        notebook.cells = [
            cell for cell in notebook.cells if INSTRUCTOR_TAG not in cell.metadata.get("tags", [])
        ]
        return notebook

    @cached_property
    def questions(self) -> list[Question]:
        """The questions in the order of the release; manually graded cells are not among them."""
        return [
            Question(found.removeprefix(CHECK_PREFIX), float(cell.metadata.nbgrader.points))
            for cell in self.release.cells
            if is_graded(cell) and (found := grade_id(cell) or "").startswith(CHECK_PREFIX)
        ]

    def known_in(self, notebook: NotebookNode) -> int:
        """How many of the released cells' ids the cells of `notebook` carry."""
        names = {name for cell in notebook.cells if (name := grade_id(cell))}
        return len(names & {grade_id(cell) for cell in self.release.cells})

    @property
    def has_checks(self) -> bool:
        return self.checks.is_dir()

    def check_file(self, slug: str) -> Path:
        return self.checks / f"{CHECK_PREFIX}{slug}.py"

    @property
    def source_path(self) -> Path:
        """The instructor's notebook, which a course that only grades may do without."""
        return self.release_path.parents[2] / "source" / self.id / f"{self.id}.ipynb"

    def expected_file(self, slug: str) -> Path:
        return self.checks / "expected" / f"{slug}.safetensors"

    def misconceptions_file(self, slug: str) -> Path:
        """The known wrong answers to a question; their replies are stored beside it."""
        return self.checks / "misconceptions" / f"{slug}.py"

    def hidden_folders(self) -> list[Path]:
        """What no box may see: the course, where the release lies in it, and the checks."""
        return [self.release_path.parents[2], self.checks.parent, self.checks]

    def assets(self) -> list[Path]:
        """Files the student was given beside the notebook."""
        found = contents(self.release_path.parent)
        return [path for _, path in found if path.suffix != ".ipynb"]


@dataclass(frozen=True)
class Course:
    """A folder with `nbgrader_config.py`, `source/`, `release/` and `checks/`."""

    root: Path

    @classmethod
    def find(cls, start: Path | None = None) -> Course:
        """The course that `start` (default: the working folder) lies in.

        Raises:
            UsageError: no folder above `start` holds an nbgrader_config.py.
        """
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents):
            if (folder / CONFIG_NAME).is_file():
                return cls(folder)
        raise UsageError(
            f"no {CONFIG_NAME} in {start} or above it: run this inside the course folder, "
            "or make a course with `autograder init`"
        )

    def assignment_ids(self) -> list[str]:
        """Assignments that have been released and have hidden checks."""
        return sorted(
            folder.name
            for folder in (self.root / "release").glob("*")
            if (folder / f"{folder.name}.ipynb").is_file()
            and (self.root / CHECKS / folder.name).is_dir()
        )

    def assignment(self, assignment_id: str) -> Assignment:
        """The assignment called `assignment_id`.

        Raises:
            UsageError: it has no release or no checks.
        """
        known = self.assignment_ids()
        if assignment_id not in known:
            if (self.root / "source" / assignment_id / f"{assignment_id}.ipynb").is_file():
                raise UsageError(
                    f"{assignment_id} has no release, or no checks: "
                    f"run `nbgrader generate_assignment {assignment_id}`, and see checks/"
                )
            names = ", ".join(known) or "none"
            raise UsageError(f"unknown assignment '{assignment_id}': this course has {names}")
        return self.released(assignment_id, self.root / "release" / assignment_id)

    def released(self, assignment_id: str, release_folder: Path) -> Assignment:
        """The assignment whose release lies in `release_folder`; nothing is read yet."""
        release = release_folder / f"{assignment_id}.ipynb"
        return Assignment(assignment_id, release, self.root / CHECKS / assignment_id)

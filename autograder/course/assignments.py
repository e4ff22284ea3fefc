"""Where a course keeps its assignments, and what an assignment's release says."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course.cells import CHECK_PREFIX, grade_id, is_graded, name_of
from autograder.course.folders import among_students
from autograder.course.notebooks import given_notebook
from autograder.errors import UsageError
from autograder.files import contents

if TYPE_CHECKING:  # loading nbformat takes longer than many a command
    from nbformat import NotebookNode

CHECKS = "checks"
INSTRUCTOR_TAG = "instructor"
_ASKS_FOR_CHECKS = re.compile(r"^check\([\"']", re.MULTILINE)
CONFIG_NAME = "nbgrader_config.py"


@dataclass(frozen=True)
class Question:
    """One thing a student writes, judged by the checks of the same slug."""

    slug: str
    points: float


@dataclass(frozen=True)
class Assignment:
    """One assignment: its id, its released notebook, and where its hidden parts are."""

    id: str
    release_path: Path
    checks: Path

    @cached_property
    def release(self) -> NotebookNode:
        """The released notebook.

        Raises:
            UsageError: it is damaged.
        """
        return given_notebook(self.release_path)

    @property
    def solved(self) -> NotebookNode:
        """The instructor's notebook as a submission would hold it.

        Raises:
            UsageError: the course has no source of this assignment, or a damaged one.
        """
        path = self.source_path
        if not path.is_file():
            raise UsageError(f"{path} is missing: the instructor's notebook holds the solutions")
        notebook = given_notebook(path)
        notebook.cells = [
            cell for cell in notebook.cells if INSTRUCTOR_TAG not in cell.metadata.get("tags", [])
        ]
        return notebook

    @cached_property
    def questions(self) -> list[Question]:
        """The questions in the order of the release; manually graded cells are not among them.

        Where no notebook of the assignment's name was released there are none.
        """
        if not self.release_path.is_file():
            return []
        return [
            Question(found.removeprefix(CHECK_PREFIX), float(cell.metadata.nbgrader.points))
            for cell in self.release.cells
            if is_graded(cell) and (found := grade_id(cell) or "").startswith(CHECK_PREFIX)
        ]

    def question(self, slug: str) -> Question:
        """The question of this name.

        Raises:
            KeyError: there is none.
        """
        for question in self.questions:
            if question.slug == slug:
                return question
        raise KeyError(slug)

    @property
    def has_checks(self) -> bool:
        return self.checks.is_dir()

    def expect_no_checks(self, notebook: NotebookNode) -> None:
        """Refuses to take an assignment whose checks are not there for one that has none.

        Args:
            notebook: with the hidden tests, as the instructor wrote them.

        Raises:
            UsageError: a hidden test asks for a check.
        """
        if _asking_for_checks(notebook):
            raise UsageError(
                f"{self.checks} is missing: the hidden tests of {self.id} ask for its checks"
            )

    def expect_checks_hidden(self) -> None:
        """Refuses a release in which a cell asks for a check: students have none.

        Raises:
            UsageError: one does.
        """
        if seen := _asking_for_checks(self.release):
            raise UsageError(
                f"students see `check(...)` in the cell {seen[0]} of {self.id}, and have no "
                "`check`: put it between ### BEGIN HIDDEN TESTS and ### END HIDDEN TESTS, and run "
                f"`nbgrader generate_assignment {self.id} --force`"
            )

    def check_file(self, slug: str) -> Path:
        return self.checks / f"{CHECK_PREFIX}{slug}.py"

    @property
    def source_path(self) -> Path:
        """The instructor's notebook, which a course that only grades may do without."""
        return self.release_path.parents[2] / "source" / self.id / self.release_path.name

    def expected_file(self, slug: str) -> Path:
        return self.checks / "expected" / f"{slug}.safetensors"

    @property
    def pace_file(self) -> Path:
        """How long the solution takes, measured when its expected tensors were made."""
        return self.checks / "expected" / "pace.json"

    def misconceptions_file(self, slug: str) -> Path:
        """The known wrong answers to a question; their replies are stored beside it."""
        return self.checks / "misconceptions" / f"{slug}.py"

    def kinds_file(self, slug: str) -> Path:
        """What small changes to the solution of a question reply, as fingerprints."""
        return self.checks / "kinds" / f"{slug}.safetensors"

    def hidden_folders(self) -> list[Path]:
        """What no box may see: the course, where the release lies in it, and the checks."""
        return [self.release_path.parents[2], self.checks.parent, self.checks]

    def assets(self) -> list[Path]:
        """Files the student was given beside the notebook."""
        found = contents(self.release_path.parent)
        return [path for _, path in found if path.suffix != ".ipynb"]


def unknown_assignment(name: str, known: Collection[str]) -> UsageError:
    """Says that the course has none of this name, and which it has."""
    names = ", ".join(sorted(known)) or "none"
    return UsageError(f"unknown assignment '{name}': this course has {names}")


def _asking_for_checks(notebook: NotebookNode) -> list[str]:
    """The graded cells of a notebook that ask for a check, by name."""
    graded = (cell for cell in notebook.cells if is_graded(cell))
    return [name_of(cell) for cell in graded if _ASKS_FOR_CHECKS.search(cell.source)]


@dataclass(frozen=True)
class Course:
    """A folder with `nbgrader_config.py`, `source/`, `release/` and `checks/`."""

    root: Path

    @classmethod
    def find(cls, start: Path | None = None) -> Course:
        """The course that `start` (default: the working folder) lies in.

        Raises:
            UsageError: no folder above `start` holds an nbgrader_config.py, or the first that does
                lies among the students' files of another course.
        """
        start = (start or Path.cwd()).resolve()
        found = [one for one in (start, *start.parents) if (one / CONFIG_NAME).is_file()]
        for outer in found[1:]:
            if name := among_students(found[0], outer / CONFIG_NAME):
                raise UsageError(
                    f"{found[0] / CONFIG_NAME} lies below {name}/ of the course in {outer}, where "
                    f"a student may have put it, and is not read: run this in {outer}, or move a "
                    "course of your own out of there"
                )
        if found:
            return cls(found[0])
        raise UsageError(
            f"no {CONFIG_NAME} in {start} or above it: run this inside the course folder, "
            "or make a course with `autograder init`"
        )

    @property
    def drift_memory(self) -> Path:
        """Where the course remembers, on this machine, that graders were true."""
        return self.root / ".cache" / "drift"

    def assignment_ids(self) -> list[str]:
        """Assignments that have been released and have hidden checks."""
        return [name for name in self.released_ids() if (self.root / CHECKS / name).is_dir()]

    def released_ids(self) -> list[str]:
        """Assignments that have been released, with checks of their own or without."""
        folders = (self.root / "release").glob("*")
        return sorted(folder.name for folder in folders if any(folder.glob("*.ipynb")))

    def unreleased_ids(self) -> list[str]:
        """Assignments that have hidden checks and a source, and were never released."""
        written = (path.stem for path in self.root.glob("source/*/*.ipynb"))
        checked = (name for name in written if (self.root / CHECKS / name).is_dir())
        return sorted({*checked} - {*self.released_ids()})

    def named_assignments(self) -> set[str]:
        """All that the course calls an assignment, released or not."""
        folders = (path for step in ("release", "source") for path in self.root.glob(f"{step}/*"))
        return {folder.name for folder in folders if folder.is_dir()}

    def assignment(self, assignment_id: str) -> Assignment:
        """The assignment called `assignment_id`.

        Raises:
            UsageError: it has no release, or asks for checks and has none.
        """
        known = self.released_ids()
        if assignment_id not in known:
            if (self.root / "source" / assignment_id / f"{assignment_id}.ipynb").is_file():
                raise UsageError(
                    f"{assignment_id} has no release: "
                    f"run `nbgrader generate_assignment {assignment_id}`"
                )
            raise unknown_assignment(assignment_id, known)
        found = self.released(assignment_id, self.root / "release" / assignment_id)
        if not found.has_checks and found.source_path.is_file():
            found.expect_no_checks(found.solved)
        return found

    def assignment_with_checks(self, assignment_id: str) -> Assignment:
        """The assignment called `assignment_id`, which hidden checks judge.

        Raises:
            UsageError: there is none, or its tests stand in its cells.
        """
        found = self.assignment(assignment_id)
        if not found.has_checks:
            raise UsageError(
                f"{assignment_id} has no checks of its own in {found.checks}: "
                "the tests in its cells grade it"
            )
        return found

    def released(self, assignment_id: str, release_folder: Path) -> Assignment:
        """The assignment whose release lies in `release_folder`; nothing is read yet.

        An ordinary one may call its only notebook otherwise.
        """
        release = release_folder / f"{assignment_id}.ipynb"
        found = [*release_folder.glob("*.ipynb")]
        if len(found) == 1:
            [release] = found
        return Assignment(assignment_id, release, self.root / CHECKS / assignment_id)

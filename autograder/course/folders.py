"""Where the configuration of a course puts the work of each student.

nbgrader's own `CourseDirectory` knows it too, and takes seconds to load. Its defaults stand here.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from traitlets.config.loader import Config

    from autograder.course.assignments import Course

DEFAULTS = {
    "submitted_directory": "submitted",
    "autograded_directory": "autograded",
    "feedback_directory": "feedback",
    "release_directory": "release",
    "directory_structure": os.path.join("{nbgrader_step}", "{student_id}", "{assignment_id}"),
    "student_id_exclude": "",
}
TIMESTAMP = "timestamp.txt"
STUDENTS = ("submitted", "autograded", "feedback", "release", "downloaded")
_SET = re.compile(rf"(?:{'|'.join(STUDENTS)})_directory[\"'\] ]{{0,9}}[=:] {{0,9}}[\"']([^\"'\n]+)")


def among_students(folder: Path, configuration: Path) -> str | None:
    """The folder of a course below which `folder` lies, where that is one with students' files.

    None where it is no such folder. What the course calls these folders is read in its
    `configuration` as far as it says so plainly: nothing runs.
    """
    try:
        text = configuration.read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    below = f"/{folder.relative_to(configuration.parent).as_posix()}/"
    names = (os.path.normpath(name) for name in (*STUDENTS, *_SET.findall(text)))
    return next((name for name in names if f"/{name}/" in below), None)


class Folders:
    """The folders of one assignment.

    Attributes:
        db_url: where the gradebook is.
    """

    def __init__(self, course: Course, config: Config, assignment: str) -> None:
        settings = {**DEFAULTS, **config.get("CourseDirectory", {})}
        self.root = Path(settings.get("root", course.root))
        self.assignment = assignment
        self.db_url = str(settings.get("db_url", f"sqlite:///{self.root / 'gradebook.db'}"))
        self._settings = settings

    def of(self, step: str) -> dict[str, Path]:
        """The folder of each student that has one in `step`, like "submitted"."""
        pattern = self._path(step, "*", glob.escape)
        shape = re.compile(self._path(step, "(?P<student>[^/]+)", re.escape))
        paths = glob.iglob(pattern, root_dir=self.root, include_hidden=True)
        matches = {path: shape.fullmatch(path) for path in paths}
        found = {m["student"]: self.root / path for path, m in matches.items() if m}
        return {student: path for student, path in found.items() if student not in self.left_out}

    @property
    def left_out(self) -> set[str]:
        """The students that the configuration leaves out."""
        return set(str(self._settings["student_id_exclude"]).split(","))

    def of_student(self, step: str, student: str) -> Path:
        """The folder of one student in `step`, whether it is there or not."""
        return self.root / self._path(step, student, str)

    def top(self, step: str) -> Path | None:
        """The folder of all students in `step`; None where the configuration has another order."""
        if self._settings["directory_structure"] != DEFAULTS["directory_structure"]:
            return None
        return self.root / str(self._settings[f"{step}_directory"])

    def notebooks(self) -> list[str]:
        """The names of the notebooks that were released."""
        release = self.root / self._path("release", ".", str)
        return sorted(path.name for path in release.glob("*.ipynb"))

    def _path(self, step: str, student: str, literal: Callable[[str], str]) -> str:
        """A path below the root, whose fixed parts `literal` escapes."""
        values = {
            "nbgrader_step": literal(str(self._settings[f"{step}_directory"])),
            "student_id": student,
            "assignment_id": literal(self.assignment),
        }
        structure = Formatter().parse(str(self._settings["directory_structure"]))
        return "".join(literal(text) + values.get(name or "", "") for text, name, _, _ in structure)

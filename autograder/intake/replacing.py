"""What becomes of a submission that is there when another one is collected.

Theory of operation. `nbgrader zip_collect` empties and refills the folders of those students whose
files it collects. So what is not later than the submission that is there is not handed to it; an
earlier one is set aside before, below `replaced/`; and files get the dates afterwards that they
had, by which the next one is compared.
"""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.errors import UnreadableSubmission
from autograder.intake.finding import NOTEBOOK
from autograder.intake.inspection import handed_in

REPLACED = "replaced"


class Submissions:
    """The submissions to the assignment that nbgrader's app collects.

    Args:
        app: nbgrader's.
        log: where is said what stays, and what is set aside.
    """

    def __init__(self, app: Any, log: Any) -> None:
        self._app, self._log = app, log

    def stand_around_transfer(self) -> None:
        """Has the app set aside what it replaces, and keep the dates of files."""
        nbgraders_own = self._app._transfer_files

        def transfer(collected: dict[str, Any]) -> None:
            for student, data in collected.items():
                self._set_aside(student)
                data["dest_files"] = [_with_small_suffix(name) for name in data["dest_files"]]
            nbgraders_own(collected)
            for data in collected.values():
                for source, target in zip(data["src_files"], data["dest_files"], strict=True):
                    shutil.copystat(source, target)

        self._app._transfer_files = transfer

    def is_there(self, student: str) -> bool:
        """Whether something of a student has been collected."""
        return self._folder(student).is_dir()

    def are_earlier(self, student: str, files: Mapping[str, Path], when: datetime | None) -> bool:
        """Whether a student's submission is earlier than these files, by the names they will have.

        `when`: they were handed in, if that is known.
        """
        folder = self._folder(student)
        if not self.is_there(student):
            return True
        if all(_same(path, folder / name) for name, path in files.items()):
            self._log.info("%s has been collected already", student)
            return False
        recorded = self._recorded(folder)
        if when and recorded:
            earlier = when > recorded
        else:
            kept = [path.stat().st_mtime for path in folder.glob("*" + NOTEBOOK)]
            latest = max(path.stat().st_mtime for path in files.values())
            earlier = latest > max(kept, default=0.0)
        if not earlier:
            self._log.warning("%s has a later submission already, which stays", student)
        return earlier

    def _recorded(self, folder: Path) -> datetime | None:
        """When the submission in `folder` was handed in, if its time stamp says so."""
        try:
            return handed_in(folder)
        except UnreadableSubmission as error:
            self._log.warning("%s", error)
            return None

    def _set_aside(self, student: str) -> None:
        """Moves an earlier submission out of the way of a later one."""
        folder = self._folder(student)
        if not folder.is_dir():
            return
        shelf = Path(self._app._format_collect_path(REPLACED)) / student
        shelf.mkdir(parents=True, exist_ok=True)
        taken = [int(name) for name in os.listdir(shelf) if name.isdecimal()]
        place = shelf / str(max(taken, default=0) + 1)
        shutil.move(folder, place)
        self._log.warning(
            "%s: a later submission replaces the earlier one, which is now %s: grade it with "
            "`nbgrader autograde %s --student %s --force`",
            *(student, place, self._app.coursedir.assignment_id, student),
        )

    def _folder(self, student: str) -> Path:
        course = self._app.coursedir
        assignment = course.assignment_id
        return Path(course.format_path(course.submitted_directory, student, assignment))


def _with_small_suffix(name: str) -> str:
    """A notebook's name as nbgrader looks for it; it gives a file the suffix that it came with."""
    return str(Path(name).with_suffix(Path(name).suffix.lower()))


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and filecmp.cmp(one, other, shallow=False)

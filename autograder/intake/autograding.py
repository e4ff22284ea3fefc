"""What stands around each submission that `nbgrader autograde` takes up.

Theory of operation. nbgrader's converter asks of each submission whether it is to be graded
(`init_destination`), and then removes what an earlier one left. Here it is looked at first: files
and kinds, that its notebook is one of this assignment, and whether it has changed since it was
graded, which nbgrader tells by time stamps alone. A submission that is refused is passed over, and
what an earlier one earned stays; the run ends with exit code 1, as nbgrader's own does. What keeps
every submission from being graded ends the run at the first one, with one sentence.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from fnmatch import fnmatchcase
from glob import has_magic
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbgrader.converters.autograde
from nbgrader.api import MissingEntry
from nbgrader.converters.base import NbGraderException

from autograder.course.assignments import Course
from autograder.course.folders import TIMESTAMP, Folders
from autograder.errors import UnreadableSubmission, Unready, UsageError
from autograder.intake import REFUSED
from autograder.intake.finding import NOTEBOOK, expect_plain_name, notebook_in
from autograder.intake.gradebooks import looked_into_once
from autograder.intake.seen import GradedDigests, files_digest
from autograder.results.plain import one_line, plain
from autograder.results.stored import RESULT_NAME

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from autograder.intake.inspection import IntakeExporter


class _Stopped(KeyboardInterrupt):
    """Ends nbgrader's run, which goes on after most exceptions, but not after Ctrl-C."""


class AroundAutograde:
    """The steps of nbgrader's converter that it puts its own around.

    Attributes:
        refused: the students whose submissions were.
        earlier: the autograded notebooks that the submission at hand had, by name.
        at_hand: the folder of what was autograded of it, and the files that grading had made there;
            None while there is no submission, or once it is graded.
        digest: of the files of the submission at hand, before they were read: whoever hands in anew
            meanwhile has changed it.
        stand_ins: the files that are read for notebooks which have another name than released.
    """

    def __init__(self, exporter: IntakeExporter, converter: Any) -> None:
        self._exporter, self._converter, self._log = exporter, converter, exporter.log
        self._is_to_be_graded = converter.init_destination
        self._convert, self._finish = converter.convert_notebooks, converter.set_permissions
        self._convert_one = converter.convert_single_notebook
        self.refused: list[str] = []
        self.earlier: dict[str, bytes] = {}
        self.at_hand: tuple[Path, dict[str, bytes]] | None = None
        self.digest = ""
        self.stand_ins: dict[str, str] = {}
        converter.init_destination = self.init_destination
        converter.convert_notebooks = self.convert_notebooks
        converter.convert_single_notebook = self.convert_single_notebook
        converter.set_permissions = self.set_permissions

    def convert_notebooks(self) -> None:
        """Grades all, and then says if some were refused."""
        self.refused.clear()
        self._refuse_what_nbgrader_passes_over()
        try:
            with looked_into_once():
                self._convert()
        except _Stopped as stopped:
            self._log.error("nobody is graded: %s", stopped)
            raise NbGraderException(str(stopped)) from stopped
        finally:
            self._put_back()
        if self.refused:
            raise NbGraderException(f"refused, and not graded: {', '.join(self.refused)}")

    def convert_single_notebook(self, path: str) -> None:
        """Grades one, unless none can be graded."""
        try:
            self._convert_one(path)
        except UnreadableSubmission:
            raise
        except (Unready, UsageError) as error:
            raise _Stopped(str(error)) from error

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        """Whether a submission is to be graded now."""
        self._put_back()
        course = self._converter.coursedir
        if student_id in course.student_id_exclude.split(","):
            return False
        had_time = TIMESTAMP in self._take_in_hand(assignment_id, student_id)
        folder = self._folder(course.submitted_directory, assignment_id, student_id)
        try:
            expect_plain_name(student_id, folder)
            self._exporter.inspect(folder)
            self.digest = files_digest(folder)
            self._expect_work_on(assignment_id, folder)
        except UnreadableSubmission as error:
            self._refuse(student_id, error)
            return False
        if not (
            self._is_to_be_graded(assignment_id, student_id)
            or self._has_changed(assignment_id, student_id)
        ):
            return False
        if had_time and course.get_existing_timestamp(str(folder)) is None:
            self._forget_time(assignment_id, student_id)
        return True

    def _take_in_hand(self, assignment_id: str, student_id: str) -> dict[str, bytes]:
        """Keeps what grading has made of a submission before, whatever happens to it now."""
        directory = self._converter.coursedir.autograded_directory
        graded = self._folder(directory, assignment_id, student_id)
        own = [*graded.glob("*" + NOTEBOOK), graded / TIMESTAMP, graded / RESULT_NAME]
        files = {path.name: path.read_bytes() for path in own if path.is_file()}
        self.earlier = {Path(n).stem: data for n, data in files.items() if n.endswith(NOTEBOOK)}
        self.at_hand = graded, files
        return files

    def _refuse(self, student_id: str, error: UnreadableSubmission) -> None:
        self.refused.append(one_line(student_id))
        self._log.error("%s%s: %s", REFUSED, one_line(student_id), error)

    def _refuse_what_nbgrader_passes_over(self) -> None:
        """Of all who handed something in those in whose files it finds no notebook, or whose
        folder it would not find again. Who is asked for by name is told by nbgrader."""
        course = self._converter.coursedir
        if not has_magic(course.student_id):
            return
        name, root = course.assignment_id, Path(course.root)
        taken = {os.path.abspath(folder): folder for folder in self._converter.assignments}
        submitted = Folders(Course(root), self._converter.config, name).of("submitted")
        for student, folder in sorted(submitted.items()):
            found = taken.get(os.path.abspath(folder))
            if not fnmatchcase(student, course.student_id):
                continue
            try:
                expect_plain_name(student, folder)
                if found is None and course.notebook_id == "*" and any(folder.glob("*")):
                    notebook_in(folder, name)
            except UnreadableSubmission as error:
                self._converter.assignments.pop(found, None)
                self._refuse(student, error)

    def _put_back(self) -> None:
        """What was autograded before of a submission that nbgrader could not grade, and removed."""
        folder, files = self.at_hand or (Path(), {})
        self.at_hand = None
        if not all((folder / name).exists() for name in files):
            folder.mkdir(parents=True, exist_ok=True)
            for name, data in files.items():
                (folder / name).write_bytes(data)
            self._log.warning("%s holds what it held before: it was not graded", folder)

    def following(self, assignment_id: str, student_id: str, turns: slice) -> list[NotebookNode]:
        """The notebooks that are likely to be graded in those turns after that of a student.

        None of a submission that has several, or cannot be read: that is told when its turn comes.
        """
        course = self._converter.coursedir
        names = re.compile(
            course.format_path(
                course.submitted_directory,
                "(?P<student>.*)",
                re.escape(assignment_id),
                escape=True,
            )
        )
        this = course.format_path(course.submitted_directory, student_id, assignment_id)
        waiting = (
            Path(folder)
            for folder in sorted(one for one in self._converter.assignments if one > this)
            if (found := names.match(folder)) and self._waits(assignment_id, found["student"])
        )
        chosen = islice(waiting, turns.start, turns.stop)
        read = [self._readable(assignment_id, folder) for folder in chosen]
        return [notebook for notebook in read if notebook]

    def _waits(self, assignment_id: str, student_id: str) -> bool:
        """Whether a submission is sure to be graded, unless it is refused."""
        course = self._converter.coursedir
        if student_id in course.student_id_exclude.split(","):
            return False
        graded = self._folder(course.autograded_directory, assignment_id, student_id)
        return self._converter.force or not graded.exists()

    def _readable(self, assignment_id: str, folder: Path) -> NotebookNode | None:
        """The only notebook of a submission, unless something speaks against it."""
        from autograder.intake.submission import read_notebook  # loads nbformat

        try:
            self._exporter.inspect(folder)
            paths = list(self._exporter.notebooks_of(assignment_id, folder).values())
            most = self._exporter.notebook_bytes
            return read_notebook(paths[0], most) if len(paths) == 1 else None
        except UnreadableSubmission:
            return None

    def set_permissions(self, assignment_id: str, student_id: str) -> None:
        """The last of nbgrader's steps with a submission, all of whose notebooks are graded."""
        self._finish(assignment_id, student_id)
        self.at_hand = None
        self._seen(assignment_id).note(student_id, self.digest)

    def _expect_work_on(self, assignment_id: str, folder: Path) -> None:
        """Refuses what was made from another release, if this one's release is known."""
        self.stand_ins = {}
        for name, path in self._exporter.notebooks_of(assignment_id, folder).items():
            wanted = folder / (name + NOTEBOOK)
            if path != wanted:
                self._log.warning("%s is graded as %s", plain(path.name), wanted.name)
                self.stand_ins[str(wanted)] = str(path)
                self._converter.notebooks = [str(wanted)]

    def _has_changed(self, assignment_id: str, student_id: str) -> bool:
        """Whether a submission that nbgrader would pass over has changed; if so, makes room."""
        changed = self._seen(assignment_id).has_changed(student_id, self.digest)
        if changed is None:
            self._log.warning(
                "%s: nothing says what was graded, so nobody looked whether it has changed since: "
                "--force grades it again",
                plain(student_id),
            )
        if not changed:
            return False
        self._log.warning("%s has changed since it was graded", plain(student_id))
        self._converter.force = True
        try:
            return bool(self._is_to_be_graded(assignment_id, student_id))
        finally:
            self._converter.force = False

    def _forget_time(self, assignment_id: str, student_id: str) -> None:
        """Of a submission that says no more when it was handed in; nbgrader keeps the old time."""
        opened = nbgrader.converters.autograde.Gradebook  # as nbgrader's next step opens it
        with opened(self._converter.coursedir.db_url) as gradebook, suppress(MissingEntry):
            gradebook.find_submission(assignment_id, student_id).timestamp = None
            gradebook.db.commit()

    def _seen(self, assignment_id: str) -> GradedDigests:
        root = Path(self._converter.coursedir.root)
        return GradedDigests(root / self._exporter.seen_directory, assignment_id)

    def _folder(self, step: str, assignment_id: str, student_id: str) -> Path:
        return Path(self._converter.coursedir.format_path(step, student_id, assignment_id))

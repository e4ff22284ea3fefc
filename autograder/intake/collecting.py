"""Who handed in what: files downloaded from an LMS become submissions.

Theory of operation. `nbgrader zip_collect` asks its collector plugin, file by file, whose a file
is, and then empties and refills the folders of those students. One file alone does not say which
of two versions is the later, nor what lies in `submitted/` already. So `LMSCollector` looks at all
unpacked files when it is asked for the first time, picks for each student and notebook the last
version, and drops what is not later than the submission that is there (see `replacing`). A file's
date says only which version is later. A time of submission, by which penalties are reckoned, comes
from the name that the LMS gave alone: the dates in a downloaded archive are often those of the
download.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.apps.zipcollectapp import ZipCollectApp
from nbgrader.plugins import FileNameCollectorPlugin
from nbgrader.utils import find_all_notebooks, parse_utc
from traitlets import Enum, List, Unicode

from autograder.course.assignments import Course
from autograder.course.settings import settings_of
from autograder.errors import AutograderError, UnreadableSubmission, UsageError
from autograder.intake.belonging import origin, released_in
from autograder.intake.finding import NOTEBOOK
from autograder.intake.lms_names import (
    CONVENTIONS,
    COPY,
    RESUBMITTED,
    NameParts,
    numbered,
    said_by_lms,
    said_plainly,
)
from autograder.intake.own_folders import OwnFolders
from autograder.intake.replacing import Submissions
from autograder.intake.submission import read_notebook
from autograder.intake.unpacking import SafeExtractor
from autograder.results.plain import plain

JUNK = re.compile(r"\.|__MACOSX$")  # how hidden files, checkpoints and macOS' shadows begin
NO_ID = re.compile(
    r"[*?\[\]/\\+,\x00-\x1f\ud800-\udfff]|^\.|^$"
)  # meant otherwise by nbgrader, or no folder


@dataclass(frozen=True)
class Found:
    """A downloaded file that is somebody's.

    Attributes:
        target: the name it is collected under.
        fit: how sure that is: 2 its own name, 1 a part of its name, 0 the only one there is.
        modified: the file's date, seconds since 1970.
        torn: whether it should be a notebook and cannot be read as one.
    """

    path: Path
    said: NameParts
    target: str
    fit: int
    modified: float
    torn: bool

    @property
    def order(self) -> tuple[Any, ...]:
        """Later versions are greater; any is that can be read than one that cannot."""
        when = self.said.when or datetime.min
        return not self.torn, when, self.fit, self.said.version, self.modified, str(self.path)


class LMSCollector(FileNameCollectorPlugin):  # type: ignore[misc]
    """The collector plugin of `nbgrader zip_collect`.

    With a `named_regexp` of one's own, that alone says whose a file is.
    """

    timezone = Unicode("UTC", help="The time zone of the times in file names.").tag(config=True)

    conventions = List(
        Enum(list(CONVENTIONS)), list(CONVENTIONS), help="The LMSs whose file names are known."
    ).tag(config=True)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        try:
            ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise UsageError(
                f"c.LMSCollector.timezone is '{self.timezone}', which is no time zone: "
                "give one as Europe/Berlin or UTC"
            ) from error
        if isinstance(self.parent, ZipCollectApp):
            self._submissions.stand_around_transfer()

    def collect(self, submitted_file: str) -> dict[str, Any] | None:
        """What nbgrader should collect a file as; None for files that are not collected."""
        found = self._chosen.get(Path(submitted_file))
        if found is None:
            return None
        when = found.said.when or (self._just_late(found) if found.said.late else None)
        return {"student_id": found.said.student, "file_id": found.target, "timestamp": when}

    @cached_property
    def _chosen(self) -> dict[Path, Found]:
        """The files to collect: of each student's notebook the last version."""
        versions: dict[tuple[str, str], list[Found]] = defaultdict(list)
        for name in self._names:
            if (found := self._read_alone(name)) is not None:
                versions[found.said.student, found.target].append(found)
        last: dict[str, list[Found]] = defaultdict(list)
        for (student, _), several in versions.items():
            *earlier, latest = sorted(several, key=lambda found: found.order)
            last[student].append(latest)
            for found in earlier:
                why = "cannot be read" if found.torn else "is not the last version"
                shown = plain(str(found.path.relative_to(self._root)))
                self.log.warning("Not collected: of %s %s %s", student, shown, why)
        self._warn_of_strangers(set(last))
        return {f.path: f for s, files in last.items() if self._are_later(s, files) for f in files}

    def _are_later(self, student: str, files: list[Found]) -> bool:
        if all(found.torn for found in files) and self._submissions.is_there(student):
            self.log.warning("%s: no later file can be read: what is there stays", student)
            return False
        named = {found.target: found.path for found in files}
        times = [found.said.when for found in files if found.said.when]
        return self._submissions.are_earlier(student, named, max(times, default=None))

    @cached_property
    def _submissions(self) -> Submissions:
        return Submissions(self.parent, self.log)

    @cached_property
    def _names(self) -> list[Path]:
        """Paths below the folder of unpacked files, of those that may be collected."""
        every = [path.relative_to(self._root) for path in self._root.rglob("*") if path.is_file()]
        names = sorted(n for n in every if not any(JUNK.match(part) for part in n.parts))
        wanted = " or ".join(self.valid_ext)
        archives = SafeExtractor(parent=self.parent).zip_ext
        for name in names:
            if name.suffix.lower() not in {*self.valid_ext, *archives}:
                self.log.warning("Not collected: %s is no %s", plain(str(name)), wanted)
        return [name for name in names if name.suffix.lower() in self.valid_ext]

    def _read_alone(self, name: Path) -> Found | None:
        """As `_read`; whatever one file makes it raise, the others are collected."""
        try:
            return self._read(name)
        except AutograderError:
            raise
        except Exception as error:
            self.log.error("Not collected: %s: %r", plain(str(name)), error)
            return None

    def _read(self, name: Path) -> Found | None:
        path = self._root / name
        said, target = self._said(name), None
        if said is not None and (other := self._other(name, said)):
            self.log.error(
                "Not collected: %s names %s and lies in the folder of %s: put it where it belongs",
                *(plain(str(name)), plain(other), plain(said.student)),
            )
            return None
        if said is not None and not NO_ID.search(said.student):
            target = self._target(said.own, name.suffix.lower())
        if said is None or target is None:
            self.log.error(
                "Not collected: %s tells of no student or of no released notebook", plain(str(name))
            )
            return None
        torn = False
        if name.suffix.lower() == NOTEBOOK:
            notebook = self._notebook(name)
            torn = notebook is None
            if notebook and (other := self._why_not(notebook, name, target[0])):
                self.log.error("Not collected: %s", other)
                return None
        self.log.info("%s is by %s %s", plain(str(name)), said.student, plain(said.person))
        return Found(path, said, *target, path.stat().st_mtime, torn)

    def _notebook(self, name: Path) -> NotebookNode | None:
        """The notebook in a file; None for what no notebook is at all.

        Where the student has no other, that is collected and refused when it is graded, so that it
        is not lost from sight.
        """
        try:
            return read_notebook(self._root / name, self._notebook_bytes)
        except UnreadableSubmission:
            return None

    def _why_not(self, notebook: NotebookNode, name: Path, target: str) -> str:
        """Why a notebook is none of the released one's; empty where it is."""
        released = released_in(Course(Path(self.parent.coursedir.root)))
        try:
            origin(notebook, released, plain(str(name)), self._assignment, Path(target).stem)
        except UnreadableSubmission as error:
            return str(error)
        return ""

    def _said(self, name: Path) -> NameParts | None:
        if self.named_regexp:
            return self._said_by_own_pattern(name)
        found = self._by_lms(name)
        owner = None if self._folder_by_lms(name) else self._folders.owner(name)
        if owner is None:
            return found or said_plainly(name, self._titles, self._folders.nearest(name))
        said = said_plainly(PurePath(name.name), self._titles, owner)
        return replace(said, student=owner.strip())

    def _other(self, name: Path, said: NameParts) -> str:
        """Who else than the owner of its folder is named by a file."""
        if self.named_regexp or not (self._folder_by_lms(name) or self._folders.owner(name)):
            return ""
        return self._folders.other(name, said.student, said.person)

    def _by_lms(self, name: PurePath) -> NameParts | None:
        return said_by_lms(name, self.timezone, self.conventions)

    def _folder_by_lms(self, name: Path) -> NameParts | None:
        """What the folder of a file says, where an LMS named it."""
        return self._by_lms(name.parent) if len(name.parts) > 1 else None

    def _said_by_own_pattern(self, name: Path) -> NameParts | None:
        groups = self._match(str(self._root / name))
        if groups is None:
            return None
        text = groups.get("timestamp")
        try:
            when = parse_utc(text) if text else None
        except ValueError as error:
            raise UsageError(
                f"'{text}', which named_regexp takes from {plain(str(name))}, is no time: "
                "change the group timestamp"
            ) from error
        own = numbered(Path(groups.get("file_id") or name.name).stem, COPY, RESUBMITTED)
        return NameParts(groups["student_id"], *own, when=when)

    def _target(self, own: str, suffix: str) -> tuple[str, int] | None:
        """The name to collect a file under, and how sure that is."""
        if suffix != NOTEBOOK:
            return own + suffix, 2
        exact = [name for name in self._released if name.casefold() == own.casefold()]
        part = [name for name in self._released if name.casefold() in own.casefold()]
        for fit, fitting in ((2, exact), (1, part), (0, self._released)):
            if len(fitting) == 1:
                return fitting[0] + NOTEBOOK, fit
        return None

    def _just_late(self, found: Found) -> datetime | None:
        """A second after the due date: all that a late mark without a time says."""
        student = found.said.student
        if self._due_date is None:
            self.log.warning(
                "%s is late, and the assignment has no due date: no time is recorded; set the date "
                "in formgrader, and write the true time into timestamp.txt",
                student,
            )
            return None
        self.log.warning(
            "%s is late, and nothing says how late: timestamp.txt says one second after the due "
            "date; write the true time there",
            student,
        )
        return self._due_date + timedelta(seconds=1)

    def _warn_of_strangers(self, students: set[str]) -> None:
        for student in sorted(students - self._known) if self._known else ():
            self.log.warning("%s is no student in the gradebook", student)

    @property
    def _assignment(self) -> str:
        return str(self.parent.coursedir.assignment_id)

    @cached_property
    def _notebook_bytes(self) -> int:
        return settings_of(self.config).limits.notebook_bytes

    @property
    def _root(self) -> Path:
        return Path(self.parent._format_collect_path(self.parent.extracted_directory))

    @cached_property
    def _released(self) -> list[str]:
        """The released notebooks' names, without their suffix."""
        course = self.parent.coursedir
        folder = course.format_path(course.release_directory, ".", self._assignment)
        return [Path(name).stem for name in find_all_notebooks(folder)]

    @cached_property
    def _titles(self) -> set[str]:
        return {*self._released, self._assignment, self._assignment.partition("_")[0]}

    @cached_property
    def _known(self) -> set[str]:
        """Who is a student, by the gradebook."""
        with Gradebook(self.parent.coursedir.db_url) as gradebook:
            return {student.id for student in gradebook.students}

    @cached_property
    def _folders(self) -> OwnFolders:
        archive = Path(self.parent._format_collect_path(self.parent.archive_directory))
        given = [path.name for path in archive.glob("*") if path.is_dir()]
        return OwnFolders(self._names, self._titles, self._by_lms, given, self._known)

    @cached_property
    def _due_date(self) -> datetime | None:
        with Gradebook(self.parent.coursedir.db_url) as gradebook:
            try:
                due: datetime | None = gradebook.find_assignment(self._assignment).duedate
            except MissingEntry:
                return None
            return due

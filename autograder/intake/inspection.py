"""What may enter: a submission is looked at before nbgrader opens or copies anything of it.

Theory of operation. nbgrader copies a submission's files with `shutil.copy` and opens its
notebooks and its time stamp with `open`: links are followed out of the folder, and a FIFO stops
the run for good. Of what nbgrader lets a course configure, only the exporter class can prevent it.
A `pre_convert_hook` is not told the student, its exceptions are swallowed, and it runs after the
time stamp was opened; `CourseDirectory.ignore` knows names, not kinds, and holds for the whole
class; preprocessors run when all has been copied. An exporter is made once a run, before the first
submission, and knows its converter. So `IntakeExporter` puts a look at the submission before the
first step that its own converter takes with it (`autograding`). Nothing in the submitted folder is
moved or changed. No student code runs where it could change the folder between the look and the
copy.
"""

from __future__ import annotations

import json
import os
import re
import stat
from contextlib import suppress
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.converters import Autograde
from nbgrader.utils import parse_utc
from traitlets import Integer, Unicode

from autograder import helper
from autograder.course.assignments import Course
from autograder.course.folders import TIMESTAMP
from autograder.course.limits import MIB
from autograder.course.settings import settings_of
from autograder.errors import NotDone, UnreadableSubmission
from autograder.intake import MOST_LEVELS
from autograder.intake.autograding import AroundAutograde
from autograder.intake.bare import no_notebook
from autograder.intake.belonging import released_in
from autograder.intake.finding import notebooks_for
from autograder.intake.reading import read_stamp
from autograder.intake.seen import PLACE
from autograder.results.plain import plain
from autograder.results.stored import RESULT_NAME

BARE = "autograder.intake.bare"
_ISO = re.compile(r"\d{4}\D")  # a year first, and then nothing but the month
_DATE = re.compile(r"(?<![\d:./-])(\d\d?)([ ./-])(\d\d?)\2(?:\d{4}|\d\d)(?!\d)")
_TIME = re.compile(r"[\w :.,+-]*(/\w+)*")  # a zone may be Europe/Berlin, and no other path


class IntakeExporter(NotebookExporter):  # type: ignore[misc]
    """The exporter of `nbgrader autograde`.

    How large a notebook may be is the limit `notebook_bytes` of `c.GradeInBox.limits`.
    """

    max_entries = Integer(1000, help="Files and folders that one submission may have.").tag(
        config=True
    )
    max_levels = Integer(MOST_LEVELS, help="How deep folders may lie in folders.").tag(config=True)
    max_bytes = Integer(256 * MIB, help="Bytes that all files of a submission may have.").tag(
        config=True
    )
    seen_directory = Unicode(PLACE, help="Where it is noted what has been graded.").tag(config=True)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.notebook_bytes = settings_of(self.config).limits.notebook_bytes
        self.around: AroundAutograde | None = None
        helper.load(BARE)
        if isinstance(self.parent, Autograde):
            self.around = AroundAutograde(self, self.parent)
            self.parent.coursedir.get_existing_timestamp = _time_if_any

    def from_filename(self, filename: str, *arguments: Any, **settings: Any) -> Any:
        """Reads the file that stands in for a notebook under another name, if there is one."""
        stand_ins = self.around.stand_ins if self.around else {}
        return super().from_filename(stand_ins.get(filename, filename), *arguments, **settings)

    def from_file(
        self, file_stream: IO[str], resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        """As its base, without the outputs that were handed in, if the cells run to make others.

        Raises:
            UnreadableSubmission: the file is no notebook, or takes too long to read.
        """
        name = _name(Path(getattr(file_stream, "name", "the notebook")))
        try:
            text = _text(file_stream)
            bare = helper.run(f"{BARE}:bare_text", text, name, self._executes())
            notebook = nbformat.reads(bare, as_version=4)
        except (NotDone, ValueError) as error:
            raise no_notebook(name, error) from error
        return self.from_notebook_node(notebook, resources, **kw)  # type: ignore[no-any-return]

    def _executes(self) -> bool:
        """Whether cells run, which `--no-execute` rules out."""
        parts = (self.config[name] for name in ("Execute", "GradeInBox"))
        return all(part.get("enabled", True) for part in parts)

    def notebooks_of(self, assignment_id: str, folder: Path) -> dict[str, Path]:
        """The notebooks in a submission, by their released names, each seen to be one.

        Raises:
            UnreadableSubmission: see `notebooks_for`.
        """
        released = released_in(Course(Path(self.parent.coursedir.root)))
        return notebooks_for(assignment_id, folder, released, self.notebook_bytes)

    def inspect(self, folder: Path) -> None:
        """Goes through a submission without opening any file or following any link.

        Raises:
            UnreadableSubmission: it holds something else than folders and files of its own, or
                exceeds a cap.
        """
        if folder.is_symlink():
            raise UnreadableSubmission(f"{_name(folder)} is a link: put the folder itself there")
        entries = total = 0
        pending = [(folder, 0)]
        while pending:
            at, level = pending.pop()
            if level > self.max_levels:
                raise UnreadableSubmission(
                    f"{_name(folder)} has folders in folders more than {self.max_levels} deep"
                )
            for path, found in _entries(at, self.max_entries + 1):
                entries += 1
                if stat.S_ISDIR(found.st_mode):
                    self._inspect_folder(path)
                    pending.append((path, level + 1))
                else:
                    self._inspect_file(path, found)
                    total += found.st_size
                if entries > self.max_entries:
                    raise UnreadableSubmission(
                        f"{_name(folder)} has more than {self.max_entries:,} files and folders"
                    )
        if total > self.max_bytes:
            raise UnreadableSubmission(
                f"the files in {_name(folder)} have {total:,} bytes, "
                f"more than the limit of {self.max_bytes:,}"
            )
        handed_in(folder)

    def _inspect_folder(self, path: Path) -> None:
        if path.name in (RESULT_NAME, TIMESTAMP) or path.suffix == ".ipynb":
            raise UnreadableSubmission(
                f"{_name(path)} is a folder, and a file is called so: rename it"
            )

    def _inspect_file(self, path: Path, found: os.stat_result) -> None:
        if stat.S_ISLNK(found.st_mode):
            raise UnreadableSubmission(f"{_name(path)} is a link: put the file itself there")
        if not stat.S_ISREG(found.st_mode):
            raise UnreadableSubmission(f"{_name(path)} is not a regular file")
        if found.st_nlink > 1:
            raise UnreadableSubmission(
                f"{_name(path)} is a hard link, the same file as another: put a copy there"
            )
        if path.suffix == ".ipynb" and found.st_size > self.notebook_bytes:
            raise UnreadableSubmission(
                f"{_name(path)} has {found.st_size:,} bytes, "
                f"more than the limit of {self.notebook_bytes:,}: clear its outputs"
            )


def _text(file_stream: IO[str]) -> str:
    """What a file holds, in whichever encoding of JSON it was written. Raises ValueError."""
    held = getattr(file_stream, "buffer", None)
    if held is None:
        return file_stream.read()
    data: bytes = held.read()
    return data.decode(json.detect_encoding(data))


def handed_in(folder: Path) -> datetime | None:
    """When a submission was handed in, by its time stamp; None when it has none
    or an empty one.

    Raises:
        UnreadableSubmission: the time stamp holds no time, or one that reads as two.
    """
    path = folder / TIMESTAMP
    if not os.path.lexists(path):
        return None
    text = read_stamp(path).decode("utf-8-sig", errors="replace").strip()
    if _reads_as_two_days(text):
        raise UnreadableSubmission(
            f"{_name(path)} holds a date that reads as two days, '{plain(text)}': write it as "
            "2026-11-04 12:00:00 UTC, the year first"
        )
    try:
        if not _TIME.fullmatch(text):
            raise ValueError(text)
        when = parse_utc(text) if text else None
        if when and when.year in (datetime.min.year, datetime.max.year):
            raise OverflowError(text)  # in another zone it could be no time at all
        return when
    except (ValueError, ArithmeticError, TypeError, AttributeError) as error:
        raise UnreadableSubmission(
            f"{_name(path)} holds no time: write one as 2026-11-04 12:00:00 UTC, or delete it"
        ) from error


def _time_if_any(folder: str) -> datetime | None:
    """As nbgrader asks when something was handed in; what is handed in was looked at before."""
    with suppress(UnreadableSubmission):
        return handed_in(Path(folder))
    return None


def _reads_as_two_days(text: str) -> bool:
    """Whether some take its first number for the day, and others for the month."""
    found = None if _ISO.match(text) else _DATE.search(text)
    one, other = (int(found[1]), int(found[3])) if found else (0, 0)
    return one != other and min(one, other) >= 1 and max(one, other) <= 12


def _entries(folder: Path, most: int) -> list[tuple[Path, os.stat_result]]:
    """Up to `most` of what lies in a folder, with what kind of thing it is."""
    try:
        with os.scandir(folder) as found:
            return [(Path(e), e.stat(follow_symlinks=False)) for e in islice(found, most)]
    except OSError as error:
        raise UnreadableSubmission(f"cannot read {_name(folder)}: {error.strerror}") from error


def _name(path: Path) -> str:
    """A path fit for a log: students choose the names of their files."""
    return plain(os.fsencode(path).decode("utf-8", errors="replace"))

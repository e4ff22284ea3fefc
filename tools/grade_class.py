"""`make grade`: grades what lies in submitted/, and while it is empty a sample class.

Of each assignment it grades the class in parallel, makes the feedback pages and the class report,
and ends with one table of all. What `autograder batch` printed lies in .cache/grade/.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median

from sample_class import ROOT, dozen, hand_in

from autograder.commands import GRADED
from autograder.course.assignments import Course
from autograder.course.folders import Folders
from autograder.course.gradebook import recorded
from autograder.course.settings import read_config
from autograder.errors import UsageError
from autograder.nbgrader.running import failure, nbgrader_api
from autograder.results.text import table

LOGS = ROOT / ".cache" / "grade"


def main() -> int:
    """Grades all assignments that somebody has handed in; 1 when something went wrong."""
    course = Course(ROOT)
    names = course.assignment_ids()
    if not any((ROOT / "submitted").glob("*/*/*.ipynb")):
        print(f"submitted/ is empty: a sample class hands in {len(names)} assignments.")
        for name in names:
            for path in dozen(name):
                hand_in(path, name, ROOT / "submitted")
    config = read_config(ROOT)
    folders = {name: Folders(course, config, name) for name in names}
    handed_in = [name for name in names if folders[name].of("submitted")]
    worked = [graded(course, name, folders[name]) for name in handed_in]
    print(table([HEADER, *(row(name, folders[name]) for name in handed_in)]))
    print(
        "feedback pages: feedback/<student>/<assignment>/<assignment>.html\n"
        "class reports:  reports/<assignment>.html"
    )
    return 0 if all(worked) else 1


def graded(course: Course, name: str, folders: Folders) -> bool:
    """Grades the class of one assignment; whether nothing went wrong."""
    print(f"{name}: {len(folders.of('submitted'))} submissions", flush=True)
    release(course, name, folders)
    LOGS.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "autograder", "batch", name, "--feedback", "--report"]
    log = LOGS / f"{name}.txt"
    with log.open("w") as file:
        code = subprocess.run(command, cwd=ROOT, stdout=file).returncode
    if code != GRADED:
        print(f"{name}: not all went well: {log.relative_to(ROOT)} says what")
    return code == GRADED


def release(course: Course, name: str, folders: Folders) -> None:
    """Tells the gradebook of an assignment that it does not know yet.

    Raises:
        UsageError: the assignment cannot be released.
    """
    try:
        recorded(folders.db_url, name)
    except UsageError:
        api = nbgrader_api(read_config(course.root), course.root)
        found = api.generate_assignment(name, force=True)
        if not found["success"]:
            raise failure(found) from None


HEADER = ["assignment", "graded", "lowest", "median", "highest", "waiting", "ungraded"]


def row(name: str, folders: Folders) -> list[str]:
    """What the class has earned so far, and how many wait for a person or for a verdict."""
    entries = recorded(folders.db_url, name).entries
    totals = [entry.total for entry in entries.values()]
    marks = [min(totals), median(totals), max(totals)] if totals else []
    told = [f"{mark:g}" for mark in marks] or ["-"] * 3
    waiting = sum(entry.waiting for entry in entries.values())
    missing = len(folders.of("submitted").keys() - entries.keys())
    return [name, str(len(entries)), *told, str(waiting), str(missing)]


if __name__ == "__main__":
    sys.exit(main())

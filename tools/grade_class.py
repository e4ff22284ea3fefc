"""`make grade`: grades what lies in submitted/, and while it is empty a sample class.

Theory of operation. Each assignment is graded by an `autograder batch` of its own, with feedback
pages and the class report. As many run at a time as there are cores, so that one starts, or writes
its pages, while another grades; the one with most to do begins. What the gradebook does not know
yet is released just before its batch. All that is shown is one bar, which counts what lies in
autograded/, and one table. What the batches said lies in .cache/grade/.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from sample_class import ROOT, dozen, hand_in
from tqdm import tqdm

from autograder.commands import GRADED, INTERRUPTED, USAGE, cores
from autograder.course.assignments import Course
from autograder.course.folders import Folders
from autograder.course.gradebook import recorded
from autograder.course.pace import Pace
from autograder.course.settings import read_config
from autograder.errors import AutograderError, UsageError
from autograder.nbgrader.running import failure, nbgrader_api
from autograder.results.text import table

LOGS = Path(".cache", "grade")
LOOK_SECONDS = 0.2
HEADER = ["assignment", "graded", "lowest", "median", "highest", "waiting", "ungraded"]


def main(root: Path = ROOT) -> int:
    """Grades all assignments that somebody has handed in; 1 when something went wrong."""
    try:
        return grade(root)
    except KeyboardInterrupt:
        print("Stopped: run it again to go on from here.")
        return INTERRUPTED
    except AutograderError as error:
        print(f"grading the class: {error}", file=sys.stderr)
        return USAGE


def grade(root: Path) -> int:
    """Grades them, and shows the class."""
    course = Course(root)
    config = read_config(root)
    every = {name: Folders(course, config, name) for name in course.assignment_ids()}
    hand_in_samples(course, every)
    folders = {name: one for name, one in every.items() if one.of("submitted")}
    count = sum(len(one.of("submitted")) for one in folders.values())
    print(f"Grading {count} submissions of {len(folders)} assignments.", flush=True)
    unwell = graded(course, folders)
    print(table([HEADER, *(row(name, one) for name, one in folders.items())]))
    for name in unwell:
        print(f"{name}: not all went well: {LOGS / name}.txt says what")
    print("feedback pages: feedback/<student>/<assignment>/<assignment>.html")
    print("class reports:  reports/<assignment>.html")
    return 1 if unwell else 0


def hand_in_samples(course: Course, every: Mapping[str, Folders]) -> None:
    """While nothing at all lies in submitted/, a dozen sample students hand in each assignment."""
    submitted = course.root / "submitted"
    if any(submitted.glob("[!.]*")) or any(folders.of("submitted") for folders in every.values()):
        return
    print("submitted/ is empty: a sample class hands in what you see there now.", flush=True)
    for name, folders in every.items():
        for path in dozen(name):
            hand_in(path, name, partial(folders.of_student, "submitted"))


def graded(course: Course, folders: Mapping[str, Folders]) -> list[str]:
    """Grades the class of each assignment; those where something went wrong.

    Raises:
        UsageError: an assignment cannot be released; others that were begun have been stopped, and
            go on from there the next time.
    """
    (course.root / LOGS).mkdir(parents=True, exist_ok=True)
    at_a_time = cores()
    waiting, running = by_work(course, folders), dict[str, subprocess.Popen[bytes]]()
    jobs = max(1, at_a_time // max(1, len(waiting)))
    unwell = []
    total = sum(len(one.of("submitted")) for one in folders.values())
    bar = tqdm(total=total, desc="graded", unit="", file=sys.stderr, disable=None)
    try:
        while waiting or running:
            while waiting and len(running) < at_a_time:
                name = waiting.pop(0)
                release(course, name, folders[name])
                running[name] = started(course, name, jobs)
            time.sleep(LOOK_SECONDS)
            for name in [name for name, one in running.items() if one.poll() is not None]:
                if running.pop(name).returncode != GRADED:
                    unwell.append(name)
            bar.update(sum(len(one.of("autograded")) for one in folders.values()) - bar.n)
    except AutograderError:
        for one in running.values():
            one.terminate()
        raise
    finally:
        for one in running.values():  # whom Ctrl-C has reached, too
            one.wait()
        bar.close()
    return sorted(unwell)


def by_work(course: Course, folders: Mapping[str, Folders]) -> list[str]:
    """The assignments, the one first whose class takes longest."""

    def work(name: str) -> float:
        pace = Pace.load(course.assignment(name).pace_file)
        return pace.seconds * len(folders[name].of("submitted"))

    return sorted(folders, key=work, reverse=True)


def started(course: Course, name: str, jobs: int) -> subprocess.Popen[bytes]:
    """A batch of one assignment, under way."""
    arguments: Sequence[str] = ["batch", name, "--feedback", "--report", "--jobs", str(jobs)]
    with (course.root / LOGS / f"{name}.txt").open("w") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "autograder", *arguments],
            cwd=course.root,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )


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

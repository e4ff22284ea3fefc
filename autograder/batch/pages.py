"""Feedback pages of a class, made side by side by nbgrader's own `generate_feedback`."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tqdm import tqdm

from autograder.course.assignments import Course
from autograder.course.folders import Folders
from autograder.course.gradebook import read_gradebook
from autograder.course.settings import read_config
from autograder.errors import AutograderError
from autograder.farm import forkserver


def make_pages(course: Course, assignment_id: str, jobs: int) -> dict[str, str]:
    """Makes the page of every student whose work was autograded and recorded, `jobs` at a time.

    Returns:
        Why a page could not be made, by student.
    """
    students = _autograded(course, assignment_id, recorded=True)
    failures = {}
    with (
        _pool(min(jobs, len(students))) as pool,
        tqdm(total=len(students), desc="pages", unit="", disable=None) as bar,
    ):
        asked = {pool.submit(_make, course.root, assignment_id, one): one for one in students}
        for made in as_completed(asked):
            if reason := _reason(made):
                failures[asked[made]] = reason
            bar.update()
    return failures


def left_behind(course: Course, assignment_id: str) -> dict[str, str]:
    """Of whom something lies in the autograded folder alone, and what to do about it."""
    said = "no feedback page, the gradebook holds no submission: remove autograded/{}/"
    found = _autograded(course, assignment_id, recorded=False)
    return {student: said.format(student) for student in found}


def _autograded(course: Course, assignment_id: str, *, recorded: bool) -> list[str]:
    """The students with autograded work which the gradebook holds, or does not."""
    folders = Folders(course, read_config(course.root), assignment_id)
    found = read_gradebook(folders.db_url, assignment_id)
    entries = found.entries if found else {}
    return sorted(one for one in folders.of("autograded") if (one in entries) is recorded)


def _reason(made: Future[str]) -> str:
    """Why there is no page; empty where there is one."""
    try:
        return made.result()
    except BrokenExecutor:
        return "a process that makes pages was ended from outside: run the command again"


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    forkserver.start()
    pool = ProcessPoolExecutor(
        max(jobs, 1), get_context("forkserver"), forkserver.enter, (forkserver.environment(),)
    )
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _make(root: Path, assignment_id: str, student: str) -> str:
    """In a process of the pool: why there is no page; empty where there is one."""
    from autograder.nbgrader.running import failure

    try:
        found = _nbgrader(root).generate_feedback(assignment_id, student, force=True)
    except AutograderError as error:
        return str(error)
    return "" if found["success"] else str(failure(found))


@cache
def _nbgrader(root: Path) -> Any:
    from autograder.nbgrader.running import nbgrader_api

    return nbgrader_api(read_config(root), root)

"""nbgrader's exchange, with the course's configuration: out to a student, back, and out again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.utils import get_username
from ordinary_course import POINTS, RIGHT, cell, make_course, nbgrader, scores, source_notebook

WRONG = RIGHT.replace("42", "41")


@pytest.fixture
def student(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A student's folder; the exchange stands where its and the course's configuration say."""
    (tmp_path / "exchange").mkdir()
    (tmp_path / "exchange").chmod(0o777)
    home = tmp_path / "student"
    home.mkdir()
    (home / "nbgrader_config.py").write_text(
        f'c = get_config()\nc.CourseDirectory.course_id = "transformers"\n{exchange(tmp_path)}'
    )
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    return home


def exchange(folder: Path) -> str:
    return f"c.Exchange.root = {str(folder / 'exchange')!r}\n"


def write_answer(home: Path, answer: str) -> None:
    path = home / "ps1" / "p1.ipynb"
    notebook = nbformat.read(path, as_version=4)
    cell(notebook, "answer").source = answer
    nbformat.write(notebook, path)
    (home / "ps1" / "own").mkdir(exist_ok=True)
    (home / "ps1" / "own" / "notes.txt").write_text("mine")


def run(folder: Path, *arguments: str) -> None:
    done = nbgrader(folder, *arguments)
    assert done.returncode == 0, done.stderr


def test_released_fetched_submitted_twice_collected_graded_and_given_back(
    tmp_path: Path, student: Path
) -> None:
    course = tmp_path / "course"
    course.mkdir()
    make_course(course, {"ps1": {"p1": source_notebook()}})
    with (course / "nbgrader_config.py").open("a") as config:
        config.write(exchange(tmp_path))
    run(course, "release_assignment", "ps1")
    run(student, "fetch_assignment", "ps1")
    released = (course / "release" / "ps1" / "p1.ipynb").read_bytes()
    assert (student / "ps1" / "p1.ipynb").read_bytes() == released

    began = datetime.now(UTC).replace(tzinfo=None, microsecond=0)
    for answer in (WRONG, RIGHT):
        write_answer(student, answer)
        run(student, "submit", "ps1")
        run(course, "collect", "ps1", "--update")
    me = get_username()
    collected = course / "submitted" / me / "ps1"
    sent = (student / "ps1" / "p1.ipynb").read_bytes()
    assert (collected / "p1.ipynb").read_bytes() == sent
    assert (collected / "own" / "notes.txt").read_text() == "mine"

    run(course, "autograde", "ps1")
    assert scores(course, me) == POINTS
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        handed_in = gradebook.find_submission("ps1", me).timestamp
    stamp = (collected / "timestamp.txt").read_text()
    assert f"{handed_in:%Y-%m-%d %H:%M:%S}" in stamp
    assert began <= handed_in.replace(microsecond=0) <= datetime.now(UTC).replace(tzinfo=None)

    run(course, "generate_feedback", "ps1")
    run(course, "release_feedback", "ps1")
    run(student, "fetch_feedback", "ps1")
    (page,) = (student / "ps1" / "feedback").rglob("p1.html")
    assert page.read_bytes() == (course / "feedback" / me / "ps1" / "p1.html").read_bytes()

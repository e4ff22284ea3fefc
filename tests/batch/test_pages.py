"""`autograder batch --feedback --report`: the pages that nbgrader's own commands would make."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
from mini_course import MINI, MiniCourse, make_course

from autograder.batch import pages as pages_of_a_class
from autograder.cli import main
from autograder.course.assignments import Course
from autograder.course.folders import TIMESTAMP
from autograder.farm import template
from autograder.results.model import QuestionResult
from autograder.service.attempts import Attempts, KeptAttempt, database_url
from autograder.service.policy import read_policy
from autograder.service.who import key_file, make_key


@pytest.fixture
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MiniCourse:
    folder = make_course(tmp_path / "course")
    monkeypatch.chdir(folder)
    return MiniCourse(folder)


def test_those_who_make_pages_have_the_environment_of_the_head(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_OF_THE_COURSE", "somewhere")
    with pages_of_a_class._pool(1) as pool:
        assert pool.submit(os.getenv, "DATABASE_OF_THE_COURSE").result() == "somewhere"
        assert pool.submit(os.getenv, template.ADDRESS).result() is None


def pages(course: MiniCourse) -> dict[str, bytes]:
    found = [path for path in course.folder.glob("feedback/**/*") if path.is_file()]
    return {str(path.relative_to(course.folder)): path.read_bytes() for path in found}


def test_pages_are_those_of_nbgrader_byte_for_byte(mini: MiniCourse) -> None:
    mini.hand_in("demo-right")
    wrong = mini.hand_in("demo-wrong", triple="def triple(x):\n    return 4 * x")
    for name in (
        "index.html",
        "x.HTML",
        "sub/x.html",
        "feedback.svg",
        ".htaccess",
        "x.php.txt",
        "result.json",
    ):
        path = wrong.parent / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("<script>alert('10 of 10 points')</script>")
    (wrong.parent / TIMESTAMP).write_text("2026-11-04 12:00:00 UTC")
    (wrong.parent / "submission_secret.txt").write_text("5" * 128)
    assert main(["batch", MINI, "--jobs", "2", "--feedback", "--report"]) == 0
    ours = pages(mini)
    by_nbgrader = {TIMESTAMP, "submission_secret.txt"}  # which `nbgrader release_feedback` reads
    for student, more in (("demo-right", set()), ("demo-wrong", by_nbgrader)):
        files = {f"{MINI}.html", "result.json"} | more
        folder = f"feedback/{student}/{MINI}/"
        found = {name.removeprefix(folder) for name in ours if name.startswith(folder)}
        assert found == files
    assert not any(b"<script" in data for data in ours.values())
    assert (mini.folder / "reports" / f"{MINI}.html").is_file()

    shutil.rmtree(mini.folder / "feedback")
    command = [sys.executable, "-m", "nbgrader", "generate_feedback", MINI]
    subprocess.run(command, cwd=mini.folder, check=True, capture_output=True)
    assert pages(mini) == ours


def test_the_class_report_has_what_was_asked_of_the_check_service(mini: MiniCourse) -> None:
    mini.hand_in("demo-right")
    course = Course(mini.folder)
    make_key(key_file(course))
    store = Attempts(database_url(course, read_policy(course)))
    verdict = QuestionResult("double", "wrong", 0, 5)
    store.keep(KeptAttempt(1.0, "demo-right", MINI, "double", "d" * 64, False, verdict), [])
    store.close()
    assert main(["batch", MINI, "--jobs", "1", "--report"]) == 0
    report = (mini.folder / "reports" / f"{MINI}.html").read_text()
    assert "What the check service was asked" in report


def test_what_is_left_of_a_student_who_was_removed_is_told_and_no_fault(
    mini: MiniCourse, capfd: pytest.CaptureFixture[str]
) -> None:
    mini.hand_in("demo-right")
    left = mini.folder / "autograded" / "demo-gone" / MINI
    left.mkdir(parents=True)
    shutil.copy(mini.folder / "release" / MINI / f"{MINI}.ipynb", left)
    assert main(["batch", MINI, "--feedback"]) == 0
    said = "autograder: demo-gone: no feedback page, the gradebook holds no submission: "
    assert f"{said}remove autograded/demo-gone/\n" in capfd.readouterr().err
    assert not (mini.folder / "feedback" / "demo-gone").exists()


def test_a_page_that_cannot_be_made_is_told_and_the_others_are_there(
    mini: MiniCourse, capfd: pytest.CaptureFixture[str]
) -> None:
    mini.hand_in("demo-right")
    mini.hand_in("demo-torn")
    assert main(["batch", MINI]) == 0
    mini.notebook_path("demo-torn", "autograded").write_text("no notebook")
    assert main(["batch", MINI, "--feedback"]) == 3
    said = capfd.readouterr().err
    assert "autograder: demo-torn: no feedback page: " in said
    assert "Traceback" not in said
    assert any("demo-right" in name for name in pages(mini))


def test_a_process_that_is_ended_from_outside_is_told_in_a_sentence() -> None:
    ended: Future[str] = Future()
    ended.set_exception(BrokenProcessPool("terminated abruptly"))
    assert "run the command again" in pages_of_a_class._reason(ended)

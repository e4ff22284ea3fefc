"""The course that a working folder lies in, and the configurations that are never run."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT

from autograder.cli import main
from autograder.course.assignments import CONFIG_NAME, Course
from autograder.errors import UsageError


def configured(folder: Path, text: str = "c = get_config()\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CONFIG_NAME).write_text(text)
    return folder


def test_a_course_is_found_from_anywhere_in_it(tmp_path: Path) -> None:
    course = configured(tmp_path / "course")
    submission = course / "submitted" / "demo-1" / "a1"
    submission.mkdir(parents=True)
    assert Course.find(submission).root == Course.find(course).root == course


@pytest.mark.parametrize("step", ["submitted", "autograded", "feedback", "release", "downloaded"])
@pytest.mark.parametrize("below", ["", "demo-1", "demo-1/a1", "demo-1/a1/deeper"])
def test_no_configuration_is_read_among_students_files(
    tmp_path: Path, step: str, below: str
) -> None:
    course = configured(tmp_path / "course")
    theirs = configured(course / step / below)
    working = theirs / "further"
    working.mkdir()
    with pytest.raises(UsageError, match=f"lies below {step}/ of the course in {course},"):
        Course.find(working)


@pytest.mark.parametrize(
    ("setting", "place"),
    [
        ('c.CourseDirectory.submitted_directory = "handed in"', "handed in/demo-1/a1"),
        ("c.CourseDirectory.submitted_directory='work/in/'", "work/in/demo-1/a1"),
        ('c.CourseDirectory = {"feedback_directory": "back"}', "back/demo-1/a1"),
        ('c["CourseDirectory"]["autograded_directory"] = "marked"', "demo-1/marked/a1"),
        ('c.ZipCollectApp.downloaded_directory = "lms"', "lms/a1/extracted/demo-1"),
    ],
)
def test_folders_are_known_by_the_names_that_the_course_gives_them(
    tmp_path: Path, setting: str, place: str
) -> None:
    course = configured(tmp_path / "course", f"c = get_config()\n{setting}\n")
    theirs = configured(course / place)
    with pytest.raises(UsageError, match="where a student may have put it"):
        Course.find(theirs)


def test_a_submission_is_seen_through_a_configuration_in_between(tmp_path: Path) -> None:
    course = configured(tmp_path / "course")
    configured(course / "submitted" / "demo-1")
    theirs = configured(course / "submitted" / "demo-1" / "a1")
    with pytest.raises(UsageError, match="lies below submitted/"):
        Course.find(theirs)


def test_a_course_may_lie_in_another_beside_its_students_files(tmp_path: Path) -> None:
    outer = configured(tmp_path / "submitted")
    inner = configured(outer / "courses" / "of-2026")
    assert Course.find(inner).root == inner


def test_a_command_in_a_submission_ends_before_the_students_configuration_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    course = configured(tmp_path / "course", (ROOT / CONFIG_NAME).read_text())
    ran = tmp_path / "ran"
    theirs = configured(course / "submitted/demo-1/a1", f"open({str(ran)!r}, 'w').close()\n")
    monkeypatch.chdir(theirs)
    for command in (["grade", "a1.ipynb"], ["batch", "a1"], ["report"], ["expected"], ["doctor"]):
        assert main(command) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert f"run this in {course}, or move" in said
    assert not ran.exists()

"""An assignment without checks of its own earns the same at every door, in-box."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from ordinary_course import (
    POINTS,
    RIGHT,
    hand_in,
    make_course,
    nbgrader,
    result_of,
    source_notebook,
)

from autograder.cli import main
from autograder.course.assignments import Course
from autograder.gradescope.harness import grade_submission
from autograder.results.model import SubmissionResult

HALF = RIGHT.replace("return 42", "return 41").replace("return 4.0", "return 2.5")
EARNED = {"demo-right": 8.0, "demo-half": 4.5}  # `reads` wants a file that only submissions have


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course in which `nbgrader autograde` has graded a class."""
    folder = make_course(tmp_path_factory.mktemp("course"), {"ps1": {"p1": source_notebook()}})
    for student, answer in (("demo-right", RIGHT), ("demo-half", HALF)):
        shutil.rmtree(hand_in(folder, student, answer) / "own")
    done = nbgrader(folder, "autograde", "ps1")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def course(graded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = Path(shutil.copytree(graded, tmp_path / "course"))
    monkeypatch.chdir(folder)
    return folder


def told(result: SubmissionResult) -> object:
    """What a verdict says, whoever asked for it."""
    questions = [(q.slug, q.status, q.score, q.max_score) for q in result.questions]
    return result.verdict, result.status, result.score, result.max_score, questions


def test_grade_gives_what_autograde_gave(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(course / "submitted" / student / "ps1" / "p1.ipynb") for student in EARNED]
    (course / "gradebook.db").unlink()
    assert main(["grade", *paths, "--format", "json"]) == 0
    for student, found in zip(EARNED, json.loads(capsys.readouterr().out), strict=True):
        result = SubmissionResult.from_dict(found)
        assert told(result) == told(result_of(course, student))
        assert (result.verdict, result.score) == ("in-box", EARNED[student])
        assert result.max_score == sum(POINTS.values())
    assert not (course / "gradebook.db").exists()
    assert not list((course / ".cache").glob("graded-alone-*"))
    assert main(["grade", paths[1], "--fail-under", "60"]) == 1
    assert "in-box: " not in (said := capsys.readouterr().out)
    assert ", in-box" in said


def test_batch_records_what_autograde_recorded(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {student: told(result_of(course, student)) for student in EARNED}
    for name in ("gradebook.db", "release"):
        assert (course / name).exists()
    shutil.rmtree(course / "autograded")
    assert main(["batch", "ps1"]) == 0
    assert "2 graded and recorded, 0 unchanged" in capsys.readouterr().out
    assert {student: told(result_of(course, student)) for student in EARNED} == before
    assert main(["batch", "ps1"]) == 0
    assert "0 graded and recorded, 2 unchanged" in capsys.readouterr().out
    path = course / "submitted" / "demo-half" / "ps1" / "p1.ipynb"
    path.write_text(path.read_text().replace("return 41", "return 42"))
    assert main(["batch", "ps1"]) == 0
    said = capsys.readouterr().out
    assert "1 graded and recorded, 1 unchanged" in said
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        scores = {s.student_id: s.score for s in gradebook.find_assignment("ps1").submissions}
    assert scores == {"demo-right": 8.0, "demo-half": 6.5}


def test_the_zip_for_gradescope_grades_it(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["gradescope", "ps1", "--output", str(tmp_path / "ps1.zip")]) == 0
    root = tmp_path / "autograder"
    with zipfile.ZipFile(tmp_path / "ps1.zip") as archive:
        archive.extractall(root / "source")
    (root / "submission").mkdir()
    shutil.copy(course / "submitted" / "demo-half" / "ps1" / "p1.ipynb", root / "submission")
    monkeypatch.chdir(root / "source" / "course")
    assert grade_submission(root, "visible") == 0
    found = json.loads((root / "results" / "results.json").read_text())
    assert found["score"] == EARNED["demo-half"]
    assert {test["name"]: test["score"] for test in found["tests"]}["partial"] == 2.5


def test_an_assignment_whose_checks_are_missing_is_not_taken_for_one_without(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = course / "source" / "ps1" / "p1.ipynb"
    path.write_text(path.read_text().replace("assert answer() == 42", "check('exact')"))
    sentence = "checks/ps1 is missing: the hidden tests of ps1 ask for its checks"
    for command in (["batch", "ps1"], ["gradescope", "ps1", "--output", "x.zip"]):
        assert main(command) == 2
        assert sentence in capsys.readouterr().err
    assert nbgrader(course, "generate_assignment", "ps1", "--force").returncode == 0
    done = nbgrader(course, "autograde", "ps1", "--force")
    assert done.returncode == 1
    assert sentence in done.stderr


def test_what_is_for_checks_alone_says_so(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert Course(course).assignment_ids() == []
    assert main(["expected", "ps1"]) == 2
    assert "ps1 has no checks of its own" in capsys.readouterr().err

"""`make grade`: a class of every assignment, and at most one screen of what there is to say."""

from __future__ import annotations

import signal
import subprocess
from collections import Counter
from pathlib import Path

import grade_class
import pytest
from conftest import A1, IDS, read_sample
from mini_course import MINI, MiniCourse, make_course
from sample_class import dozen

from autograder.course.assignments import CONFIG_NAME
from autograder.course.folders import Folders
from autograder.course.pace import Pace
from autograder.course.settings import read_config

SCREEN = 24


@pytest.fixture
def mini(tmp_path: Path) -> MiniCourse:
    return MiniCourse(make_course(tmp_path / "course"))


def lasting(mini: MiniCourse, name: str, seconds: float) -> None:
    """Adds an assignment without source, which takes that long and somebody has handed in."""
    notebook = mini.folder / "release" / name / f"{name}.ipynb"
    notebook.parent.mkdir()
    notebook.write_bytes((mini.folder / "release" / MINI / f"{MINI}.ipynb").read_bytes())
    pace = mini.folder / "checks" / name / "expected" / "pace.json"
    pace.parent.mkdir(parents=True)
    pace.write_text(Pace(seconds=seconds).as_text())
    (mini.folder / "submitted" / "demo-student" / name).mkdir(parents=True)


def test_one_table_says_what_a_class_has_earned_and_where_its_pages_are(
    mini: MiniCourse, capfd: pytest.CaptureFixture[str]
) -> None:
    mini.hand_in("demo-right")
    mini.hand_in("demo-wrong", triple="def triple(x):\n    return 4 * x")
    assert grade_class.main(mini.folder) == 0
    said, complained = capfd.readouterr()
    assert "Grading 2 submissions of 1 assignments." in said
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert f"{MINI} 2 5 7.5 10 0 0" in lines
    assert len(lines) + len(IDS) < SCREEN, "the course has more assignments"
    assert complained == ""
    for page in ("feedback/<student>/<assignment>/<assignment>.html", "reports/<assignment>.html"):
        name = page.replace("<student>", "demo-wrong").replace("<assignment>", MINI)
        assert page in said
        assert (mini.folder / name).is_file()
    assert "demo-wrong" not in said
    assert "demo-wrong" in (mini.folder / ".cache" / "grade" / f"{MINI}.txt").read_text()


def test_what_went_wrong_is_told_with_where_it_is_written(
    mini: MiniCourse, capfd: pytest.CaptureFixture[str]
) -> None:
    mini.hand_in("demo-right")
    mini.hand_in("demo-torn").write_text("no notebook")
    assert grade_class.main(mini.folder) == 1
    said, _ = capfd.readouterr()
    assert f"{MINI}: not all went well: .cache/grade/{MINI}.txt says what" in said
    assert "demo-torn" in (mini.folder / ".cache" / "grade" / f"{MINI}.txt").read_text()


def test_a_configuration_that_does_not_run_is_told_in_one_sentence(
    mini: MiniCourse, capfd: pytest.CaptureFixture[str]
) -> None:
    (mini.folder / CONFIG_NAME).write_text("c = get_config(")
    assert grade_class.main(mini.folder) == 2
    said, complained = capfd.readouterr()
    assert said == ""
    assert complained.startswith(f"grading the class: {mini.folder / CONFIG_NAME}")
    assert complained.count("\n") == 1


def test_an_assignment_that_cannot_be_released_stops_the_others(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def started(*_: object) -> subprocess.Popen[bytes]:
        batches.append(subprocess.Popen(["sleep", "60"]))
        return batches[-1]

    batches: list[subprocess.Popen[bytes]] = []
    mini.hand_in("demo-right")
    lasting(mini, "other", seconds=0.0)
    monkeypatch.setattr(grade_class, "started", started)
    monkeypatch.setattr(grade_class, "cores", lambda: 2)
    assert grade_class.main(mini.folder) == 2
    assert "other" in capfd.readouterr().err
    assert [one.returncode for one in batches] == [-signal.SIGTERM]


def test_the_assignment_that_takes_longest_is_begun_first(mini: MiniCourse) -> None:
    for name, seconds in (("quick", 1.0), ("slow", 5.0)):
        lasting(mini, name, seconds)
    config = read_config(mini.folder)
    folders = {name: Folders(mini.course, config, name) for name in (MINI, "quick", "slow")}
    assert grade_class.by_work(mini.course, folders) == ["slow", "quick", MINI]


@pytest.mark.parametrize(
    "handed_in", ["demo-one/mini/answers.zip", "mini/demo-one/mini.ipynb", "all.zip"]
)
def test_what_lies_in_submitted_keeps_the_sample_class_out(
    mini: MiniCourse, handed_in: str
) -> None:
    path = mini.folder / "submitted" / handed_in
    path.parent.mkdir(parents=True)
    path.touch()
    folders = Folders(mini.course, read_config(mini.folder), MINI)
    grade_class.hand_in_samples(mini.course, {MINI: folders})
    assert [one for one in mini.folder.rglob("submitted/**/*") if one.is_file()] == [path]


def test_the_sample_class_hands_in_where_the_course_collects(tmp_path: Path) -> None:
    folder = make_course(tmp_path / "course", 'c.CourseDirectory.submitted_directory = "handed_in"')
    course = MiniCourse(folder).course
    grade_class.hand_in_samples(course, {A1: Folders(course, read_config(folder), A1)})
    assert len([*(folder / "handed_in").glob(f"demo-*/{A1}/{A1}.ipynb")]) == 12
    assert not (folder / "submitted").exists()


@pytest.mark.parametrize("assignment", IDS)
def test_the_sample_class_is_a_dozen_of_every_kind(assignment: str) -> None:
    chosen = dozen(assignment)
    kinds = Counter(path.parent.name for path in chosen)
    assert (kinds.total(), kinds["correct"], kinds["wrong"]) == (12, 4, 5)
    hostile = [read_sample(path) for path in chosen if path.parent.name == "hostile"]
    assert any(sample.empty for sample in hostile)
    hang = [one for one in hostile if "timeout" in dict(one.verdicts.values())]
    assert len(hang) == 1, "each costs seconds"

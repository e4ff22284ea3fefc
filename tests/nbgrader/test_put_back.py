"""What was autograded before stays where nbgrader cannot grade anew."""

from __future__ import annotations

from pathlib import Path

from mini_course import MINI, MiniCourse, edit, make_course

from autograder.course.settings import read_config
from autograder.nbgrader.running import nbgrader_api


def autograded(mini: MiniCourse) -> dict[str, bytes]:
    folder = mini.folder / "autograded"
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_broken_check_takes_away_no_autograded_notebook(tmp_path: Path) -> None:
    mini = MiniCourse(make_course(tmp_path / "course"))
    api = nbgrader_api(read_config(mini.folder), mini.folder)
    for student in ("demo-a", "demo-b"):
        mini.hand_in(student)
    assert api.autograde(MINI, "*")["success"]
    before, scores = autograded(mini), mini.scores()
    assert any(name.endswith(".ipynb") for name in before)
    path = mini.folder / "checks" / MINI / "check_double.py"
    whole = path.read_text(encoding="utf-8")
    edit(path, "2 * x", "3 * x")
    found = api.autograde(MINI, "*", force=True)
    assert not found["success"]
    log = str(found["log"])
    assert log.count("nobody is graded: the instructor's solution of mini fails its own") == 1
    assert log.count("holds what it held before: it was not graded") == 1
    assert "Traceback" not in log
    assert (autograded(mini), mini.scores()) == (before, scores)
    path.write_text(whole, encoding="utf-8")
    assert api.autograde(MINI, "*", force=True)["success"]
    assert autograded(mini).keys() == before.keys()


def test_what_keeps_everybody_from_being_graded_is_said_once(tmp_path: Path) -> None:
    mini = MiniCourse(make_course(tmp_path / "course"))
    api = nbgrader_api(read_config(mini.folder), mini.folder)
    for student in ("demo-a", "demo-b", "demo-c"):
        mini.hand_in(student)
    (mini.folder / "checks" / MINI / "check_double.py").unlink()
    found = api.autograde(MINI, "*")
    assert not found["success"]
    assert str(found["log"]).count("check_double.py") == 1
    assert "nobody is graded" in str(found["log"])
    assert "Traceback" not in str(found["log"])
    assert not (mini.folder / "autograded" / "demo-b").exists()

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
    assert str(found["log"]).count("holds what it held before: it was not graded") == 2
    assert (autograded(mini), mini.scores()) == (before, scores)
    path.write_text(whole, encoding="utf-8")
    assert api.autograde(MINI, "*", force=True)["success"]
    assert autograded(mini).keys() == before.keys()

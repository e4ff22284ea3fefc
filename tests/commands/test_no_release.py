"""Without a release no notebook can be told to be any assignment's, and that is what is said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from mini_course import MINI, MiniCourse, make_course

from autograder.cli import main


@pytest.mark.parametrize("leave_folder", [False, True])
def test_a_course_without_a_release_is_told_to_make_one(
    leave_folder: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    mini = MiniCourse(make_course(tmp_path / "course"))
    path = mini.hand_in("demo-right")
    shutil.rmtree(mini.folder / "release")
    if leave_folder:
        (mini.folder / "release").mkdir()
    monkeypatch.chdir(mini.folder)
    assert main(["grade", str(path)]) == 2
    said = capsys.readouterr().err
    assert f"{mini.folder / 'release'} holds no release, by which the assignment of {path}" in said
    assert "run `nbgrader generate_assignment ASSIGNMENT` first" in said
    assert main(["grade", str(path), "--assignment", MINI]) == 2
    assert "mini has no release: run `nbgrader generate_assignment mini`" in capsys.readouterr().err

"""What nbgrader's commands write to a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from mini_course import MINI, MiniCourse, make_course
from warm_commands import run_module

NAME = "x\x1b[2J\x1b]0;title\x07\u202eright.txt"


@pytest.mark.parametrize("command", ["autograde", "generate_feedback"])
def test_a_file_that_was_handed_in_obeys_no_terminal_by_its_name(
    command: str, tmp_path: Path
) -> None:
    mini = MiniCourse(make_course(tmp_path / "course"))
    mini.hand_in("demo-a").with_name(NAME).write_text("own", encoding="utf-8")
    for name in dict.fromkeys(["autograde", command]):
        done = run_module("nbgrader", name, MINI, folder=mini.folder)
    assert done.returncode == 0, done.stderr
    assert "demo-a" in done.stderr
    assert [mark for mark in ("\x1b[2J", "\x1b]", "\x07", "\u202e") if mark in done.stderr] == []
    if command == "autograde":
        assert "xright.txt" in done.stderr

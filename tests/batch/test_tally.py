"""What a batch keeps and counts: its log, its tally, its progress, its folders."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import mini_batch
import pytest
from mini_course import MINI, MiniCourse
from nbgrader.coursedir import CourseDirectory

from autograder.batch import run
from autograder.batch.log import Log
from autograder.batch.tally import Progress, Tally
from autograder.course.folders import DEFAULTS, Folders
from autograder.course.settings import read_config

template, mini = mini_batch.template, mini_batch.mini  # fixtures


def test_a_log_whose_last_line_was_cut_off_loses_only_that(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = Log(path)
    log.graded("one", "verdict-one")
    log.graded("two", "verdict-two")
    path.write_text(path.read_text()[:-10])
    again = Log(path)
    assert (again.verdict("one"), again.verdict("two")) == ("verdict-one", None)
    again.graded("three", "verdict-three")
    assert Log(path).verdict("three") == "verdict-three"
    again.compact({"three"})
    assert (Log(path).verdict("one"), Log(path).verdict("three")) == (None, "verdict-three")


def test_folders_are_where_nbgrader_has_them(mini: MiniCourse) -> None:
    nbgraders = CourseDirectory(root=str(mini.folder))
    assert {name: getattr(nbgraders, name) for name in DEFAULTS} == DEFAULTS
    folders = Folders(mini.course, read_config(mini.folder), MINI)
    assert folders.db_url == nbgraders.db_url
    wanted = nbgraders.format_path("autograded", "demo-[a]", MINI)
    assert str(folders.of_student("autograded", "demo-[a]")) == wanted


def test_the_tally_tells_the_students_faults_from_the_graders() -> None:
    tally = Tally()
    tally.note("demo-a", run.UnreadableSubmission("a link"))
    tally.note("demo-b", run.Ungraded("no box"))
    assert (tally.refused, tally.ungraded) == ({"demo-a": "a link"}, {"demo-b": "no box"})
    assert tally.failures == {"demo-a": "a link", "demo-b": "no box"}


def test_progress_is_told_line_by_line_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0, 3.0, 11.0, 12.0, 25.0])
    told = SimpleNamespace(monotonic=lambda: next(clock))  # the module's own is everybody's
    monkeypatch.setattr("autograder.batch.tally.time", told)
    progress = Progress(Tally(), 4)
    for number in range(3):
        progress.recorded(f"demo-{number}")
    progress.failed("demo-3", run.Ungraded("no box"))
    progress.close()
    said = "grading: 2 of 4, 0 failures\ngrading: 4 of 4, 1 failures\n"
    assert capsys.readouterr().err == said

"""What a batch cannot begin, read, judge or record is told in a sentence."""

from __future__ import annotations

import shutil
from datetime import datetime
from unittest.mock import Mock

import mini_batch
import pytest
from filelock import FileLock
from mini_batch import TWO
from mini_course import MINI, MiniCourse, edit

from autograder.batch.run import batch
from autograder.cli import main
from autograder.farm import local as farm

template, mini = mini_batch.template, mini_batch.mini  # fixtures


def test_what_cannot_be_read_is_refused_and_the_others_are_graded(
    mini: MiniCourse, capsys: pytest.CaptureFixture[str]
) -> None:
    right = mini.hand_in("demo-right")
    shutil.copy(right, right.with_name("mini (1).ipynb"))
    mini.hand_in("demo-text").write_text("no notebook")
    linked = mini.hand_in("demo-link")
    linked.rename(linked.with_suffix(".bak"))
    linked.symlink_to(linked.with_suffix(".bak"))
    mini.hand_in("demo-stamp").with_name("timestamp.txt").write_text("2026" * 999)
    mini.hand_in("demo-empty").unlink()
    unfound = ("demo-[right]", ".demo-hidden", "demo-space ", "demo-\nline")
    for student in unfound:
        mini.hand_in(student)
    assert main(["batch", MINI, "--jobs", "2"]) == 2
    said = capsys.readouterr()
    *scores, last = said.out.splitlines()
    assert last == "mini: 1 graded and recorded, 0 unchanged, 8 refused, 0 ungraded"
    assert scores[0].split() == ["student", "double", "triple", "late", "total", "note"]
    assert scores[2].split() == ["demo-right", "5", "5", "0", "10"]
    assert len(scores) == 3
    beside = "demo-right: only one notebook was graded, and these lie beside it: mini (1).ipynb"
    assert beside in said.err
    assert "demo-text: demo-text/mini.ipynb is not a Jupyter notebook" in said.err
    assert "mini.ipynb is a link: submit the notebook itself" in said.err
    assert "demo-stamp/mini/timestamp.txt holds no time: write one as 2026-" in said.err
    assert "demo-empty/mini/mini.ipynb is missing, and the folder holds no notebook" in said.err
    assert "demo-[right] for a pattern: rename it, without any of * ? [" in said.err
    for student in unfound[1:]:
        folder = str(mini.folder / "submitted" / student)
        assert f"nbgrader does not find the folder {folder!r}: rename it" in said.err
    assert mini.scores() == {"demo-right": 10.0}


def test_a_check_that_is_broken_leaves_the_class_ungraded(
    mini: MiniCourse, capsys: pytest.CaptureFixture[str]
) -> None:
    mini.hand_in("demo-right")
    edit(mini.folder / "checks" / MINI / "check_double.py", "2 * x", "2 * y")
    assert main(["batch", MINI, "--jobs", "1"]) == 3
    said = capsys.readouterr().err
    assert "the check values of double is broken: NameError" in said
    assert "(check_double.py, line " in said
    assert "on the worker" not in said
    assert mini.scores() == {}


def test_messages_of_a_run_that_cannot_begin(
    mini: MiniCourse, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*arguments: str) -> str:
        assert main(["batch", *arguments]) == 2
        return capsys.readouterr().err

    assert "unknown assignment 'mimi': this course has mini" in said("mimi")
    assert "nobody has submitted mini" in said(MINI)
    mini.hand_in("demo-right")
    assert "give one" in said(MINI, "--jobs", "2", "--scheduler", "tcp://127.0.0.1:1")
    assert "no Dask scheduler answers at nonsense" in said(MINI, "--scheduler", "nonsense")
    lock = mini.folder / ".cache" / "batch" / MINI / "lock"
    with FileLock(lock):
        assert "another `autograder batch mini` is at work" in said(MINI)
    (mini.folder / "gradebook.db").unlink()
    assert "run `nbgrader generate_assignment mini --force` first" in said(MINI)
    config = mini.folder / "nbgrader_config.py"
    text = config.read_text(encoding="utf-8")
    config.write_text(text + "c.CourseDirectory.db_url = 'sqlite:///absent/gradebook.db'\n")
    assert "/absent/gradebook.db cannot be made: its folder is not there; " in said(MINI)
    config.write_text(text, encoding="utf-8")
    (mini.folder / "gradebook.db").write_text("no database")
    assert "cannot read the gradebook" in said(MINI)
    with pytest.raises(SystemExit):
        main(["batch", MINI, "--jobs", "0"])
    assert "at least 1" in capsys.readouterr().err


def test_what_cannot_be_recorded_is_told_and_tried_again(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini.hand_in("demo-right")
    with monkeypatch.context() as patch:
        patch.setattr(
            "autograder.nbgrader.preprocessors.write_result", Mock(side_effect=OSError("full"))
        )
        tally = batch(mini.course, MINI, TWO)
    assert tally.ungraded == {"demo-right": "nbgrader could not record it: OSError: full"}
    monkeypatch.setattr(farm, "local_farm", Mock(side_effect=AssertionError("nothing may run")))
    assert batch(mini.course, MINI, TWO).recorded == ["demo-right"]


def test_a_time_stamp_is_read_with_a_byte_order_mark_and_not_where_it_reads_as_two_days(
    mini: MiniCourse, capsys: pytest.CaptureFixture[str]
) -> None:
    times = {"demo-days": b"04.11.2026 12:00", "demo-mark": b"\xef\xbb\xbf2026-11-04 12:00 UTC\r\n"}
    for student, stamp in times.items():
        mini.hand_in(student).with_name("timestamp.txt").write_bytes(stamp)
    assert main(["batch", MINI, "--jobs", "2"]) != 0
    assert "reads as two days, '04.11.2026 12:00': write it as 2026-" in capsys.readouterr().err
    with mini.gradebook() as gradebook:
        [submission] = gradebook.find_assignment(MINI).submissions
        assert submission.student_id == "demo-mark"
        assert submission.timestamp == datetime(2026, 11, 4, 12)

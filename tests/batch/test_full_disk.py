"""A full disk is told in one sentence wherever it is met, and loses nothing."""

from __future__ import annotations

import errno
from unittest.mock import Mock

import mini_batch
import pytest
from mini_course import MINI, MiniCourse

from autograder.cli import main

template, mini = mini_batch.template, mini_batch.mini  # fixtures


def no_space(number: int) -> Mock:
    return Mock(side_effect=OSError(number, "in the system's words"))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize(
    "place",
    [
        "autograder.farm.workers.Farm.add",
        "autograder.farm.workers.Farm._submit",  # where else a lost scheduler is told
        "autograder.grading.cache.VerdictCache.put",
        "autograder.batch.log.Log.recorded",
        "autograder.batch.scores.score_table",
    ],
)
def test_a_disk_that_fills_up_while_a_class_is_graded_ends_the_run_with_one_sentence(
    place: str,
    number: int,
    mini: MiniCourse,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    mini.hand_in("demo-right")
    with monkeypatch.context() as patch:
        patch.setattr(place, no_space(number))
        assert main(["batch", MINI, "--jobs", "1"]) == 3
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert f"ungraded: no space left on the disk of {mini.folder}" in said
    assert ": free some and run the command again, what was graded and recorded is kept" in said
    assert main(["batch", MINI, "--jobs", "1"]) == 0
    assert mini.scores() == {"demo-right": 10.0}


def test_the_file_is_named_where_the_system_names_it(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mini.hand_in("demo-right")
    full = OSError(errno.ENOSPC, "No space left on device", "/full/file")
    monkeypatch.setattr("autograder.grading.cache.VerdictCache.put", Mock(side_effect=full))
    assert main(["batch", MINI, "--jobs", "1"]) == 3
    assert "no space left on the disk of /full/file: " in capsys.readouterr().err

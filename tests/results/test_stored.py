"""The result beside a notebook is written whole, and read by one reader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from results_to_show import MIXED

from autograder.errors import UsageError
from autograder.results.stored import (
    RESULT_NAME,
    read_result,
    sound_result,
    write_result,
    written_ns,
)


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_result(tmp_path) is None
    assert written_ns(tmp_path) == 0
    write_result(tmp_path, MIXED)
    assert read_result(tmp_path) == MIXED
    assert written_ns(tmp_path) > 0
    assert [path.name for path in tmp_path.iterdir()] == [RESULT_NAME]


def test_a_result_replaces_whatever_is_there(tmp_path: Path) -> None:
    path, other = tmp_path / RESULT_NAME, tmp_path / "other"
    path.write_text("old")
    path.chmod(0o444)
    write_result(tmp_path, MIXED)
    path.unlink()
    (path / "inner").mkdir(parents=True)
    write_result(tmp_path, MIXED)
    path.unlink()
    other.write_text("stays")
    path.symlink_to(other)
    write_result(tmp_path, MIXED)
    assert not path.is_symlink()
    assert read_result(tmp_path) == MIXED
    assert other.read_text() == "stays"


DAMAGED = ["", "{", "[1]", "null", '{"schema": 1}', "[" * 200_000]


@pytest.mark.parametrize("text", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_result_is_none_or_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / RESULT_NAME).write_text(text)
    assert sound_result(tmp_path) is None
    with pytest.raises(UsageError, match=r"result\.json cannot be read"):
        read_result(tmp_path)


def test_a_score_that_is_no_number_is_refused(tmp_path: Path) -> None:
    found = json.dumps({**MIXED.as_dict(), "score": float("nan")})
    (tmp_path / RESULT_NAME).write_text(found)
    with pytest.raises(UsageError, match="it holds NaN"):
        read_result(tmp_path)

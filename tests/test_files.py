"""A file is written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from autograder.files import contents, write_whole


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_whole(path, b"one")
    write_whole(path, b"two", mode=0o600)
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == [path.name]


def test_who_shares_a_course_can_read_what_the_umask_lets(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "x", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o640


def test_a_write_that_fails_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        write_whole(path, "text")  # type: ignore[arg-type]
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x"]


def test_what_is_about_to_be_put_in_place_is_not_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[list[str]] = []
    replace = os.replace

    def watched(fresh: Path, path: Path) -> None:
        listed.append([name for name, _ in contents(tmp_path)])
        assert set(os.listdir(tmp_path)) == {".hidden", fresh.name}
        replace(fresh, path)

    (tmp_path / ".hidden").touch()
    monkeypatch.setattr(os, "replace", watched)
    write_whole(tmp_path / "x", b"new")
    assert listed == [[".hidden"]]
    assert [name for name, _ in contents(tmp_path)] == [".hidden", "x"]

"""A course of its own for each test of `autograder batch`, and two workers to grade it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from mini_course import MiniCourse, make_course

from autograder.batch.run import Workers

TWO = Workers(jobs=2)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_course(tmp_path_factory.mktemp("template"))


@pytest.fixture
def mini(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MiniCourse:
    folder = Path(shutil.copytree(template, tmp_path / "course"))
    monkeypatch.chdir(folder)
    return MiniCourse(folder)

"""`autograder grade --cache`: what has not changed is not graded again."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import Mock

import nbformat
import pytest
from conftest import A1, ROOT, Submit

from autograder.cli import main
from autograder.errors import Unready
from autograder.grading import readiness

WRONG = "def attention(q, k, v):\n    return v, v"
STARTED = "autograder.grading.kept.ready_grader"


@pytest.fixture(autouse=True)
def in_the_course(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def graded(notebook: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    assert main(["grade", str(notebook), "--cache", str(cache), "--format", "json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_equal_work_is_graded_once_under_whatever_name(
    tmp_path: Path,
    submit: Submit,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache, one, other = tmp_path / "cache", tmp_path / "one.ipynb", tmp_path / "other.ipynb"
    for path in (one, other):
        nbformat.write(submit(attention=WRONG), path)
    first = graded(one, cache, capsys)
    monkeypatch.setattr(STARTED, Mock(side_effect=AssertionError("a grader was started")))
    second = graded(other, cache, capsys)
    assert second == {**first, "submission": str(other)}
    nbformat.write(submit(attention=WRONG + "  # another"), other)
    with pytest.raises(AssertionError, match="started"):
        graded(other, cache, capsys)


def test_verdicts_of_another_state_make_room_for_new_ones(
    tmp_path: Path, submit: Submit, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook, old = tmp_path / f"{A1}.ipynb", tmp_path / "cache" / A1 / "of-old"
    nbformat.write(submit(), notebook)
    old.mkdir(parents=True)
    graded(notebook, tmp_path / "cache", capsys)
    assert not old.exists()
    assert len([*old.parent.iterdir()]) == 1


@pytest.mark.parametrize("switch", [[], ["--cache", "cache"]])
def test_what_makes_an_assignment_unready_is_looked_for_once(
    switch: list[str],
    tmp_path: Path,
    submit: Submit,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paths = [tmp_path / "one.ipynb", tmp_path / "other.ipynb"]
    for path in paths:
        nbformat.write(submit(attention=f"{WRONG}  # {path}"), path)
    started = Mock(side_effect=Unready("another torch"))
    monkeypatch.setattr(STARTED, started)
    monkeypatch.setattr(readiness, "ready_grader", started)
    own = [str(tmp_path / word) if word == "cache" else word for word in switch]
    assert main(["grade", *map(str, paths), *own, "--format", "json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert [one["reason"] for one in found] == ["another torch"] * 2
    assert started.call_count == 1


def test_without_the_switch_nothing_is_kept_or_taken(
    tmp_path: Path, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = tmp_path / f"{A1}.ipynb"
    nbformat.write(submit(), notebook)
    assert main(["grade", str(notebook), "--output", str(tmp_path / "out")]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [notebook.name, "out"]


def test_a_folder_that_cannot_hold_verdicts_is_one_sentence(
    tmp_path: Path, submit: Submit, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook, place = tmp_path / f"{A1}.ipynb", tmp_path / "place"
    nbformat.write(submit(), notebook)
    place.write_text("a file")
    assert main(["grade", str(notebook), "--cache", str(place)]) == 2
    said = capsys.readouterr().err
    assert f"--cache {place} cannot hold verdicts: File exists" in said
    assert len(said.splitlines()) == 1

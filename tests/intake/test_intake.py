"""Submissions are plain files of their own, or they do not get in."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from unittest.mock import Mock

import pytest
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from ordinary_course import POINTS, RIGHT, hand_in, make_course, nbgrader, scores, source_notebook
from traitlets.config import Config

from autograder.errors import UnreadableSubmission
from autograder.intake.inspection import IntakeExporter, handed_in

SECRET = "the-canary-of-another-student"

Spoiling = Callable[[Path, Path], None]


def link(submitted: Path, secret: Path) -> None:
    (submitted / "notes.csv").symlink_to(secret)


def nested_link(submitted: Path, secret: Path) -> None:
    (submitted / "own" / "up").symlink_to(secret.parent, target_is_directory=True)


def linked_notebook(submitted: Path, secret: Path) -> None:
    (submitted / "p1.ipynb").unlink()
    (submitted / "p1.ipynb").symlink_to(secret)


def linked_folder(submitted: Path, secret: Path) -> None:
    submitted.rename(secret.parent / "elsewhere")
    submitted.symlink_to(secret.parent / "elsewhere")


def hard_link(submitted: Path, secret: Path) -> None:
    os.link(secret, submitted / "notes.csv")


def fifo(submitted: Path, secret: Path) -> None:
    os.mkfifo(submitted / "notes.csv")


def fifo_for_a_notebook(submitted: Path, secret: Path) -> None:
    (submitted / "p1.ipynb").unlink()
    os.mkfifo(submitted / "p1.ipynb")


def fifo_for_a_time_stamp(submitted: Path, secret: Path) -> None:
    os.mkfifo(submitted / "timestamp.txt")


def huge_file(submitted: Path, secret: Path) -> None:
    with (submitted / "data.bin").open("wb") as file:
        file.truncate(1 << 40)


def huge_notebook(submitted: Path, secret: Path) -> None:
    with (submitted / "p1.ipynb").open("ab") as file:
        file.truncate(500 << 20)


def many_files(submitted: Path, secret: Path) -> None:
    for number in range(1200):
        (submitted / "own" / str(number)).touch()


def deep_folder(submitted: Path, secret: Path) -> None:
    (submitted / Path(*["a"] * 900)).mkdir(parents=True)


def folder_called_as_the_result(submitted: Path, secret: Path) -> None:
    (submitted / "result.json").mkdir()


def folder_called_as_a_notebook(submitted: Path, secret: Path) -> None:
    (submitted / "own" / "more.ipynb").mkdir()


def junk_for_a_time_stamp(submitted: Path, secret: Path) -> None:
    (submitted / "timestamp.txt").write_text("half past never")


def date_that_reads_as_two_days(submitted: Path, secret: Path) -> None:
    (submitted / "timestamp.txt").write_text("04.11.2026 12:00")


def path_for_a_time_zone(submitted: Path, secret: Path) -> None:
    (submitted / "timestamp.txt").write_text(f"2026-11-04 12:00:00 {secret}")


def year_beyond_all_numbers(submitted: Path, secret: Path) -> None:
    (submitted / "timestamp.txt").write_text(f"2026:{'9' * 40}11-04+")


def a_million_cells(submitted: Path, secret: Path) -> None:
    cells = ", ".join(["{}"] * 1_000_000)
    text = f'{{"nbformat": 4, "nbformat_minor": 5, "metadata": {{}}, "cells": [{cells}]}}'
    (submitted / "p1.ipynb").write_text(text)


HOSTILE: dict[Spoiling, str] = {
    folder_called_as_the_result: "result.json is a folder, and a file is called so",
    folder_called_as_a_notebook: "more.ipynb is a folder, and a file is called so",
    junk_for_a_time_stamp: "timestamp.txt holds no time: write one as",
    date_that_reads_as_two_days: "a date that reads as two days, '04.11.2026 12:00': write it",
    path_for_a_time_zone: "timestamp.txt holds no time: write one as",
    year_beyond_all_numbers: "timestamp.txt holds no time: write one as",
    a_million_cells: "p1.ipynb holds 2,",
    link: "notes.csv is a link",
    nested_link: "up is a link",
    linked_notebook: "p1.ipynb is a link",
    linked_folder: "ps1 is a link",
    hard_link: "notes.csv is a hard link",
    fifo: "notes.csv is not a regular file",
    fifo_for_a_notebook: "p1.ipynb is not a regular file",
    fifo_for_a_time_stamp: "timestamp.txt is not a regular file",
    huge_file: "more than the limit of 268,435,456",
    huge_notebook: "clear its outputs",
    many_files: "more than 1,000 files and folders",
    deep_folder: "has folders in folders more than 20 deep",
}


Snapshot = dict[Path, tuple[int, int, int, int]]


def snapshot(folder: Path) -> Snapshot:
    """What lies in a folder, of which kind and size, and when it was last changed."""
    found = {path: path.lstat() for path in folder.rglob("*")}
    return {path: (s.st_mode, s.st_size, s.st_mtime_ns, s.st_ino) for path, s in found.items()}


@pytest.fixture(scope="module")
def graded(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, Snapshot, subprocess.CompletedProcess[str]]:
    """A course after one run over every hostile submission and a right one."""
    folder = make_course(tmp_path_factory.mktemp("course"), {"ps1": {"p1": source_notebook()}})
    for spoil in HOSTILE:
        secret = tmp_path_factory.mktemp("private") / "secret.txt"
        secret.write_text(SECRET)
        spoil(hand_in(folder, spoil.__name__, RIGHT), secret)
    hand_in(folder, "right", RIGHT)
    before = snapshot(folder / "submitted")
    return folder, before, nbgrader(folder, "autograde", "ps1")


Graded = tuple[Path, Snapshot, subprocess.CompletedProcess[str]]


@pytest.mark.parametrize("spoil", HOSTILE, ids=lambda spoil: spoil.__name__)
def test_a_submission_that_is_not_plain_files_is_refused(graded: Graded, spoil: Spoiling) -> None:
    folder, _, done = graded
    assert done.returncode != 0
    assert HOSTILE[spoil] in done.stderr
    assert f"Refused: {spoil.__name__}: " in done.stderr
    assert not (folder / "autograded" / spoil.__name__ / "ps1").exists()


def test_the_others_are_graded_and_no_submission_is_changed(graded: Graded) -> None:
    folder, before, _ = graded
    assert scores(folder, "right") == POINTS
    assert snapshot(folder / "submitted") == before


def test_no_link_brings_a_secret_into_what_is_shown(graded: Graded) -> None:
    folder = graded[0]
    assert nbgrader(folder, "generate_feedback", "ps1").returncode == 0
    shown = [path for name in ("autograded", "feedback") for path in (folder / name).rglob("*")]
    assert (folder / "feedback" / "right" / "ps1" / "p1.html") in shown
    assert not any(SECRET in path.read_text() for path in shown if path.is_file())


def test_a_submission_that_turned_hostile_after_its_first_grading_is_refused(
    graded: Graded, tmp_path: Path
) -> None:
    folder = make_copy(graded[0], tmp_path, "right")
    fifo_for_a_time_stamp(folder / "submitted" / "right" / "ps1", tmp_path)
    done = nbgrader(folder, "autograde", "ps1", "--student", "right")
    assert done.returncode != 0
    assert "timestamp.txt is not a regular file" in done.stderr
    assert scores(folder, "right") == POINTS


def test_whatever_looking_raises_what_was_graded_before_stays(
    graded: Graded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_copy(graded[0], tmp_path, "right")
    converter = Autograde(coursedir=CourseDirectory(root=str(folder)))
    assert IntakeExporter(parent=converter).around is not None
    monkeypatch.setattr(IntakeExporter, "inspect", Mock(side_effect=RuntimeError))
    graded_before = folder / "autograded" / "right" / "ps1" / "p1.ipynb"
    before = graded_before.read_bytes()
    with pytest.raises(RuntimeError):
        converter.init_destination("ps1", "right")
    shutil.rmtree(graded_before.parent)  # as nbgrader does when anything fails
    with pytest.raises(RuntimeError):
        converter.init_destination("ps1", "next")
    assert graded_before.read_bytes() == before


def make_copy(folder: Path, target: Path, student: str) -> Path:
    """The course with one student's work only."""
    for name in ("submitted", "autograded"):
        shutil.copytree(folder / name / student, target / name / student)
    for name in ("nbgrader_config.py", "gradebook.db"):
        shutil.copy(folder / name, target)
    return target


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("2026-11-04 12:00:00 UTC", (2026, 11, 4, 12)),
        ("\ufeff2026-11-04 12:00:00 UTC\r\n", (2026, 11, 4, 12)),
        ("2026-11-04T12:00:00+01:00", (2026, 11, 4, 11)),
        ("20261104 12:00", (2026, 11, 4, 12)),
        ("2026 11 04 12:00", (2026, 11, 4, 12)),
        ("4 Nov 2026 12:00", (2026, 11, 4, 12)),
        ("13.11.2026 12:00", (2026, 11, 13, 12)),
        ("11.11.2026 12:00", (2026, 11, 11, 12)),
    ],
)
def test_a_time_stamp_is_read_where_it_names_one_day(
    tmp_path: Path, text: str, when: tuple[int, ...]
) -> None:
    (tmp_path / "timestamp.txt").write_text(text, encoding="utf-8")
    assert handed_in(tmp_path) == datetime(*when)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["04.11.2026", "11-04-2026 12:00:00 UTC", "4/11/26", "Wed 4.11.2026", "12:00 04 11 2026"],
)
def test_a_time_stamp_that_names_two_days_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "timestamp.txt").write_text(text)
    with pytest.raises(UnreadableSubmission, match="reads as two days"):
        handed_in(tmp_path)


@pytest.mark.parametrize("text", ["9999-12-31 23:59:59 UTC", "0001-01-01 00:00:00 UTC"])
def test_a_time_stamp_that_is_no_time_in_another_zone_is_refused(tmp_path: Path, text: str) -> None:
    """Formgrader lists nobody of an assignment where one cannot be told in the course's zone."""
    (tmp_path / "timestamp.txt").write_text(text)
    with pytest.raises(UnreadableSubmission, match="holds no time"):
        handed_in(tmp_path)


def test_an_excluded_student_is_not_looked_at(tmp_path: Path) -> None:
    for student in ("in", "out"):
        submitted = tmp_path / "submitted" / student / "ps1"
        submitted.mkdir(parents=True)
        fifo(submitted, tmp_path)
    converter = Autograde(coursedir=CourseDirectory(root=str(tmp_path), student_id_exclude="out"))
    around = IntakeExporter(parent=converter).around
    assert around is not None
    assert converter.init_destination("ps1", "out") is False
    assert around.refused == []
    assert converter.init_destination("ps1", "in") is False
    assert around.refused == ["in"]


def test_the_courses_limit_on_notebooks_holds(tmp_path: Path) -> None:
    (tmp_path / "p1.ipynb").write_text("x" * 1000)
    IntakeExporter().inspect(tmp_path)
    strict = Config({"GradeInBox": {"limits": {"notebook_bytes": 999}}})
    with pytest.raises(UnreadableSubmission, match=r"1,000 bytes, more than the limit of 999"):
        IntakeExporter(config=strict).inspect(tmp_path)


def test_plain_files_and_folders_pass_and_names_cannot_disturb_a_log(tmp_path: Path) -> None:
    intake = IntakeExporter()
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").write_text("c")
    intake.inspect(tmp_path)
    os.mkfifo(tmp_path / "a\x1b[2J\nb")
    with pytest.raises(UnreadableSubmission) as refused:
        intake.inspect(tmp_path)
    assert "\x1b" not in str(refused.value)

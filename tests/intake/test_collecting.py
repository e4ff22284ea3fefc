"""`nbgrader zip_collect` makes submissions of what an LMS gives, and of a folder of notebooks."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePath

import nbformat
import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from mini import nbgrader_cell
from nbgrader.api import Gradebook
from warm_commands import run_module

from autograder.errors import UsageError
from autograder.intake.collecting import LMSCollector
from autograder.intake.lms_names import said_by_lms, said_plainly

NFC, NFD = "Zo\u00eb \u00c7elik", "Zoe\u0308 C\u0327elik"
EARLY, LATE = (2026, 11, 3, 9, 0, 0), (2026, 11, 5, 9, 0, 0)
Collect = Callable[..., subprocess.CompletedProcess[str]]


def notebook(mark: str) -> str:
    cell = nbgrader_cell("answer", f"x = {mark!r}", solution=True, locked=False)
    return str(nbformat.writes(nbformat.v4.new_notebook(cells=[cell])))


def mark(path: Path) -> str:
    """Which of the submitted notebooks this is."""
    source: str = json.loads(path.read_text())["cells"][0]["source"][0]
    return source.removeprefix("x = ").strip("'")


def put(path: Path, when: tuple[int, ...], said: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(notebook(said))
    stamp = datetime(*when, tzinfo=UTC).timestamp()  # type: ignore[misc]
    os.utime(path, (stamp, stamp))


def zipped(path: Path, members: Mapping[str, tuple[tuple[int, ...], str | bytes]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (when, content) in members.items():
            archive.writestr(zipfile.ZipInfo(name, when), content)  # type: ignore[arg-type]
    return path


def nbgrader(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_module("nbgrader", *arguments, folder=folder)


@pytest.fixture(scope="module")
def gradebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gradebook that knows ps1, due between EARLY and LATE, and no students."""
    course = tmp_path_factory.mktemp("course")
    shutil.copy(ROOT / "nbgrader_config.py", course)
    due = "--duedate=2026-11-04 12:00:00 UTC"
    done = nbgrader(course, "db", "assignment", "add", "ps1", due)
    assert done.returncode == 0, done.stderr
    return course / "gradebook.db"


@pytest.fixture
def folder(tmp_path: Path, gradebook: Path) -> Path:
    course = tmp_path / "course"
    put(course / "release" / "ps1" / "ps1.ipynb", EARLY, "released")
    shutil.copy(ROOT / "nbgrader_config.py", course)
    shutil.copy(gradebook, course)
    return course


def submitted(folder: Path) -> dict[str, str]:
    found = (folder / "submitted").glob("*/ps1/ps1.ipynb")
    return {path.parts[-3]: mark(path) for path in found}


def stamp(folder: Path, student: str) -> str | None:
    path = folder / "submitted" / student / "ps1" / "timestamp.txt"
    return path.read_text() if path.exists() else None


def test_a_downloaded_class_with_odd_names_duplicates_and_late_marks(folder: Path) -> None:
    inner = zipped(folder.parent / "hand-in.zip", {"work/ps1.ipynb": (EARLY, notebook("inner"))})
    slip = {"../../../../../evil": (EARLY, b"out"), "ps1.ipynb": (EARLY, notebook("slip"))}
    hostile = zipped(folder.parent / "hostile.zip", slip)
    moodle = f"{NFC}_11_assignsubmission_file_"
    members: dict[str, tuple[tuple[int, ...], str | bytes]] = {
        "doejane_21_900_ps1.ipynb": (LATE, notebook("first")),
        "doejane_21_900_ps1-1.ipynb": (LATE, notebook("second")),
        "roejohn_LATE_22_901_My ps1 (final).ipynb": (LATE, notebook("late")),
        f"{moodle}/ps1.ipynb": (EARLY, notebook("accents")),
        f"{NFD}_11_assignsubmission_file_/ps1.ipynb": (LATE, notebook("accents apart")),
        f"{moodle}/__MACOSX/._ps1.ipynb": (LATE, b"\0\1"),
        f"{moodle}/.ipynb_checkpoints/ps1-checkpoint.ipynb": (LATE, notebook("checkpoint")),
        "Ana Bo_12_assignsubmission_file/hand-in.zip": (EARLY, inner.read_bytes()),
        "Mal Lory_13_assignsubmission_file/x.zip": (EARLY, hostile.read_bytes()),
        "HW_kim_attempt_2026-11-03-10-00-00_ps1.ipynb": (LATE, notebook("attempt 1")),
        "HW_kim_attempt_2026-11-04-13-30-00_final.ipynb": (EARLY, notebook("attempt 2")),
        "31-77 - Li Wu - Nov 4, 2026 1130 AM/solution.ipynb": (EARLY, notebook("brightspace")),
        "readme.txt": (EARLY, "from the LMS"),
    }
    zipped(folder / "downloaded" / "ps1" / "archive" / "submissions.zip", members)
    done = nbgrader(folder, "zip_collect", "ps1")
    assert done.returncode == 0, done.stderr
    assert submitted(folder) == {
        "21": "second",
        "22": "late",
        "11": "accents apart",
        "12": "inner",
        "13": "slip",
        "kim": "attempt 2",
        "31": "brightspace",
    }
    assert stamp(folder, "kim") == "2026-11-04 13:30:00"
    assert stamp(folder, "31") == "2026-11-04 11:30:00"
    assert stamp(folder, "22") == "2026-11-04 12:00:01"
    assert "22 is late, and nothing says how late" in done.stderr
    assert stamp(folder, "21") is None  # the archive's dates may be those of the download
    assert "Refused in x.zip: ../../../../../evil: its name leads out of the archive" in done.stderr
    assert not list(folder.parent.rglob("evil"))
    extracted = folder / "downloaded" / "ps1" / "extracted" / "submissions"
    assert {mark(p) for p in (extracted / moodle).glob("ps1*.ipynb")} == {
        "accents",
        "accents apart",
    }


def test_a_plain_folder_of_notebooks_named_by_student(folder: Path) -> None:
    archive = folder / "downloaded" / "ps1" / "archive"
    put(archive / "alice.ipynb", EARLY, "alice")
    put(archive / "bob_ps1.ipynb", LATE, "bob")
    put(archive / "bob_ps1 (1).ipynb", EARLY, "bob again")
    put(archive / "student-1.ipynb", EARLY, "one")
    put(archive / "student-2.ipynb", EARLY, "two")
    put(archive / "carol" / "ps1.ipynb", EARLY, "carol")
    zipped(archive / "dan.zip", {"ps1.ipynb": (EARLY, notebook("dan"))})
    both = {f"{name}/ps1.ipynb": (EARLY, notebook(name)) for name in ("eve", "fay")}
    zipped(archive / "group.zip", both)
    put(archive / "ps1.ipynb", EARLY, "nobody's")
    put(archive / "a*b.ipynb", EARLY, "no id")
    put(archive / "gus.IPYNB", EARLY, "gus")
    put(archive / "hal.ipynb.txt", EARLY, "hal")
    done = nbgrader(folder, "zip_collect", "ps1")
    assert done.returncode == 0, done.stderr
    assert submitted(folder) == {
        **{name: name for name in ("alice", "carol", "dan", "eve", "fay", "gus")},
        **{"bob": "bob again", "student-1": "one", "student-2": "two"},
    }
    for name in ("ps1.ipynb", "a*b.ipynb"):
        assert f"Not collected: {name} tells of no student" in done.stderr
    assert "Not collected: hal.ipynb.txt is no .ipynb" in done.stderr
    assert "Not collected: dan.zip" not in done.stderr
    path = folder / "submitted" / "alice" / "ps1" / "ps1.ipynb"
    assert path.stat().st_mtime == datetime(*EARLY, tzinfo=UTC).timestamp()


def test_where_students_have_folders_the_folder_says_whose_a_file_is(folder: Path) -> None:
    archive = folder / "downloaded" / "ps1" / "archive"
    put(archive / "demo-a" / "demo-b_ps1-9.ipynb", LATE, "by a for b")
    put(archive / "demo-a" / "roejohn_22_901_ps1.ipynb", LATE, "by a for 22")
    put(archive / "demo-a" / "demo-b.ipynb", LATE, "by a for b again")
    put(archive / "demo-a" / "final_ps1.ipynb", EARLY, "own of a")
    put(archive / "demo-b" / "ps1.ipynb", EARLY, "own of b")
    put(archive / "demo-c" / "solution.ipynb", EARLY, "own of c")
    put(archive / "demo-c" / "work" / "demo-b_ps1.ipynb", LATE, "by c for b")
    done = nbgrader(folder, "zip_collect", "ps1")
    assert done.returncode == 0, done.stderr
    assert submitted(folder) == {"demo-a": "own of a", "demo-b": "own of b", "demo-c": "own of c"}
    for file, other in (
        ("demo-b_ps1-9.ipynb", "demo-b"),
        ("roejohn_22_901_ps1.ipynb", "22"),
        ("demo-b.ipynb", "demo-b"),
    ):
        said = f"Not collected: demo-a/{file} names {other} and lies in the folder of demo-a"
        assert said in done.stderr
    assert "demo-c/work/demo-b_ps1.ipynb names demo-b" in done.stderr


@pytest.mark.parametrize("beside", [[], ["demo-b/ps1.ipynb"], ["demo-b/demo-b_ps1.ipynb"]])
def test_a_file_in_a_folder_of_its_own_is_never_another_students(
    folder: Path, beside: list[str]
) -> None:
    archive = folder / "downloaded" / "ps1" / "archive"
    put(archive / "demo-a" / "demo-b_ps1-9.ipynb", LATE, "by a")
    for name in beside:
        put(archive / name, EARLY, "by b")
    done = nbgrader(folder, "zip_collect", "ps1")
    assert submitted(folder) == ({"demo-b": "by b"} if beside else {})
    assert "names demo-b and lies in the folder of demo-a" in done.stderr


def test_in_a_folder_that_an_lms_named_no_file_may_name_another(folder: Path) -> None:
    moodle = "Ana Bo_12_assignsubmission_file_"
    members: dict[str, tuple[tuple[int, ...], str | bytes]] = {
        f"{moodle}/final ps1.ipynb": (EARLY, notebook("own")),
        f"{moodle}/x_13_assignsubmission_file_ps1.ipynb": (LATE, notebook("for 13")),
        f"{moodle}/bo_ps1.ipynb": (EARLY, notebook("own too")),
        "Cy Do_13_assignsubmission_file_/ps1.ipynb": (EARLY, notebook("thirteen")),
    }
    zipped(folder / "downloaded" / "ps1" / "archive" / "class.zip", members)
    done = nbgrader(folder, "zip_collect", "ps1")
    assert done.returncode == 0, done.stderr
    assert submitted(folder).keys() == {"12", "13"}
    assert submitted(folder)["13"] == "thirteen"
    assert "x_13_assignsubmission_file_ps1.ipynb names 13 and lies in the folder of 12" in (
        done.stderr
    )


def test_files_of_a_whole_class_in_one_folder_are_told_by_their_names(folder: Path) -> None:
    archive = folder / "downloaded" / "ps1" / "archive"
    put(archive / "class" / "alice_ps1.ipynb", EARLY, "alice")
    put(archive / "class" / "bob_ps1.ipynb", EARLY, "bob")
    canvas: dict[str, tuple[tuple[int, ...], str | bytes]] = {
        "doejane_21_900_ps1.ipynb": (EARLY, notebook("21")),
        "roejohn_22_901_ps1.ipynb": (EARLY, notebook("22")),
    }
    zipped(archive / "submissions.zip", canvas)
    done = nbgrader(folder, "zip_collect", "ps1")
    assert submitted(folder) == {"alice": "alice", "bob": "bob", "21": "21", "22": "22"}, (
        done.stderr
    )


def test_an_earlier_submission_never_replaces_a_later_one_and_none_is_lost(folder: Path) -> None:
    archive = folder / "downloaded" / "ps1" / "archive"
    put(archive / "alice.ipynb", EARLY, "early")
    put(archive / "HW_kim_attempt_2026-11-03-10-00-00_ps1.ipynb", LATE, "attempt 1")
    assert nbgrader(folder, "zip_collect", "ps1").returncode == 0
    shutil.rmtree(archive)
    put(archive / "alice.ipynb", LATE, "late")
    put(archive / "HW_kim_attempt_2026-11-04-13-30-00_ps1.ipynb", EARLY, "attempt 2")
    done = nbgrader(folder, "zip_collect", "ps1", "--force")
    assert submitted(folder) == {"alice": "late", "kim": "attempt 2"}
    assert "nbgrader autograde ps1 --student alice --force" in done.stderr
    replaced = folder / "downloaded" / "ps1" / "replaced"
    assert mark(replaced / "alice" / "1" / "ps1.ipynb") == "early"
    assert mark(replaced / "kim" / "1" / "ps1.ipynb") == "attempt 1"
    assert (replaced / "kim" / "1" / "timestamp.txt").read_text() == "2026-11-03 10:00:00"

    put(archive / "alice.ipynb", EARLY, "early")
    (archive / "HW_kim_attempt_2026-11-04-13-30-00_ps1.ipynb").unlink()
    put(archive / "HW_kim_attempt_2026-11-03-10-00-00_ps1.ipynb", LATE, "attempt 1")
    done = nbgrader(folder, "zip_collect", "ps1", "--force")
    assert submitted(folder) == {"alice": "late", "kim": "attempt 2"}
    assert stamp(folder, "kim") == "2026-11-04 13:30:00"
    for student in ("alice", "kim"):
        assert f"{student} has a later submission already, which stays" in done.stderr


def test_a_torn_file_takes_no_notebooks_place(folder: Path) -> None:
    archive = folder / "downloaded" / "ps1" / "archive"
    put(archive / "HW_kim_attempt_2026-11-03-10-00-00_ps1.ipynb", EARLY, "attempt 1")
    torn = archive / "HW_kim_attempt_2026-11-04-13-30-00_ps1.ipynb"
    torn.write_text(notebook("attempt 2")[:-20])
    (archive / "HW_lee_attempt_2026-11-04-13-30-00_ps1.ipynb").write_text("{")
    done = nbgrader(folder, "zip_collect", "ps1")
    assert mark(folder / "submitted" / "kim" / "ps1" / "ps1.ipynb") == "attempt 1"
    assert f"of kim {torn.name} cannot be read" in done.stderr
    assert (folder / "submitted" / "lee" / "ps1" / "ps1.ipynb").read_text() == "{"

    shutil.rmtree(archive)
    archive.mkdir()
    torn.write_text("{")
    done = nbgrader(folder, "zip_collect", "ps1", "--force")
    assert mark(folder / "submitted" / "kim" / "ps1" / "ps1.ipynb") == "attempt 1"
    assert "kim: no later file can be read: what is there stays" in done.stderr


def test_what_is_set_aside_stays_apart_from_what_was_set_aside_before(folder: Path) -> None:
    archive = folder / "downloaded" / "ps1" / "archive"
    put(archive / "alice.ipynb", EARLY, "early")
    assert nbgrader(folder, "zip_collect", "ps1").returncode == 0
    replaced = folder / "downloaded" / "ps1" / "replaced" / "alice"
    (replaced / "2").mkdir(parents=True)  # somebody has removed the first
    put(archive / "alice.ipynb", LATE, "late")
    done = nbgrader(folder, "zip_collect", "ps1", "--force")
    assert mark(replaced / "3" / "ps1.ipynb") == "early"
    assert not [*(replaced / "2").iterdir()]
    assert f"which is now {replaced / '3'}" in done.stderr


def test_an_own_pattern_names_students_and_times(folder: Path) -> None:
    with (folder / "nbgrader_config.py").open("a") as config:
        config.write(r'c.LMSCollector.named_regexp = r".*/(?P<student_id>\w+)@(?P<timestamp>.*?)@"')
    archive = folder / "downloaded" / "ps1" / "archive"
    put(archive / "alice@2026-11-04T13:00:00+0100@.ipynb", EARLY, "alice")
    put(archive / "bob.ipynb", EARLY, "bob")
    done = nbgrader(folder, "zip_collect", "ps1")
    assert done.returncode == 0, done.stderr
    assert submitted(folder) == {"alice": "alice"}
    assert stamp(folder, "alice") == "2026-11-04 12:00:00"
    put(archive / "alice@someday@.ipynb", EARLY, "alice")
    done = nbgrader(folder, "zip_collect", "ps1", "--force")
    assert done.returncode != 0
    assert "'someday', which named_regexp takes from" in done.stderr
    assert submitted(folder) == {"alice": "alice"}


def test_students_that_the_gradebook_does_not_know_are_named(folder: Path) -> None:
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        gradebook.add_student("alice")
    for student in ("alice", "alcie"):
        put(folder / "downloaded" / "ps1" / "archive" / f"{student}.ipynb", EARLY, student)
    done = nbgrader(folder, "zip_collect", "ps1")
    assert "alcie is no student in the gradebook" in done.stderr
    assert "alice is no student" not in done.stderr
    assert set(submitted(folder)) == {"alice", "alcie"}


def test_times_in_names_are_in_the_courses_time_zone() -> None:
    name = PurePath("12-3 - Li Wu - Jul 1, 2026 930 PM") / "a1.ipynb"
    said = said_by_lms(name, "Europe/Berlin")
    assert said is not None
    assert (said.student, said.person, said.own) == ("12", "Li Wu", "a1")
    assert said.when == datetime(2026, 7, 1, 19, 30)


@pytest.mark.parametrize("zone", ["Atlantis/Poseidonis", "../secret", ""])
def test_a_time_zone_that_is_none_is_refused(zone: str) -> None:
    with pytest.raises(UsageError, match="no time zone: give one as Europe/Berlin"):
        LMSCollector(timezone=zone)


@pytest.mark.parametrize("kind", [RecursionError, KeyError, OSError])
def test_whatever_a_file_makes_python_raise_it_alone_is_not_collected(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def raising(self: LMSCollector, name: Path) -> None:
        raise kind("odd")

    monkeypatch.setattr(LMSCollector, "_read", raising)
    collector = LMSCollector(log=logging.getLogger("collecting"))
    assert collector._read_alone(Path("ada/ps1.ipynb")) is None
    assert "Not collected: ada/ps1.ipynb" in caplog.text
    assert kind.__name__ in caplog.text


MOODLE = "x_22_assignsubmission_file_a1.ipynb"
BLACKBOARD = "x_roe_attempt_2026-11-05-09-00-00_a1.ipynb"


@pytest.mark.parametrize("own", [MOODLE, BLACKBOARD, "roejohn_22_901_a1.ipynb"])
@pytest.mark.parametrize(
    ("prefix", "student"),
    [
        ("doejane_21_900_", "21"),
        ("doejane_21_900_hand-in/", "21"),
        ("class/doejane_21_900_hand-in/", "21"),
        ("class/Jane Doe_11_assignsubmission_file_", "11"),
        ("class/Jane Doe_11_assignsubmission_file_/", "11"),
        ("HW_kim_attempt_2026-11-03-10-00-00_", "kim"),
        ("31-77 - Li Wu - Nov 4, 2026 1130 AM/", "31"),
    ],
)
def test_what_students_call_files_makes_nobody_else_of_them(
    prefix: str, own: str, student: str
) -> None:
    said = said_by_lms(PurePath(prefix + own), "UTC")
    assert said is not None
    assert said.student == student


@settings(deadline=None, database=None)
@given(
    st.text(st.sampled_from("aZ_-. ()1\u0663\u00e9~"), min_size=1, max_size=12),
    st.sampled_from(["_attempt_2026-13-45-99-99-99", "_attempt_0001-01-01-00-00-00", "_LATE_1_2"]),
)
def test_no_name_stops_the_run(odd: str, middle: str) -> None:
    for name in (f"HW_{odd}{middle}_{odd}.ipynb", f"1-2 - {odd} - Foo 99, 2026 9999 PM"):
        said_by_lms(PurePath(name), "Pacific/Kiritimati")
        said_plainly(PurePath(name), ["a1"], odd)


def test_only_names_of_the_lms_that_is_used_count() -> None:
    name = PurePath("alice") / "roejohn_22_901_a1.ipynb"
    assert said_by_lms(name, "UTC", ["Moodle"]) is None
    assert said_by_lms(name, "UTC", ["Canvas"]) is not None


@pytest.mark.parametrize("name", ["alice", "alice_a1", "ALICE-A1_blocks-2", "alice a1 (3)"])
def test_the_assignments_name_is_no_part_of_a_students(name: str) -> None:
    said = said_plainly(PurePath(name + ".ipynb"), ["a1_blocks", "a1"], "")
    assert said.student.casefold() == "alice"

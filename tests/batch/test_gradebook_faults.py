"""A gradebook that is of another version, or held by somebody else, is told with what to do."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import mini_batch
import pytest
from mini_course import MINI, MiniCourse

from autograder.batch.run import batch
from autograder.cli import main
from autograder.course.gradebook import known_students
from autograder.course.gradebook_advice import UPGRADE, with_advice
from autograder.errors import UsageError
from autograder.nbgrader.schema import lacking

template, mini = mini_batch.template, mini_batch.mini  # fixtures


def age(mini: MiniCourse, column: str) -> str:
    """Takes a column away, as an older nbgrader has it; the address of the gradebook."""
    path = mini.folder / "gradebook.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE student DROP COLUMN " + column)
        connection.commit()
    return f"sqlite:///{path}"


def test_what_an_older_gradebook_does_not_take_is_told_with_the_remedy(mini: MiniCourse) -> None:
    mini.hand_in("demo-right")
    age(mini, "lms_user_id")
    told = batch(mini.course, MINI, mini_batch.TWO).ungraded["demo-right"]
    assert told.startswith("nbgrader could not record it: sqlite3.OperationalError: no such column")
    assert told.endswith(UPGRADE)


def test_what_a_doctor_says_of_an_older_gradebook_names_what_it_lacks(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = age(mini, "lms_user_id")
    assert lacking(url) == ["student.lms_user_id"]
    monkeypatch.setattr("autograder.commands.doctor._sandbox", lambda *_: iter(()))
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert f"BAD  the gradebook lacks student.lms_user_id: {UPGRADE}\n" in said
    assert said.endswith("grading here is safe, but not all is in order\n")


def test_a_gradebook_that_is_whole_or_not_there_lacks_nothing(mini: MiniCourse) -> None:
    assert lacking(f"sqlite:///{mini.folder}/gradebook.db") == []
    absent = mini.folder / "absent.db"
    assert lacking(f"sqlite:///{absent}") == []
    assert not absent.exists()


def test_who_reads_a_gradebook_that_is_held_is_told_to_close_what_holds_it(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, connect = mini.folder / "gradebook.db", sqlite3.connect
    with closing(connect(path, isolation_level=None)) as held:
        held.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **k, timeout=0))
        with pytest.raises(UsageError, match="database is locked; another program holds it: let"):
            known_students(f"sqlite:///{path}")


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("table grade has no column named x", "run `nbgrader db upgrade`"),
        ("column student.x does not exist", "run `nbgrader db upgrade`"),
        ("attempt to write a readonly database", "mend the rights"),
        ("database or disk is full", "free some space"),
        ("OSError: [Errno 28] No space left on device", "free some space"),
    ],
)
def test_each_known_word_of_a_database_has_its_advice(said: str, advice: str) -> None:
    told = with_advice(said)
    assert told.startswith(f"{said}; ")
    assert advice in told


def test_what_is_not_known_stays_as_it_was_said() -> None:
    assert with_advice("syntax error") == "syntax error"

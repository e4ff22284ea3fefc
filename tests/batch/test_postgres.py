"""A class recorded in a PostgreSQL gradebook, by a real server where one is installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mini_course import MINI, MiniCourse, make_course
from nbgrader.api import Gradebook
from postgres_server import databases

from autograder.batch.preview import preview
from autograder.batch.run import Workers, batch
from autograder.course.gradebook import read_gradebook
from autograder.errors import UsageError
from autograder.pages.class_report.gathering import gather


@pytest.fixture
def server() -> Iterator[str]:
    """The URL of an empty gradebook."""
    with databases() as made:
        yield made("gradebook")


def test_a_class_is_recorded_in_postgresql(server: str, tmp_path: Path) -> None:
    mini = MiniCourse(make_course(tmp_path / "course", f"c.CourseDirectory.db_url = {server!r}"))
    mini.hand_in("demo-right")
    mini.hand_in("demo-wrong", triple="def triple(x):\n    return 4 * x")
    assert len(batch(mini.course, MINI, Workers(jobs=2)).recorded) == 2
    with Gradebook(server) as gradebook:
        found = gradebook.find_assignment(MINI).submissions
        assert {s.student_id: s.score for s in found} == {"demo-right": 10.0, "demo-wrong": 5.0}
        gradebook.find_grade("check_triple", MINI, MINI, "demo-wrong").manual_score = 1.0
        gradebook.db.commit()

    assert batch(mini.course, MINI, Workers(jobs=2)).unchanged == ["demo-right"]
    assert len(batch(mini.course, MINI, Workers(jobs=2)).unchanged) == 2
    mini.hand_in("demo-wrong")
    rows = {row.student: row for row in preview(mini.course, MINI, Workers(jobs=2))[0].rows}
    recorded = read_gradebook(server, MINI)
    assert recorded is not None
    grade = recorded.entries["demo-wrong"].grade("triple")
    assert grade is not None
    assert grade.auto_score == 0.0
    assert [one.slug for one in rows["demo-wrong"].doubtful] == ["triple"]
    assert rows["demo-wrong"].after is not None
    assert rows["demo-wrong"].after.entry.total == 6.0
    assert batch(mini.course, MINI, Workers(jobs=2)).recorded == ["demo-wrong"]
    standings = {one.student: one.score for one in gather(mini.course, MINI).standings}
    assert standings == {"demo-right": 10.0, "demo-wrong": 6.0}
    assert not (mini.folder / "gradebook.db").exists()


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    mini = MiniCourse(make_course(tmp_path / "course"))
    mini.hand_in("demo-right")
    with (mini.folder / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.CourseDirectory.db_url = 'postgresql+psycopg:///x?host={tmp_path}'\n")
    with pytest.raises(UsageError, match=r"cannot read the gradebook that db_url names: .*connect"):
        batch(mini.course, MINI, Workers(jobs=1))

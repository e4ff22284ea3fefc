"""Gradebooks that nbgrader's steps open while they grade a class."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbgrader.converters.autograde as step
import pytest
from nbgrader.api import Course, Gradebook
from sqlalchemy import event

from autograder.intake.gradebooks import KnownGradebook, looked_into_once, opened_by_steps

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of nbgrader

CELLS = ("read", "write")


def opened(url: str) -> Gradebook:
    """As a step of nbgrader opens it."""
    return step.Gradebook(url, "demo-course")


def students(gradebook: Gradebook) -> list[str]:
    with gradebook:
        return [student.id for student in gradebook.students]


@contextmanager
def statements(gradebook: Gradebook) -> Iterator[list[str]]:
    """What the database is asked meanwhile."""
    asked: list[str] = []

    def note(*told: object) -> None:
        asked.append(str(told[2]))

    event.listen(gradebook.engine, "before_cursor_execute", note)
    yield asked
    event.remove(gradebook.engine, "before_cursor_execute", note)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A gradebook that holds a submission with two graded cells."""
    place = f"sqlite:///{tmp_path}/one.db"
    with Gradebook(place, "demo-course") as gradebook:
        gradebook.add_assignment("a")
        gradebook.add_notebook("n", "a")
        for name in CELLS:
            gradebook.add_grade_cell(name, "n", "a", max_score=2, cell_type="code")
            gradebook.add_solution_cell(name + "-answer", "n", "a")
        gradebook.add_student("demo")
        gradebook.add_submission("a", "demo")
    return place


def test_tables_are_looked_for_once_and_each_database_is_its_own(url: str, tmp_path: Path) -> None:
    other = f"sqlite:///{tmp_path}/other.db"
    with looked_into_once():
        first = opened(url)
        assert students(first) == ["demo"]
        with statements(first) as asked:
            second = opened(url)
        assert not asked
        assert second.engine is first.engine
        assert second.course_id == "demo-course"
        assert students(opened(other)) == []
    with Gradebook(other, "") as gradebook:
        assert [course.id for course in gradebook.db.query(Course)] == ["demo-course"]


def test_who_has_opened_one_already_has_the_steps_go_on_with_it(url: str) -> None:
    mine = Gradebook(url, "demo-course")
    with opened_by_steps(lambda *_, **__: mine), looked_into_once():
        assert opened(url) is mine
    mine.close()


def test_afterwards_each_is_as_nbgrader_opens_it(url: str) -> None:
    with pytest.raises(KeyError), looked_into_once():
        raise KeyError
    assert type(opened(url)) is Gradebook


def test_grades_and_comments_of_a_notebook_are_asked_for_together(url: str) -> None:
    with looked_into_once(), opened(url) as gradebook:
        assert isinstance(gradebook, KnownGradebook)
        grades = [gradebook.find_grade(CELLS[0], "n", "a", "demo")]
        comments = [gradebook.find_comment(CELLS[0] + "-answer", "n", "a", "demo")]
        with statements(gradebook) as asked:
            grades.append(gradebook.find_grade(CELLS[1], "n", "a", "demo"))
            comments.append(gradebook.find_comment(CELLS[1] + "-answer", "n", "a", "demo"))
        assert not asked
        for grade in grades:
            grade.auto_score = 1.5
        gradebook.db.commit()
    assert [grade.__class__.__name__ for grade in grades] == ["Grade", "Grade"]
    with Gradebook(url, "demo-course") as gradebook:
        assert [gradebook.find_grade(name, "n", "a", "demo").auto_score for name in CELLS] == [
            1.5,
            1.5,
        ]


def test_what_another_recorded_meanwhile_is_seen_by_the_next_step(url: str) -> None:
    with looked_into_once():
        with opened(url) as gradebook:
            assert gradebook.find_grade(CELLS[0], "n", "a", "demo").manual_score is None
        with Gradebook(url, "demo-course") as other:
            other.find_grade(CELLS[0], "n", "a", "demo").manual_score = 2
            other.db.commit()
        with opened(url) as gradebook:
            assert gradebook.find_grade(CELLS[0], "n", "a", "demo").manual_score == 2


def test_a_step_holds_as_a_whole_or_not_at_all(url: str) -> None:
    def give(*, points: float) -> None:
        with opened(url) as gradebook:
            for name in CELLS:
                gradebook.find_grade(name, "n", "a", "demo").auto_score = points
                gradebook.db.commit()
            assert gradebook.find_submission("a", "demo").score == 2 * points
            if points > 1:
                raise KeyError

    with looked_into_once():
        give(points=1)
        with pytest.raises(KeyError):
            give(points=2)
    with Gradebook(url, "demo-course") as gradebook:
        assert gradebook.find_submission("a", "demo").score == 2

"""Work in the wrong place is told, and stays where it is."""

from __future__ import annotations

from pathlib import Path

import mini_batch
import pytest
from mini_course import MINI, MiniCourse

from autograder.batch.misplaced import misplaced
from autograder.batch.run import batch
from autograder.cli import main
from autograder.course.folders import Folders
from autograder.course.settings import read_config
from autograder.errors import UsageError

template, mini = mini_batch.template, mini_batch.mini  # fixtures
PLACE = "lies where nothing is graded, its place is submitted/"
ORDER = "c.CourseDirectory.directory_structure = '{nbgrader_step}/{assignment_id}/{student_id}'\n"


def put(mini: MiniCourse, *paths: str) -> None:
    for path in paths:
        place = mini.folder / "submitted" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("{}")


def found_in(mini: MiniCourse) -> dict[str, str]:
    folders = Folders(mini.course, read_config(mini.folder), MINI)
    return {
        path: said.removeprefix(PLACE) for path, said in misplaced(mini.course, folders).items()
    }


def test_a_notebook_or_folder_in_the_wrong_place_is_told_with_its_place(mini: MiniCourse) -> None:
    put(mini, "loose.ipynb", "demo-a/mini.ipynb", "demo-a/my work.ipynb", "demo-b/Mini/mini.ipynb")
    put(mini, "demo-c/mini/mini.ipynb", "demo-c/mini/two.ipynb", "demo-c/notes.txt")
    assert found_in(mini) == {
        "submitted/loose.ipynb": "<student>/mini/mini.ipynb",
        "submitted/demo-a/mini.ipynb": "demo-a/mini/mini.ipynb",
        "submitted/demo-a/my work.ipynb": "demo-a/mini/mini.ipynb",
        "submitted/demo-b/Mini/": "demo-b/mini/",
    }


def test_a_folder_of_the_assignment_in_place_of_the_students_is_told(mini: MiniCourse) -> None:
    put(mini, "mini/demo-a/mini.ipynb")
    assert found_in(mini) == {"submitted/mini/": "<student>/mini/"}


def test_work_on_other_assignments_is_not_mentioned(mini: MiniCourse) -> None:
    (mini.folder / "source" / "Other").mkdir()
    put(mini, "other.ipynb", "demo-a/other.ipynb", "demo-a/other/other.ipynb", "demo-a/x/y.ipynb")
    put(mini, ".hidden.ipynb", "demo-a/.ipynb_checkpoints/mini.ipynb")
    assert found_in(mini) == {}


def test_nothing_is_said_of_another_order_of_folders(mini: MiniCourse) -> None:
    with (mini.folder / "nbgrader_config.py").open("a") as config:
        config.write(ORDER)
    put(mini, "mini/demo-a/mini.ipynb", "loose.ipynb")
    assert found_in(mini) == {}


def test_it_is_told_beside_a_class_that_is_graded(
    mini: MiniCourse, capsys: pytest.CaptureFixture[str]
) -> None:
    mini.hand_in("demo-right")
    put(mini, "demo-a/mini.ipynb")
    assert main(["batch", MINI, "--jobs", "1"]) == 0
    place = "submitted/demo-a/mini.ipynb"
    assert f"autograder: {place}: {PLACE}demo-a/mini/mini.ipynb" in capsys.readouterr().err
    assert Path(mini.folder, place).is_file()
    assert mini.scores() == {"demo-right": 10.0}


def test_it_is_told_where_all_work_is_in_the_wrong_place(mini: MiniCourse) -> None:
    put(mini, "demo-a/mini.ipynb")
    with pytest.raises(UsageError, match=r"mini\.ipynb \(not submitted/demo-a/mini\.ipynb\)$"):
        batch(mini.course, MINI, mini_batch.TWO)

"""`autograder init` and `autograder new`: what they make, and what they refuse."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import nbformat
import pytest

from autograder.authoring.new_course import EQUIVALENTS, FIRST, TEMPLATES
from autograder.checking import Misconception
from autograder.checking.misconceptions import misconceptions
from autograder.cli import main
from autograder.commands.doctor import STOPS
from autograder.course.assignments import CONFIG_NAME, Course, Question
from autograder.course.cells import grade_id, is_graded, is_solution
from autograder.course.settings import read_config
from autograder.grading.check_package import CheckPackage

SECOND = "a2_more"
EXAMPLE = TEMPLATES / "assignment"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new course, and the working folder in it."""
    folder = tmp_path / "my 'course"
    assert main(["init", str(folder)]) == 0
    monkeypatch.chdir(folder)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_configuration_knows_the_course_by_its_folder(made: Path) -> None:
    config = read_config(made)
    assert config.CourseDirectory.course_id == "my 'course"
    assert config.CourseDirectory.root == str(made)


def test_the_course_says_what_to_do_and_keeps_what_it_makes_out_of_git(made: Path) -> None:
    readme = (made / "README.md").read_text()
    assert readme.startswith("# my 'course\n")
    assert f"nbgrader generate_assignment {FIRST}" in readme
    assert "$" not in readme
    assert {"submitted/", "gradebook.db*", ".cache/"} <= set(
        (made / ".gitignore").read_text().split()
    )


@pytest.mark.parametrize("name", ["README.md", CONFIG_NAME])
def test_its_owner_reads_what_makes_nbgrader_stop_at_an_error(made: Path, name: str) -> None:
    assert f"export {STOPS}=1" in (made / name).read_text()


def test_another_assignment_is_the_same_example_under_another_name(made: Path) -> None:
    assert main(["new", SECOND]) == 0
    first, second = files(made / "checks" / FIRST), files(made / "checks" / SECOND)
    assert second | {EQUIVALENTS: b""} == first | {EQUIVALENTS: b""}
    first = made / "source" / FIRST / f"{FIRST}.ipynb"
    assert (made / "source" / SECOND / f"{SECOND}.ipynb").read_bytes() == first.read_bytes()


def test_another_assignment_lists_no_mutants_of_questions_that_it_will_not_have(
    made: Path,
) -> None:
    assert main(["new", SECOND]) == 0
    listed = {name: (made / "checks" / name / EQUIVALENTS).read_text() for name in (FIRST, SECOND)}
    assert "equivalent" in tomllib.loads(listed[FIRST])
    assert tomllib.loads(listed[SECOND]) == {}
    assert '# question = "softmax"' in listed[SECOND]


def test_every_question_of_the_example_has_its_files(made: Path) -> None:
    notebook = nbformat.read(made / "source" / FIRST / f"{FIRST}.ipynb", as_version=4)
    nbformat.validate(notebook)
    assignment = Course(made).released(FIRST, made / "release" / FIRST)
    questions = [
        Question(str(grade_id(cell)).removeprefix("check_"), cell.metadata.nbgrader.points)
        for cell in notebook.cells
        if is_graded(cell)
    ]
    assert [grade_id(cell) for cell in notebook.cells if is_solution(cell)] == [
        question.slug for question in questions
    ]
    assert len(questions) == 2
    for question in questions:
        path = assignment.check_file(question.slug)
        checks = vars(CheckPackage(path.parent).module(path))
        marks = [m for name in checks if name.startswith("check_") for m in checks[name].pytestmark]
        assert sum(mark.args[0] for mark in marks if mark.name == "points") == question.points
        found: list[Misconception] = misconceptions(assignment, question.slug)
        assert len(found) >= 3


def test_the_example_is_clean(made: Path) -> None:
    for cell in nbformat.read(EXAMPLE / "notebook.ipynb", as_version=4).cells:
        assert re.fullmatch(r"[a-z][a-z0-9_-]+", cell.id)
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.parametrize("name", ["", "..", "a/b", "a b", "ä1", "-x", "a+b", "a.b"])
def test_a_name_that_cannot_be_used_is_refused(
    made: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(made)
    assert main(["new", "--", name]) == 2
    assert f"cannot be called {name!r}" in capsys.readouterr().err
    assert files(made) == before


@pytest.mark.parametrize("where", ["source", "checks", "release"])
def test_a_name_that_is_taken_is_refused(
    made: Path, where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (made / where / SECOND).mkdir(parents=True)
    before = files(made)
    assert main(["new", SECOND]) == 2
    assert f"{made / where / SECOND} exists already" in capsys.readouterr().err
    assert files(made) == before


@pytest.mark.parametrize("there", ["file", "folder"])
def test_init_writes_into_nothing_that_is_there(
    tmp_path: Path, there: str, capsys: pytest.CaptureFixture[str]
) -> None:
    course = tmp_path / "course"
    notes = course if there == "file" else course / "notes"
    notes.parent.mkdir(exist_ok=True)
    notes.write_text("mine")
    assert main(["init", str(course)]) == 2
    assert "exists and is not empty" in capsys.readouterr().err
    assert files(tmp_path) == {str(notes.relative_to(tmp_path)): b"mine"}


def test_an_empty_folder_becomes_a_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "."]) == 0
    assert (tmp_path / "README.md").read_text().startswith(f"# {tmp_path.name}\n")


@pytest.mark.parametrize("name", ["file/course", "long" * 99])
def test_what_cannot_be_written_is_told(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["init", str(tmp_path / name)]) == 2
    assert f"cannot write {tmp_path / name}" in capsys.readouterr().err


def test_a_name_too_long_for_a_folder_is_told(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(made)
    assert main(["new", "long" * 99]) == 2
    assert "File name too long" in capsys.readouterr().err
    assert files(made) == before


def test_a_link_that_leads_nowhere_is_something(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "course").symlink_to(tmp_path / "gone")
    assert main(["init", str(tmp_path / "course")]) == 2
    assert "exists and is not empty" in capsys.readouterr().err


def test_outside_a_course_new_says_where_to_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", SECOND]) == 2
    assert "make a course with `autograder init`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["expected"], "no assignment of this course has a release and checks"),
        (["expected", FIRST], f"{FIRST} has no release: "),
        (["batch", FIRST], f"{FIRST} has no release: "),
    ],
)
def test_before_the_release_commands_say_to_make_one(
    made: Path, command: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "nbgrader generate_assignment" in told


def test_the_rule_on_kinds_says_all_that_its_checks_ask() -> None:
    """Numbers in another order in memory are among what the aspect `kind` hands in."""
    (rules,) = [c for c in nbformat.read(EXAMPLE / "notebook.ipynb", 4).cells if c.id == "rules"]
    (rule,) = [one for one in rules.source.splitlines() if "Numbers keep their kind" in one]
    assert "in memory row by row" in rule

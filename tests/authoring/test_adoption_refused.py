"""What can be adopted, and what is refused in one sentence with nothing written."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from mini import answer
from mini_course import MINI, make_course

from autograder.authoring import adoption
from autograder.checking.misconceptions import misconceptions
from autograder.cli import main
from autograder.course.assignments import Assignment, Course
from autograder.course.limits import Limits
from autograder.grading.grader import Grader
from autograder.pages.class_report.gathering import gather
from autograder.pages.class_report.groups import unnamed
from autograder.results.history import History
from autograder.results.stored import write_result

HELPER = "def annas_doubled(x):\n    return x + x"
RESTING = "def triple(x):\n    return annas_doubled(x) - 1"
RAISING = "def triple(x):\n    return x['Anna']"
OWN_TEXT = "def triple(x):\n    return x * len('Annas very own text, of which the length matters')"
SYNTAX = "def triple(x):\n    return (x"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_course(tmp_path_factory.mktemp("template"))


@pytest.fixture
def root(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = Path(shutil.copytree(template, tmp_path / "course"))
    monkeypatch.chdir(folder)
    return folder


def graded(root: Path, *answers: str, at_start: str = "") -> Assignment:
    """Two students for each answer, graded in this process and recorded."""
    assignment = Course(root).assignment(MINI)
    with Grader(assignment, Limits(search_seconds=0)) as grader:
        for place, triple in enumerate(answers):
            made = grader.grade(answer(assignment, triple=triple, at_start=at_start), "x")
            for student in (f"demo-{place}a", f"demo-{place}b"):
                folder = root / "autograded" / student / MINI
                folder.mkdir(parents=True)
                write_result(folder, made.result)
                nbformat.write(made.notebook, folder / f"{MINI}.ipynb")
                History(root, MINI).add(student, "work", made.result)
    return assignment


def names(root: Path) -> list[str]:
    return [group.name for group in unnamed(gather(Course(root), MINI)).groups]


def files(root: Path) -> dict[str, bytes]:
    found = (path for path in (root / "checks").rglob("*") if path.suffix != ".pyc")
    return {str(path): path.read_bytes() for path in found if path.is_file()}


def refusal(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What is said, when nothing is written."""
    before = files(root)
    assert main(["adopt", MINI, *arguments]) == 2
    assert files(root) == before
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    return said.err


def test_a_cell_of_the_students_own_comes_along_where_the_answer_rests_on_it(root: Path) -> None:
    assignment = graded(root, RESTING, at_start=HELPER)
    (name,) = names(root)
    assert main(["adopt", MINI, name, "--name", "one_less"]) == 0
    (made,) = misconceptions(assignment, "triple")
    assert made.code.count("def ") == 2
    assert "anna" not in made.code


def test_what_raised_has_told_its_students_and_is_not_adopted(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graded(root, RAISING, SYNTAX)
    (name,) = names(root)
    assert "raised an error, which their students read already" in refusal(root, capsys, name)


def test_an_answer_that_needs_its_own_text_is_left_to_the_instructor(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graded(root, OWN_TEXT)
    (name,) = names(root)
    said = refusal(root, capsys, name)
    assert "no answer of triple-" in said
    assert "write the misconception by hand, into" in said
    assert "Anna" not in said


def test_an_answer_whose_notebook_is_gone_is_no_example(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graded(root, "def triple(x):\n    return 2 * x")
    (name,) = names(root)
    for path in (root / "autograded").rglob("*.ipynb"):
        path.unlink()
    assert "can stand for the others" in refusal(root, capsys, name)


def test_no_half_of_it_is_left_where_the_replies_cannot_be_stored(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    graded(root, "def triple(x):\n    return 2 * x")
    (name,) = names(root)

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    before = files(root)
    monkeypatch.setattr(adoption, "write_whole", full)
    assert main(["adopt", MINI, name]) == 3
    assert "no space left on the disk" in capsys.readouterr().err
    assert files(root) == before

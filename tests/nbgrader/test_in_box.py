"""Assignments without checks of their own: nbgrader's meaning of points, executed in a box."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest
from conftest import A1, ROOT
from mini import nbgrader_cell
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from ordinary_course import (
    CELL_SECONDS,
    POINTS,
    RIGHT,
    cell,
    hand_in,
    make_course,
    nbgrader,
    result_of,
    scores,
    source_notebook,
)

from autograder.course.cells import grade_id
from autograder.errors import Ungraded
from autograder.nbgrader.preprocessors import GradeInBox
from autograder.results.stored import RESULT_NAME


def changed(**bodies: str) -> str:
    """The right answer with other bodies of some functions."""
    return "\n".join([RIGHT, *(f"def {name}():\n    {body}" for name, body in bodies.items())])


# What a student hands in, and what it must score; the first ones are compared with a kernel's.
KERNEL_AGREES = {
    "right": (RIGHT, POINTS),
    "partly": (changed(part="return 1.5"), {**POINTS, "partial": 1.5}),
    "in-words": (changed(part="return float('nan')"), POINTS),
    "noisy": (
        changed(talk="import sys; sys.stderr.write('careful')"),
        {**POINTS, "quiet": 0.0},
    ),
    "broken": ("def answer(:", {**dict.fromkeys(POINTS, 0.0), "reads": 2.0, "tells": 1.0}),
    "hiding": (
        changed(answer="return 41")
        + "\nimport IPython.core.interactiveshell as s\n"
        + "s.InteractiveShell.showtraceback = lambda *a, **k: None",
        {**POINTS, "exact": 0.0},
    ),
}
ONLY_HERE = {
    "hanging": (
        changed(part="import time; time.sleep(60)"),
        {**POINTS, "partial": 0.0},
    ),
    "leaving": (changed(answer="import os; os._exit(0)"), {**POINTS, "exact": 0.0}),
    "flooding": (
        changed(part="print('x' * 5_000_000); return 1.0"),
        {**POINTS, "partial": 0.0},
    ),
    "writing": (RIGHT + "\nopen('left.txt', 'w').write('x')\nopen('data.csv').read()", POINTS),
}
STUDENTS = {**KERNEL_AGREES, **ONLY_HERE}


def notebook_in_r() -> NotebookNode:
    metadata = {"kernelspec": {"name": "ir", "display_name": "R", "language": "R"}}
    return nbformat.v4.new_notebook(cells=[nbgrader_cell("given", "1")], metadata=metadata)


def forge_result(submitted: Path) -> None:
    (submitted / RESULT_NAME).write_text('{"verdict": "out-of-reach", "score": 1000}')
    (submitted / RESULT_NAME).chmod(0o444)


def skip_a_test(notebook: NotebookNode) -> None:
    cell(notebook, "exact").metadata.tags = ["skip-execution"]


def drop_a_test(notebook: NotebookNode) -> None:
    cell(notebook, "essay").source = "Because."
    notebook.cells = [c for c in notebook.cells if grade_id(c) != "exact"]


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    assignments = {
        "ps1": {"p1": source_notebook()},
        "ps2": {"one": source_notebook(), "two": source_notebook()},
        "ps3": {"p1": notebook_in_r()},
    }
    return make_course(tmp_path_factory.mktemp("course"), assignments)


@pytest.fixture(scope="module")
def graded(
    released: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The course after one run over all students, and what that run said."""
    folder = Path(shutil.copytree(released, tmp_path_factory.mktemp("graded") / "course"))
    for student, (answer, _) in STUDENTS.items():
        hand_in(folder, student, answer)
    forge_result(hand_in(folder, "forging", changed(answer="return 41")))
    hand_in(folder, "skipping", changed(answer="return 41"), edit=skip_a_test)
    hand_in(folder, "dropping", RIGHT, edit=drop_a_test)
    return folder, nbgrader(folder, "autograde", "ps1")


@pytest.fixture
def folder(released: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(released, tmp_path / "course"))


Graded = tuple[Path, subprocess.CompletedProcess[str]]


def test_every_student_is_recorded(graded: Graded) -> None:
    folder, done = graded
    assert done.returncode == 0, done.stderr
    found = {student: scores(folder, student) for student in STUDENTS}
    assert found == {student: expected for student, (_, expected) in STUDENTS.items()}


def test_scores_equal_those_of_nbgraders_own_preprocessors(
    graded: Graded, released: Path, tmp_path: Path
) -> None:
    stock = Path(shutil.copytree(released, tmp_path / "course"))
    (stock / "nbgrader_config.py").write_text(f"c.Execute.timeout = {10 * CELL_SECONDS}\n")
    for student, (answer, _) in KERNEL_AGREES.items():
        hand_in(stock, student, answer)
    done = nbgrader(stock, "autograde", "ps1")
    assert done.returncode == 0, done.stderr
    for student in KERNEL_AGREES:
        assert scores(stock, student) == scores(graded[0], student), student


def test_the_result_says_that_the_verdict_was_made_in_the_box(graded: Graded) -> None:
    folder, done = graded
    for student in STUDENTS:
        result = result_of(folder, student)
        assert result.verdict == "in-box"
        assert {q.slug: q.score for q in result.questions} == scores(folder, student)
        assert result.score == sum(scores(folder, student).values())
        assert result.max_score == sum(POINTS.values())
    assert done.stderr.count("in-box") == len(STUDENTS) + 3


def test_a_question_says_what_stood_in_its_way(graded: Graded) -> None:
    def status(student: str, slug: str) -> str:
        return result_of(graded[0], student).question(slug).status

    assert status("right", "exact") == "ok"
    assert status("partly", "partial") == "wrong"
    assert status("noisy", "quiet") == "wrong"
    assert status("hiding", "exact") == "wrong"
    assert status("broken", "exact") == "error"
    assert status("hanging", "partial") == "timeout"
    assert status("leaving", "exact") == "crash"
    assert status("flooding", "partial") == "output"


def test_a_hanging_cell_shows_which_limit_it_passed(graded: Graded) -> None:
    notebook = nbformat.read(graded[0] / "autograded" / "hanging" / "ps1" / "p1.ipynb", 4)
    (output,) = cell(notebook, "partial").outputs
    assert output.ename == "CellTimeoutError"
    assert f"{CELL_SECONDS} s" in output.evalue
    assert any("out of time" in flag for flag in result_of(graded[0], "hanging").flags)


def test_what_student_code_writes_stays_in_the_box(graded: Graded) -> None:
    folder = graded[0]
    names = {path.name for path in (folder / "autograded" / "writing" / "ps1").rglob("*")}
    assert "left.txt" not in names
    assert {"data.csv", "notes.txt", "t.txt", "helper.py", RESULT_NAME} <= names


def test_a_submitted_result_is_no_result(graded: Graded) -> None:
    result = result_of(graded[0], "forging")
    assert (result.verdict, result.question("exact").score) == ("in-box", 0.0)


def test_a_student_cannot_switch_a_test_off(graded: Graded) -> None:
    assert scores(graded[0], "skipping")["exact"] == 0.0


def test_a_missing_test_is_unanswered_and_an_essay_is_no_question(graded: Graded) -> None:
    result = result_of(graded[0], "dropping")
    assert {question.slug for question in result.questions} == set(POINTS)
    assert result.question("exact").status == "unanswered"


def test_notebooks_of_one_assignment_share_a_result(folder: Path) -> None:
    submitted = hand_in(folder, "demo", changed(answer="return 41"), "ps2")
    forge_result(submitted)
    done = nbgrader(folder, "autograde", "ps2")
    assert done.returncode == 0, done.stderr
    result = result_of(folder, "demo", "ps2")
    assert {q.slug for q in result.questions} == {
        f"{n}/{c}" for n in ("one", "two") for c in POINTS
    }
    assert (result.score, result.max_score) == (16.0, 20.0)

    (submitted / RESULT_NAME).unlink()
    mended = (submitted / "two.ipynb").read_text().replace("return 41", "return 42")
    (submitted / "two.ipynb").write_text(mended)
    nbgrader(folder, "autograde", "ps2", "--notebook", "two", "--force")
    again = result_of(folder, "demo", "ps2")
    assert (again.score, len(again.questions)) == (18.0, 2 * len(POINTS))
    assert (again.question("one/exact").score, again.question("two/exact").score) == (0.0, 2.0)


def test_without_execution_the_outputs_as_submitted_count(folder: Path) -> None:
    def claim(notebook: NotebookNode) -> None:
        cell(notebook, "partial").outputs = [
            nbformat.v4.new_output("execute_result", {"text/plain": "3.0"}, execution_count=1)
        ]

    forge_result(hand_in(folder, "demo", RIGHT, edit=claim))
    done = nbgrader(folder, "autograde", "ps1", "--no-execute")
    assert done.returncode == 0, done.stderr
    assert scores(folder, "demo")["partial"] == 3.0
    assert not (folder / "autograded" / "demo" / "ps1" / RESULT_NAME).exists()


def test_a_notebook_in_another_language_is_refused_with_a_clear_sentence(folder: Path) -> None:
    shutil.copytree(folder / "release" / "ps3", folder / "submitted" / "demo" / "ps3")
    done = nbgrader(folder, "autograde", "ps3")
    assert done.returncode != 0
    assert "written for the kernel 'ir', and a box runs Python only" in done.stderr
    assert not (folder / "autograded" / "demo" / "ps3").exists()


def test_hidden_checks_are_never_skipped() -> None:
    course = CourseDirectory(root=str(ROOT))
    exporter = NotebookExporter(parent=Autograde(coursedir=course))
    grade = GradeInBox(parent=exporter, enabled=False)
    names = {"student": "demo", "assignment": A1, "notebook": A1, "db_url": course.db_url}
    with pytest.raises(Ungraded, match="leave `--no-execute` away"):
        grade(nbformat.v4.new_notebook(), {"nbgrader": names})

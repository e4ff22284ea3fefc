"""Assignments without checks of their own: nbgrader's meaning of points, executed in a box."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import A1, ROOT
from mini import nbgrader_cell
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory

from autograder.course import grade_id
from autograder.errors import Ungraded, UnreadableSubmission
from autograder.intake import IntakeExporter
from autograder.preprocessors import RESULT_NAME, GradeInBox
from autograder.results import SubmissionResult

PYTHON = {"name": "python3", "display_name": "Python 3", "language": "python"}
SECRET = "the-canary-of-another-student"
CELL_SECONDS = 2

SOURCES = {
    "exact": "assert answer() == 42",
    "partial": "min(4.0, part())",
    "quiet": "talk()",
    "reads": "assert open('data.csv').read() == 'a,b\\n' and open('deep/down/t.txt').read() == 't'\n"
    "import helper\nassert helper.HELP == 'given' and open('own/notes.txt').read() == 'mine'",
    "tells": "import os\nassert os.environ['NBGRADER_EXECUTION'] == 'autograde'",
}
POINTS = {"exact": 2.0, "partial": 4.0, "quiet": 1.0, "reads": 2.0, "tells": 1.0}
RIGHT = "def answer():\n    return 42\ndef part():\n    return 4.0\ndef talk():\n    print('fine')"


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


def nbgrader(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nbgrader", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )


def source_notebook(kernel: dict[str, str] = PYTHON) -> NotebookNode:
    answer = f"### BEGIN SOLUTION\n{RIGHT}\n### END SOLUTION"
    cells = [nbgrader_cell("answer", answer, solution=True, locked=False)]
    cells += [
        nbgrader_cell(name, source, grade=True, points=POINTS[name])
        for name, source in SOURCES.items()
    ]
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": dict(kernel)})


def make_course(folder: Path, **notebooks: list[str]) -> Path:
    """A course of ordinary assignments, each with notebooks of these names, all released."""
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    with (folder / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.Execute.timeout = {CELL_SECONDS}\n")
    for assignment, names in notebooks.items():
        source = folder / "source" / assignment
        (source / "deep" / "down").mkdir(parents=True)
        for name in names:
            nbformat.write(source_notebook(), source / f"{name}.ipynb")
        (source / "data.csv").write_text("a,b\n")
        (source / "deep" / "down" / "t.txt").write_text("t")
        (source / "helper.py").write_text("HELP = 'given'\n")
        done = nbgrader(folder, "generate_assignment", assignment)
        assert done.returncode == 0, done.stderr
    return folder


def hand_in(
    folder: Path,
    student: str,
    answer: str,
    assignment: str = "ps1",
    edit: Callable[[NotebookNode], None] | None = None,
) -> Path:
    """Puts a submission made from the release in place; the folder it lies in."""
    submitted = folder / "submitted" / student / assignment
    shutil.copytree(folder / "release" / assignment, submitted)
    (submitted / "own").mkdir()
    (submitted / "own" / "notes.txt").write_text("mine")
    for path in submitted.glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        cell(notebook, "answer").source = answer
        if edit is not None:
            edit(notebook)
        nbformat.write(notebook, path)
    return submitted


def cell(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(c for c in notebook.cells if grade_id(c) == name)


def scores(folder: Path, student: str, notebook: str = "p1", ps: str = "ps1") -> dict[str, float]:
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        found = gradebook.find_submission_notebook(notebook, ps, student)
        return {grade.name: grade.auto_score for grade in found.grades}


def result_of(folder: Path, student: str, assignment: str = "ps1") -> SubmissionResult:
    text = (folder / "autograded" / student / assignment / RESULT_NAME).read_text()
    return SubmissionResult.from_dict(json.loads(text))


def forge_result(submitted: Path) -> None:
    (submitted / RESULT_NAME).write_text('{"verdict": "out-of-reach", "score": 1000}')
    (submitted / RESULT_NAME).chmod(0o444)


def skip_a_test(notebook: NotebookNode) -> None:
    cell(notebook, "exact").metadata.tags = ["skip-execution"]


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_course(tmp_path_factory.mktemp("course"), ps1=["p1"], ps2=["one", "two"])


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
    assert done.stderr.count("in-box") == len(STUDENTS) + 2


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


def test_notebooks_of_one_assignment_share_a_result(folder: Path) -> None:
    submitted = hand_in(folder, "demo", RIGHT, "ps2")
    forge_result(submitted)
    nbgrader(folder, "autograde", "ps2", "--notebook", "one")
    assert {q.slug.partition("/")[0] for q in result_of(folder, "demo", "ps2").questions} == {"one"}
    wrong = (submitted / "two.ipynb").read_text().replace("return 42", "return 41")
    (submitted / "two.ipynb").write_text(wrong)
    done = nbgrader(folder, "autograde", "ps2", "--force")
    assert done.returncode == 0, done.stderr
    result = result_of(folder, "demo", "ps2")
    assert len(result.questions) == 2 * len(POINTS)
    assert result.question("one/exact").score == 2.0
    assert result.question("two/exact").score == 0.0
    assert result.score == 2 * sum(POINTS.values()) - 2.0


def test_a_notebook_graded_again_alone_keeps_what_was_said_of_the_others(folder: Path) -> None:
    submitted = hand_in(folder, "demo", changed(answer="return 41"), "ps2")
    nbgrader(folder, "autograde", "ps2")
    mended = (submitted / "two.ipynb").read_text().replace("return 41", "return 42")
    (submitted / "two.ipynb").write_text(mended)
    nbgrader(folder, "autograde", "ps2", "--notebook", "two", "--force")
    result = result_of(folder, "demo", "ps2")
    assert len(result.questions) == 2 * len(POINTS)
    assert (result.question("one/exact").score, result.question("two/exact").score) == (0.0, 2.0)


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


def test_a_notebook_in_another_language_is_refused_with_a_clear_sentence(tmp_path: Path) -> None:
    folder = make_course(tmp_path)
    source = folder / "source" / "ps3" / "p1.ipynb"
    source.parent.mkdir(parents=True)
    kernel = {"name": "ir", "display_name": "R", "language": "R"}
    notebook = nbformat.v4.new_notebook(
        cells=[nbgrader_cell("given", "1")], metadata={"kernelspec": kernel}
    )
    nbformat.write(notebook, source)
    assert nbgrader(folder, "generate_assignment", "ps3").returncode == 0
    submitted = folder / "submitted" / "demo" / "ps3"
    shutil.copytree(folder / "release" / "ps3", submitted)
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


HOSTILE: dict[Callable[[Path, Path], None], str] = {
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
}


def snapshot(folder: Path) -> dict[str, Any]:
    """What lies in a folder and when it was last changed, links not followed."""
    found = {path: path.lstat() for path in folder.rglob("*")}
    return {str(path): (s.st_mode, s.st_size, s.st_mtime_ns, s.st_ino) for path, s in found.items()}


def test_a_submission_that_is_not_plain_files_is_refused_before_anything_is_copied(
    folder: Path, tmp_path: Path
) -> None:
    for number, spoil in enumerate(HOSTILE):
        secret = tmp_path / f"private-{number}" / "secret.txt"
        secret.parent.mkdir()
        secret.write_text(SECRET)
        spoil(hand_in(folder, spoil.__name__, RIGHT), secret)
    hand_in(folder, "right", RIGHT)
    before = snapshot(folder / "submitted")
    done = nbgrader(folder, "autograde", "ps1")
    assert done.returncode != 0
    for spoil, sentence in HOSTILE.items():
        assert sentence in done.stderr, spoil.__name__
        assert not (folder / "autograded" / spoil.__name__ / "ps1").exists()
    assert scores(folder, "right") == POINTS
    assert snapshot(folder / "submitted") == before
    assert nbgrader(folder, "generate_feedback", "ps1").returncode == 0
    shown = [path for name in ("autograded", "feedback") for path in (folder / name).rglob("*")]
    assert shown
    assert not any(SECRET in path.read_text() for path in shown if path.is_file())


def test_a_submission_that_turned_hostile_after_its_first_grading_is_refused(folder: Path) -> None:
    submitted = hand_in(folder, "demo", RIGHT)
    assert nbgrader(folder, "autograde", "ps1").returncode == 0
    fifo_for_a_time_stamp(submitted, submitted)
    done = nbgrader(folder, "autograde", "ps1")
    assert done.returncode != 0
    assert "timestamp.txt is not a regular file" in done.stderr
    assert scores(folder, "demo") == POINTS


def test_an_excluded_student_is_not_looked_at(folder: Path) -> None:
    fifo(hand_in(folder, "demo", RIGHT), folder)
    hand_in(folder, "right", RIGHT)
    done = nbgrader(folder, "autograde", "ps1", "--CourseDirectory.student_id_exclude=demo")
    assert done.returncode == 0, done.stderr


def test_plain_files_and_folders_pass_and_names_cannot_disturb_a_log(tmp_path: Path) -> None:
    intake = IntakeExporter()
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").write_text("c")
    intake.inspect(tmp_path)
    os.mkfifo(tmp_path / "a\x1b[2J\nb")
    with pytest.raises(UnreadableSubmission) as refused:
        intake.inspect(tmp_path)
    assert "\x1b" not in str(refused.value)


def test_a_missing_cell_is_unanswered_and_a_persons_cell_is_no_question(folder: Path) -> None:
    def drop(notebook: NotebookNode) -> None:
        notebook.cells = [c for c in notebook.cells if grade_id(c) != "exact"]

    path = folder / "source" / "ps1" / "p1.ipynb"
    notebook = nbformat.read(path, as_version=4)
    essay = nbformat.v4.new_markdown_cell("Why?", id="essay")
    essay.metadata = copy.deepcopy(cell(notebook, "exact").metadata)
    essay.metadata.nbgrader.update(grade_id="essay", solution=True, locked=False, points=3.0)
    notebook.cells.append(essay)
    nbformat.write(notebook, path)
    assert nbgrader(folder, "generate_assignment", "ps1", "--force").returncode == 0

    def answer(notebook: NotebookNode) -> None:
        drop(notebook)
        cell(notebook, "essay").source = "Because."

    hand_in(folder, "demo", RIGHT, edit=answer)
    assert nbgrader(folder, "autograde", "ps1").returncode == 0
    result = result_of(folder, "demo")
    assert {q.slug for q in result.questions} == set(POINTS)
    assert result.question("exact").status == "unanswered"

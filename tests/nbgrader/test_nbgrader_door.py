"""The stock nbgrader commands, end to end, in a copy of the course."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import A1, ROOT, Submit
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from warm_commands import run_module

from autograder.course.assignments import Course
from autograder.course.cells import grade_id
from autograder.course.settings import read_settings
from autograder.grading.grader import Grader
from autograder.grading.readiness import guard_against_drift
from autograder.results.stored import RESULT_NAME

ODD_INDEX = """class PositionalEncoder(nn.Module):
    def __init__(self, d_model, max_seq_len=80):
        super().__init__()
        self.d_model = d_model
        pe = torch.zeros(1, max_seq_len, d_model)
        for pos in range(max_seq_len):
            for i in range(0, d_model, 2):
                pe[0, pos, i] = math.sin(pos / 10000 ** (i / d_model))
                if i + 1 < d_model:
                    pe[0, pos, i + 1] = math.cos(pos / 10000 ** ((i + 1) / d_model))
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x * math.sqrt(self.d_model) + self.pe[:, : x.shape[1]]
"""


def nbgrader(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_module("nbgrader", *arguments, folder=folder)


def hand_in(folder: Path, student: str, notebook: NotebookNode | bytes) -> None:
    path = folder / "submitted" / student / A1 / f"{A1}.ipynb"
    path.parent.mkdir(parents=True)
    if isinstance(notebook, bytes):
        path.write_bytes(notebook)
    else:
        nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def empty_course(tmp_path_factory: pytest.TempPathFactory, grader: Grader) -> Path:
    """A course in which a1 is released, and has been graded by this torch before."""
    folder = tmp_path_factory.mktemp("course")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    for name in ("source", "checks"):
        shutil.copytree(ROOT / name, folder / name)
    done = nbgrader(folder, "generate_assignment", A1)
    assert done.returncode == 0, done.stderr
    guard_against_drift(Course(folder), grader, read_settings(folder))
    return folder


@pytest.fixture
def folder(empty_course: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(empty_course, tmp_path / "course"))


def test_a_gradebook_is_made_though_no_environment_is_active(tmp_path: Path) -> None:
    """nbgrader makes it with a command that is installed beside Python."""
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    command = [sys.executable, "-m", "nbgrader", "db", "assignment", "add", A1]
    environment = {**os.environ, "PATH": os.defpath}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as gradebook:
        assert [assignment.name for assignment in gradebook.assignments] == [A1]


def scores(folder: Path, student: str) -> dict[str, float]:
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        notebook = gradebook.find_submission_notebook(A1, A1, student)
        return {grade.name: grade.auto_score for grade in notebook.grades}


def test_a_class_is_graded_recorded_and_given_feedback(folder: Path, submit: Submit) -> None:
    hand_in(folder, "demo-right", submit())
    hand_in(folder, "demo-odd-index", submit(positional_encoder=ODD_INDEX))
    hand_in(folder, "demo-unreadable", b"this is no notebook")
    done = nbgrader(folder, "autograde", A1)
    assert done.returncode != 0
    assert "demo-unreadable" in done.stderr
    right, odd = (scores(folder, name) for name in ("demo-right", "demo-odd-index"))
    assert sum(right.values()) == 100
    lost = {name for name in right if odd[name] < right[name]}
    assert lost == {"check_positional_encoder"}
    assert 0 < odd["check_positional_encoder"] < 15

    assert nbgrader(folder, "generate_feedback", A1).returncode == 0
    page = (folder / "feedback" / "demo-odd-index" / A1 / f"{A1}.html").read_text()
    assert "Failed:" in page
    assert "HIDDEN" not in page
    assert "check(&quot;" not in page
    result = json.loads((folder / "autograded" / "demo-odd-index" / A1 / RESULT_NAME).read_text())
    assert result["score"] == sum(odd.values())

    assert nbgrader(folder, "export", "--to=grades.csv").returncode == 0
    rows = {
        r["student_id"]: r for r in csv.DictReader((folder / "grades.csv").read_text().splitlines())
    }
    assert float(rows["demo-right"]["score"]) == 100


def test_every_graded_cell_shows_its_report_and_one_finite_score(
    folder: Path, submit: Submit
) -> None:
    notebook = submit(attention="def attention(q, k, v):\n    return q")
    hand_in(folder, "demo-half", notebook)
    assert nbgrader(folder, "autograde", A1).returncode == 0
    graded = nbformat.read(folder / "autograded" / "demo-half" / A1 / f"{A1}.ipynb", 4)
    for cell in graded.cells:
        if (grade_id(cell) or "").startswith("check_"):
            report, score = cell.outputs
            assert report.name == "stdout"
            assert 0 <= float(score.data["text/plain"]) <= cell.metadata.nbgrader.points
            assert "HIDDEN" not in cell.source
    assert scores(folder, "demo-half")["check_attention"] < 30


def test_a_tampered_submission_is_repaired_and_flagged(folder: Path, submit: Submit) -> None:
    notebook = submit()
    for cell in notebook.cells:
        if grade_id(cell) == "check_attention":
            cell.source = "1000.0"
            cell.metadata.nbgrader.points = 1000
    duplicate = next(c for c in notebook.cells if grade_id(c) == "attention").copy()
    duplicate.id = "copied"
    notebook.cells.append(duplicate)
    notebook.cells = [c for c in notebook.cells if grade_id(c) != "check_self_attention"]
    hand_in(folder, "demo-tampered", notebook)
    done = nbgrader(folder, "autograde", A1)
    assert done.returncode == 0, done.stderr
    assert "locked cell check_attention was edited" in done.stderr
    assert sum(scores(folder, "demo-tampered").values()) == 100


def test_drift_stops_the_run_ungraded_and_names_the_versions(folder: Path, submit: Submit) -> None:
    source = folder / "source" / A1 / f"{A1}.ipynb"
    text = source.read_text()
    assert "math.sqrt" in text
    source.write_text(text.replace("math.sqrt", "1.1 * math.sqrt"))
    hand_in(folder, "demo-right", submit())
    done = nbgrader(folder, "autograde", A1)
    assert done.returncode != 0
    assert "do not fit the instructor's solution under Python" in done.stderr
    assert "torch 2.13.0" in done.stderr
    assert set(scores(folder, "demo-right").values()) == {None}


def test_a_manual_score_and_a_comment_survive_a_regrade(folder: Path, submit: Submit) -> None:
    hand_in(folder, "demo-right", submit())
    assert nbgrader(folder, "autograde", A1).returncode == 0
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        gradebook.find_grade("check_attention", A1, A1, "demo-right").manual_score = 12.0
        gradebook.find_comment("attention", A1, A1, "demo-right").manual_comment = "See me."
        gradebook.db.commit()
    assert nbgrader(folder, "autograde", A1, "--force").returncode == 0
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        grade = gradebook.find_grade("check_attention", A1, A1, "demo-right")
        assert (grade.manual_score, grade.auto_score) == (12.0, 30.0)
        comment = gradebook.find_comment("attention", A1, A1, "demo-right")
        assert comment.manual_comment == "See me."


def test_validate_passes_the_source_and_complains_about_the_release(folder: Path) -> None:
    passed = nbgrader(folder, "validate", f"source/{A1}/{A1}.ipynb")
    assert "Success" in passed.stdout, passed.stdout + passed.stderr
    failed = nbgrader(folder, "validate", f"release/{A1}/{A1}.ipynb")
    assert "VALIDATION FAILED" in failed.stdout


def test_hidden_checks_fail_a_wrong_solution_in_the_live_kernel(folder: Path) -> None:
    path = folder / "source" / A1 / f"{A1}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if grade_id(cell) == "masked_attention":
            cell.source = "class MaskedSelfAttention(SelfAttention):\n    pass"
    nbformat.write(notebook, path)
    done = nbgrader(folder, "validate", f"source/{A1}/{A1}.ipynb")
    assert "VALIDATION FAILED ON 1 CELL" in done.stdout


def test_an_ordinary_assignment_is_graded_by_its_own_asserts(tmp_path: Path) -> None:
    from mini import nbgrader_cell

    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    cells = [
        nbgrader_cell(
            "answer", "### BEGIN SOLUTION\nx = 2\n### END SOLUTION", solution=True, locked=False
        ),
        nbgrader_cell("one", "assert x == 2", grade=True, points=2.0),
        nbgrader_cell(
            "two",
            "### BEGIN HIDDEN TESTS\nassert x == 3\n### END HIDDEN TESTS",
            grade=True,
            points=3.0,
        ),
    ]
    path = tmp_path / "source" / "ps1" / "ps1.ipynb"
    path.parent.mkdir(parents=True)
    metadata = {"kernelspec": {"name": "python3", "display_name": "p", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), path)
    assert nbgrader(tmp_path, "generate_assignment", "ps1").returncode == 0
    submitted = tmp_path / "submitted" / "demo" / "ps1"
    shutil.copytree(tmp_path / "release" / "ps1", submitted)
    text = (submitted / "ps1.ipynb").read_text().replace("raise NotImplementedError()", "x = 2")
    (submitted / "ps1.ipynb").write_text(text)
    done = nbgrader(tmp_path, "autograde", "ps1")
    assert done.returncode == 0, done.stderr
    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as gradebook:
        assert gradebook.find_submission("ps1", "demo").score == 2.0

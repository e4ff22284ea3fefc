"""The wheel, installed elsewhere, makes a course that goes the whole road."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT

from autograder.authoring.new_course import FIRST, TEMPLATES
from autograder.files import PACKAGE
from autograder.results.stored import RESULT_NAME

SECOND = "a2_more"
PARTS = ("pyproject.toml", "README.md", "LICENSE", "autograder")
ANSWERS = {
    "softmax": "def softmax(scores):\n"
    "    return torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True)",
    "weighted_mean": "def weighted_mean(scores, values):\n"
    "    return (softmax(scores)[..., None] * values).sum(dim=-2)",
}
Run = Callable[..., str]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with this wheel, and with the packages that are installed here.

    Of what is installed here this package is missed out: it is found by a `.pth` file or a finder,
    neither of which works in a folder that another `.pth` file names.
    """
    folder = tmp_path_factory.mktemp("wheel")
    for name in PARTS:  # setuptools writes into the folder that it builds from
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    pip = [sys.executable, "-m", "pip", "--quiet"]
    offline = ["--no-index", "--no-deps"]
    build = [*pip, "wheel", *offline, "--no-build-isolation", "--wheel-dir", "dist", "."]
    subprocess.run(build, cwd=folder, check=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    venv.create(folder / "venv", symlinks=True)
    interpreter = folder / "venv" / "bin" / "python"
    subprocess.run([*pip, "--python", interpreter, "install", *offline, wheel], check=True)
    (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
    here = "\n".join(path for path in sys.path if path.endswith("-packages"))
    (packages / "here.pth").write_text(f"{here}\n")
    for name in PARTS:
        (shutil.rmtree if (folder / name).is_dir() else os.remove)(folder / name)
    return interpreter


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("elsewhere") / "course"


@pytest.fixture(scope="module")
def run(python: Path, course: Path) -> Run:
    """Runs a command of the environment in the course."""
    path = os.pathsep.join([str(python.parent), str(Path(sys.executable).parent)])
    environment = {**os.environ, "PATH": os.pathsep.join([path, os.environ["PATH"]])}
    environment.pop("PYTHONPATH", None)

    def run(module: str, *arguments: str, cwd: Path = course) -> str:
        done = subprocess.run(
            [python, "-m", module, *arguments],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def hand_in(course: Path, student: str, assignment: str, answers: dict[str, str]) -> None:
    submitted = course / "submitted" / student / assignment
    shutil.copytree(course / "release" / assignment, submitted)
    notebook = nbformat.read(submitted / f"{assignment}.ipynb", as_version=4)
    for cell in notebook.cells:
        cell.source = answers.get(cell.id, cell.source)
    nbformat.write(notebook, submitted / f"{assignment}.ipynb")


@pytest.fixture(scope="module")
def released(run: Run, course: Path) -> Path:
    """A course with two assignments, as the commands make it."""
    run("autograder", "init", str(course), cwd=course.parent)
    run("autograder", "new", SECOND)
    for assignment in (FIRST, SECOND):
        run("nbgrader", "generate_assignment", assignment)
    return course


def test_a_course_made_by_the_wheel_goes_the_whole_road(run: Run, released: Path) -> None:
    course = released
    where = "import autograder; print(autograder.__file__)"
    (course / "where.py").write_text(where)
    assert str(ROOT) not in run("where")
    run("autograder", "expected")
    assert run("autograder", "expected", "--check").count("up to date") == 2
    assert "grading here is safe" in run("autograder", "doctor")
    hand_in(course, "demo-large", FIRST, ANSWERS)
    run("nbgrader", "autograde", FIRST)
    hand_in(course, "demo-empty", FIRST, {})
    assert "0 refused, 0 ungraded" in run("autograder", "batch", FIRST)
    run("nbgrader", "generate_feedback", FIRST)
    run("autograder", "report", FIRST)
    run("nbgrader", "export")

    folder = course / "autograded" / "demo-large" / FIRST
    result = json.loads((folder / RESULT_NAME).read_text())
    assert {q["slug"]: q["score"] for q in result["questions"]} == {
        "softmax": 8.0,
        "weighted_mean": 10.0,
    }
    page = (course / "feedback" / "demo-large" / FIRST / f"{FIRST}.html").read_text()
    assert "does not fit into a float" in page  # what the misconception says
    assert "demo-empty" in (course / "reports" / f"{FIRST}.html").read_text()
    with (course / "grades.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["assignment"] == FIRST]
    scores = {row["student_id"]: float(row["score"]) for row in rows}
    assert scores == {"demo-large": 18.0, "demo-empty": 0.0}


def test_the_wheel_holds_what_the_engine_needs_and_nothing_of_a_course(python: Path) -> None:
    (wheel,) = (python.parents[2] / "dist").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    files = (path for path in TEMPLATES.rglob("*") if path.is_file())
    own = [path for path in files if "__pycache__" not in path.parts]
    assert {f"autograder/{path.relative_to(PACKAGE)}" for path in own} <= set(names)
    assert {"autograder/requirements.lock", "autograder/gradescope/find_python.sh"} <= set(names)
    elsewhere = [name for name in names if not name.startswith(("autograder/", "autograder-"))]
    assert not elsewhere


def test_the_release_of_the_example_hides_what_it_should(released: Path) -> None:
    text = (released / "release" / SECOND / f"{SECOND}.ipynb").read_text()
    assert text.count("YOUR CODE HERE") == 3  # once in how to work with the notebook
    for hidden in ("SOLUTION", "HIDDEN", "autograder", "torch.exp"):
        assert hidden not in text


def test_the_wheel_brings_the_button_and_turns_its_passage_on(python: Path) -> None:
    prefix = python.parents[1]
    built = prefix / "share" / "jupyter" / "labextensions" / "autograder-check"
    settings = json.loads((built / "package.json").read_text())["jupyterlab"]["_build"]
    assert (built / settings["load"]).is_file()
    assert (built / "schemas" / "autograder-check" / "plugin.json").is_file()
    enabled = prefix / "etc" / "jupyter" / "jupyter_server_config.d" / "autograder.json"
    extensions = json.loads(enabled.read_text())["ServerApp"]["jpserver_extensions"]
    assert extensions == {"autograder.jupyter": True}

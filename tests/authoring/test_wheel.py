"""The wheel, installed elsewhere, and docs/authoring.md followed to the letter with it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT

from autograder.authoring.new_course import FIRST, TEMPLATES
from autograder.files import PACKAGE
from autograder.results.stored import RESULT_NAME

SECOND = "a2_scaling"
PAGE = ROOT / "docs" / "authoring.md"
BLOCK = re.compile(
    r"(?:^`(?P<file>[^`\n]+)`:\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.M | re.S
)
PARTS = ("pyproject.toml", "README.md", "LICENSE", "autograder")
NBGRADER = """#!{python}
import sys
from nbgrader.apps.nbgraderapp import main
sys.exit(main())
"""
ANSWERS = {
    "softmax": "def softmax(scores):\n"
    "    return torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True)",
    "weighted_mean": "def weighted_mean(scores, values):\n"
    "    return (softmax(scores)[..., None] * values).sum(dim=-2)",
}


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
    command = interpreter.with_name("nbgrader")
    command.write_text(NBGRADER.format(python=interpreter))
    command.chmod(0o755)
    for name in PARTS:
        (shutil.rmtree if (folder / name).is_dir() else os.remove)(folder / name)
    return interpreter


@dataclass
class Author:
    """Who follows the page, step by step.

    Attributes:
        folder: where she is.
        said: what the commands have said.
    """

    python: Path
    folder: Path
    said: str = ""

    def types(self, commands: str) -> str:
        """Runs them with the wheel's Python, and stays in the folder where they end."""
        left = self.folder / "left"
        path = os.pathsep.join([str(self.python.parent), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path}
        environment.pop("PYTHONPATH", None)
        done = subprocess.run(
            ["bash", "-e", "-c", f"{commands}\npwd >{left}"],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.said += done.stdout + done.stderr
        assert done.returncode == 0, self.said
        self.folder = Path(left.read_text().strip())
        left.unlink()
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def author(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Author:
    """After the last step of the page."""
    author = Author(python, tmp_path_factory.mktemp("followed"))
    for kind, name, text in blocks():
        if kind == "python":
            assert name is not None, text
            path = author.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif kind == "sh":
            author.types(text)
    return author


def blocks() -> Iterator[tuple[str, str | None, str]]:
    for found in BLOCK.finditer(PAGE.read_text()):
        yield found["kind"], found["file"], found["text"]


def result_of(course: Path, student: str, assignment: str) -> dict[str, object]:
    path = course / "autograded" / student / assignment / RESULT_NAME
    found: dict[str, object] = json.loads(path.read_text())
    return found


def feedback_of(course: Path, student: str, assignment: str) -> str:
    return (course / "feedback" / student / assignment / f"{assignment}.html").read_text()


def test_it_is_the_wheel_that_runs(author: Author) -> None:
    where = author.types('python -c "import autograder; print(autograder.__file__)"')
    assert Path(where.strip()).is_relative_to(author.python.parents[1])


def test_the_page_makes_an_assignment_that_names_a_mistake(author: Author) -> None:
    assert author.folder.name == "transformers"
    result = result_of(author.folder, "demo-variance", SECOND)
    assert (result["score"], result["max_score"]) == (0.0, 30.0)
    assert "You divide by the variance." in author.said
    questions = result["questions"]
    assert isinstance(questions, list)
    (question,) = [found for found in questions if found["slug"] == "standardize"]
    named = {check["name"]: check["misconception"] for check in question["checks"]}
    assert {named[aspect] for aspect in ("values", "sizes", "gradients", "kind")} == {"variance"}
    page = feedback_of(author.folder, "demo-variance", SECOND)
    assert "You divide by the variance." in page


def test_the_page_names_the_files_that_it_makes(author: Author) -> None:
    made = {p.name for p in (author.folder / "checks" / SECOND).rglob("*.*")}
    assert made >= {"check_standardize.py", "standardize.py", "standardize.safetensors"}


def test_the_page_sees_the_new_course_run(author: Author) -> None:
    course = author.folder
    assert (course / "feedback" / "demo-empty" / FIRST / f"{FIRST}.html").is_file()
    assert (course / "reports" / f"{FIRST}.html").is_file()
    assert "demo-empty" in (course / "grades.csv").read_text()


@pytest.mark.parametrize(("assignment", "questions"), [(FIRST, 2), (SECOND, 3)])
def test_what_it_releases_hides_what_it_should(
    author: Author, assignment: str, questions: int
) -> None:
    text = (author.folder / "release" / assignment / f"{assignment}.ipynb").read_text()
    assert text.count("YOUR CODE HERE") == questions + 1  # once in how to work with the notebook
    for hidden in ("SOLUTION", "HIDDEN", "autograder", "torch.exp"):
        assert hidden not in text


def test_the_course_is_safe_up_to_date_and_names_the_mistakes_of_its_example(
    author: Author,
) -> None:
    assert author.types("autograder expected --check").count("up to date") == 2
    assert "grading here is safe" in author.types("autograder doctor")
    submitted = author.folder / "submitted" / "demo-large" / FIRST
    shutil.copytree(author.folder / "release" / FIRST, submitted)
    notebook = nbformat.read(submitted / f"{FIRST}.ipynb", as_version=4)
    for cell in notebook.cells:
        cell.source = ANSWERS.get(cell.id, cell.source)
    nbformat.write(notebook, submitted / f"{FIRST}.ipynb")
    assert "0 refused, 0 ungraded" in author.types(f"autograder batch {FIRST} --feedback")
    questions = result_of(author.folder, "demo-large", FIRST)["questions"]
    assert isinstance(questions, list)
    assert {q["slug"]: q["score"] for q in questions} == {"softmax": 8.5, "weighted_mean": 10.0}
    page = feedback_of(author.folder, "demo-large", FIRST)
    assert "does not fit into a float" in page  # what the misconception says


def test_the_wheel_holds_what_the_engine_needs_and_nothing_of_a_course(python: Path) -> None:
    (wheel,) = (python.parents[2] / "dist").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    files = (path for path in TEMPLATES.rglob("*") if path.is_file())
    own = [path for path in files if "__pycache__" not in path.parts]
    assert {f"autograder/{path.relative_to(PACKAGE)}" for path in own} <= set(names)
    assert {"autograder/requirements.lock", "autograder/gradescope/find_python.sh"} <= set(names)
    elsewhere = [name for name in names if not name.startswith(("autograder/", "autograder-"))]
    assert not elsewhere


def test_the_wheel_brings_the_button_and_turns_its_passage_on(python: Path) -> None:
    prefix = python.parents[1]
    built = prefix / "share" / "jupyter" / "labextensions" / "autograder-check"
    settings = json.loads((built / "package.json").read_text())["jupyterlab"]["_build"]
    assert (built / settings["load"]).is_file()
    assert (built / "schemas" / "autograder-check" / "plugin.json").is_file()
    enabled = prefix / "etc" / "jupyter" / "jupyter_server_config.d" / "autograder.json"
    extensions = json.loads(enabled.read_text())["ServerApp"]["jpserver_extensions"]
    assert extensions == {"autograder.jupyter": True}

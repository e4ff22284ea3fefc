"""Installing is what a box cannot do, and what many an answer's cell begins with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mini import answer, mini_assignment

from autograder.course.limits import Limits
from autograder.grading.grader import Grader

SAID = "Nothing is installed while a notebook is graded"
INSTALLS = [
    "!pip install -q torchinfo",
    "%pip install 'torchinfo>=1.8' einops",
    "!pip install -U torch numpy > /dev/null 2>&1",
    "!{sys.executable} -m pip --quiet install torchinfo",
    "!sudo apt-get -y install graphviz",
    "!conda install -c conda-forge torchinfo",
    "!uv pip install torchinfo",
    "%conda install -y torchinfo",
    "%pip list\n%micromamba install torchinfo",
]
OTHERS = [
    "!pip list | grep install",
    "!echo pip install torchinfo",
    "!pip install '",
    "!echo 1; pip --version",
    "!install --version",
]
BY_PROGRAM = (
    "import subprocess\n"
    "command = [sys.executable, '-m', 'pip', 'install', 'no-package-is-called-so']\n"
    "print(subprocess.run(command, capture_output=True, text=True).stderr)\n"
)


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    limits = Limits(cell_seconds=20, probe_seconds=5, submission_seconds=60, search_seconds=0)
    with Grader(mini_assignment(tmp_path_factory.mktemp("commands")), limits) as made:
        yield made


def said(grader: Grader, command: str) -> str:
    """What stands below a right answer whose cell begins so; it earns all."""
    solved = answer(grader.assignment)
    cell = next(cell for cell in solved.cells if cell.id == "double")
    cell.source = f"import sys\n{command}\n{cell.source}"
    graded = grader.grade(solved, "demo")
    assert graded.result.score == graded.result.max_score
    shown = next(cell for cell in graded.notebook.cells if cell.id == "double")
    return "".join(one.get("text", "") for one in shown.outputs)


@pytest.mark.parametrize("command", INSTALLS)
def test_what_installs_something_is_not_run(command: str, grader: Grader) -> None:
    assert SAID in said(grader, command)


@pytest.mark.parametrize("command", OTHERS)
def test_other_commands_are(command: str, grader: Grader) -> None:
    assert SAID not in said(grader, command)


def test_a_program_that_installs_looks_for_no_network(grader: Grader) -> None:
    told = said(grader, BY_PROGRAM)
    assert "No matching distribution found" in told
    assert "Retrying" not in told

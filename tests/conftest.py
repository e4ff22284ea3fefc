"""What many tests share: the course, a warm grader for a1, sample submissions."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import gradebooks  # noqa: F401 - changes those that are opened here
import pytest
from nbformat import NotebookNode

from autograder.course.assignments import Assignment, Course
from autograder.course.limits import Limits
from autograder.grading.grader import Grader

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from lent import lent_zygotes, start_own  # noqa: E402 - imported as tests import it
from running import Training, trainings, watched_run  # noqa: E402 - takes from tools/
from sample_class import SAMPLES, build, read_sample, samples  # noqa: E402 - lies in tools/

A1 = "a1_attention_blocks"
IDS = sorted(path.name for path in (ROOT / "source").iterdir())
# whose checks are made from domains, by the rules of the course
RULED = [
    "a1_attention_blocks",
    "a2_encoder_explainability",
    "a3_seq2seq_reversal",
    "a4_text_classification",
    "a5_transformer_anatomy",
    "a6_vit_finetuning",
]
LONGEST_FIRST = [
    "samples",
    "run_all",
    "strength",
    "nbgrader_suite",
    "batch_killed",
    "replies",
    "term",
    "batch_workers",
    "batch",
    "resources",
    "nbgrader_door",
    "preview",
    "accessibility",
    "a4_assets",
    "doctor",
    "recording",
    "batch_refused",
    "wheel",
    "button",
    "cli",
    "instructor",
    "jupyterhub",
    "operators",
    "adoption",
    "rooms",
    "a6_notebook",
    "grading",
    "repository",
    "adoption_day",
    "class_of_200",
    "in_box",
    "student",
    "restricted",
    "authors_day",
]
LENT_TO = (
    "assignments",
    "authoring",
    "batch",
    "checking",
    "commands",
    "grading",
    "intake",
    "nbgrader",
    "pages",
    "results",
    "walks",
)
Submit = Callable[..., NotebookNode]
GraderOf = Callable[[str], Grader]
ExecutedOf = Callable[[str], NotebookNode]
TrainingsOf = Callable[[str], list[Training]]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Starts with the files that take longest, so that no process waits for one at the end."""
    places = {f"test_{name}": place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


@pytest.fixture(scope="module", autouse=True)
def lent(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Where tests are not about zygotes, graders get forks of one that is warm."""
    with ExitStack() as stack:
        if request.path.parent.name in LENT_TO:
            stack.enter_context(lent_zygotes(tmp_path_factory.getbasetemp()))
        yield


@pytest.fixture(autouse=True)
def not_graded() -> None:
    """What nbgrader tells kernels stays in its process where a step of it raises."""
    os.environ.pop("NBGRADER_EXECUTION", None)


@pytest.fixture
def own_zygotes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Graders start zygotes of their own after all."""
    start_own(monkeypatch)


@pytest.fixture(scope="session")
def course() -> Course:
    return Course(ROOT)


@pytest.fixture(scope="session")
def a1(course: Course) -> Assignment:
    return course.assignment(A1)


@pytest.fixture(scope="session")
def grader_of(course: Course) -> Iterator[GraderOf]:
    """A warm grader of any assignment, whose cells and probes may run seconds."""
    limits = Limits(cell_seconds=6, probe_seconds=10, submission_seconds=60)
    with ExitStack() as stack:
        yield cache(lambda name: stack.enter_context(Grader(course.assignment(name), limits)))


@pytest.fixture(scope="session")
def executions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what a kernel ran once for all test processes."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "executed"
    shared.mkdir(exist_ok=True)
    return shared


@pytest.fixture(scope="session")
def executed_of(course: Course, executions: Path) -> ExecutedOf:
    """The solved notebook of any assignment as a kernel ran it, once for all test processes."""
    return lambda name: watched_run(course.assignment(name), executions)


@pytest.fixture(scope="session")
def trainings_of(course: Course, executions: Path) -> TrainingsOf:
    """Weights and curves of the models that any assignment's notebook trained in that run."""
    return lambda name: trainings(course.assignment(name), executions)


@pytest.fixture(scope="session")
def grader(grader_of: GraderOf) -> Grader:
    return grader_of(A1)


@pytest.fixture(scope="session")
def solved(a1: Assignment) -> NotebookNode:
    return a1.solved


@pytest.fixture
def submit(a1: Assignment, solved: NotebookNode) -> Submit:
    """Makes a submission: the solution, with some cells' sources replaced."""

    def make(**answers: str) -> NotebookNode:
        notebook = copy.deepcopy(a1.release)
        right = {cell.id: cell.source for cell in solved.cells}
        for cell in notebook.cells:
            if cell.metadata.get("nbgrader", {}).get("solution"):
                cell.source = answers.get(cell.id, right[cell.id])
        return notebook

    return make


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site that `make docs` makes."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    command += ["-d", str(target / "doctrees"), str(ROOT / "docs"), str(target / "html")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target / "html"


__all__ = ["SAMPLES", "build", "read_sample", "samples"]

"""The repository's own promises: pins agree, notebooks are clean, nothing hidden is released."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml
from conftest import IDS, ROOT
from nbformat import NotebookNode
from warm_commands import run_module

from autograder.commands.doctor import STOPS
from autograder.course.assignments import Assignment, Course
from autograder.course.cells import grade_id, is_solution

IDIOMS = {  # lines that tell nothing of an answer
    "with torch.no_grad():",
    "if mask is not None:",
    "loss.backward()",
    "optimizer.step()",
    "optimizer.zero_grad()",
    "for handle in handles:",
    "handle.remove()",
}
GENERATED = {"reports/", "submitted/", "autograded/", "feedback/", ".venv/", ".cache/"}


def source(assignment: str) -> NotebookNode:
    return nbformat.read(ROOT / "source" / assignment / f"{assignment}.ipynb", as_version=4)


def released_text(assignment: str) -> str:
    folder = ROOT / "release" / assignment
    return "\n".join(p.read_text(errors="replace") for p in folder.rglob("*") if p.is_file())


def test_environment_yml_pins_what_pyproject_pins() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    pip = next(entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    assert sorted(pip) == sorted(project["dependencies"])


def test_an_environment_lets_nbgrader_stop_at_a_configuration_that_fails(tmp_path: Path) -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert environment["variables"] == {STOPS: "1"}
    told = subprocess.run(
        ["make", "--dry-run", "--always-make", ".venv/grading"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    (step,) = [line for line in told.stdout.splitlines() if ".venv/bin/activate" in line]
    activate = tmp_path / ".venv" / "bin" / "activate"
    activate.parent.mkdir(parents=True)
    activate.write_text("# activates\n")
    for _ in range(2):
        subprocess.run(["sh", "-c", step], cwd=tmp_path, check=True)
    assert activate.read_text() == f"# activates\nexport {STOPS}=1\n"


def test_every_direct_dependency_is_pinned_exactly() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    pins = project["dependencies"] + optional["dev"] + optional["service"]
    assert all(re.fullmatch(r"[\w-]+(\[\w+\])?==[\w.]+", pin) for pin in pins)


def test_generated_folders_are_ignored_by_git() -> None:
    ignored = set((ROOT / ".gitignore").read_text().splitlines())
    assert ignored >= GENERATED


@pytest.mark.parametrize("assignment", IDS)
def test_source_notebooks_have_no_outputs_and_speaking_ids(assignment: str) -> None:
    notebook = source(assignment)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert re.fullmatch(r"[a-z][a-z0-9_-]+", cell.id)
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
        if grade_id(cell):
            assert cell.id == grade_id(cell)


@pytest.mark.parametrize("assignment", IDS)
def test_every_code_cell_is_given_locked_or_to_be_written(assignment: str) -> None:
    for cell in source(assignment).cells:
        if cell.cell_type == "code" and "instructor" not in cell.metadata.get("tags", []):
            settings = cell.metadata.nbgrader
            assert settings.locked or settings.solution, cell.id


@pytest.mark.parametrize("assignment", IDS)
def test_the_hidden_region_of_a_test_cell_is_one_line(assignment: str) -> None:
    for cell in source(assignment).cells:
        found = re.findall(r"### BEGIN HIDDEN TESTS\n(.*?)### END", cell.source, re.DOTALL)
        if (name := grade_id(cell) or "").startswith("check_"):
            assert found == [f'check("{name.removeprefix("check_")}")\n']
        else:
            assert found == []


@pytest.mark.parametrize("assignment", IDS)
def test_the_release_is_fresh_to_the_byte(assignment: str, tmp_path: Path) -> None:
    flags = [f"--CourseDirectory.release_directory={tmp_path}", f"--db=sqlite:///{tmp_path}/db"]
    done = run_module("nbgrader", "generate_assignment", assignment, *flags, folder=ROOT)
    assert done.returncode == 0, done.stderr
    made = {
        p.relative_to(tmp_path / assignment): p.read_bytes() for p in _files(tmp_path, assignment)
    }
    kept = {
        p.relative_to(ROOT / "release" / assignment): p.read_bytes()
        for p in _files(ROOT / "release", assignment)
    }
    assert made == kept


def _files(folder: Path, assignment: str) -> list[Path]:
    return [path for path in (folder / assignment).rglob("*") if path.is_file()]


@pytest.mark.parametrize("assignment", IDS)
def test_no_solution_line_is_in_the_release(assignment: str, course: Course) -> None:
    cells = course.assignment(assignment).release.cells
    code = {line.strip() for c in cells if c.cell_type == "code" for line in c.source.splitlines()}
    for cell in source(assignment).cells:
        for region in re.findall(r"### BEGIN SOLUTION\n(.*?)### END", cell.source, re.DOTALL):
            solution = {line.strip() for line in region.splitlines() if len(line.strip()) > 12}
            assert not (solution - IDIOMS) & code, cell.id
            assert region.strip() not in released_text(assignment)


@pytest.mark.parametrize("assignment", IDS)
def test_no_hidden_part_is_in_the_release(assignment: str) -> None:
    released = released_text(assignment)
    for word in ("BEGIN SOLUTION", "BEGIN HIDDEN", "safetensors", "misconception", 'check(\\"'):
        assert word not in released
    assert "autograder" not in released
    for path in (ROOT / "checks" / assignment).rglob("*.py"):
        for line in path.read_text().splitlines():
            code = line.strip()
            if len(code) > 40 and not code.startswith(("#", '"', "import", "from", "def", "class")):
                assert code.replace('"', '\\"') not in released, (path.name, code)


@pytest.mark.parametrize("assignment", IDS)
def test_every_question_has_its_check_file_and_no_other_exists(
    assignment: str, course: Course
) -> None:
    found: Assignment = course.assignment(assignment)
    slugs = {question.slug for question in found.questions}
    assert {p.stem.removeprefix("check_") for p in found.checks.glob("check_*.py")} == slugs
    assert {grade_id(c) for c in found.release.cells if is_solution(c)} >= slugs


@pytest.mark.parametrize("assignment", IDS)
def test_probes_hold_no_expected_value(assignment: str, course: Course) -> None:
    """A probe travels into the box: numbers with many digits have no business in one."""
    for path in course.assignment(assignment).checks.glob("*.py"):
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and _is_probe(node):
                numbers = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]
                assert all(len(str(n)) < 7 for n in numbers if isinstance(n, float)), node.name


def _is_probe(node: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "probe" for d in node.decorator_list)

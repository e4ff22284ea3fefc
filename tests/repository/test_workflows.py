"""GitHub's workflows fit GitHub's schema, and keep checks and tokens from students."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT

from autograder.cli import _parser

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.yml"))
GRADE = ROOT / ".github" / "workflows" / "grade.yml"
CLASS = ROOT / "docs" / "examples" / "grade-class.yml"
Take = Callable[[], subprocess.CompletedProcess[str]]
Spoiling = Callable[[Path], None]


def is_workflow(path: Path) -> bool:
    return "jobs" in yaml.safe_load(path.read_text())


ALL = [path for path in (*WORKFLOWS, *EXAMPLES) if is_workflow(path)]


def steps(path: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(path.read_text())["jobs"].values()
    return [step for job in jobs for step in job.get("steps", [])]


def step(name: str) -> dict[str, Any]:
    return next(found for found in steps(GRADE) if found.get("name") == name)


def test_the_workflows_fit_the_published_schema() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    command += ["vendor.github-workflows", *map(str, ALL)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path.name for path in ALL} >= {"ci.yml", "grade.yml", "student-repository.yml"}


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
def test_no_token_stays_on_disk_and_no_expression_becomes_code(path: Path) -> None:
    for found in steps(path):
        if found.get("uses", "").startswith("actions/checkout@"):
            assert found["with"]["persist-credentials"] is False
        assert "${{" not in found.get("run", ""), found
    assert "pull_request_target" not in path.read_text()


def test_only_the_steps_that_need_a_token_get_one() -> None:
    having = {s["name"] for s in steps(GRADE) if "secrets." in str(s) or "github.token" in str(s)}
    assert having == {
        "Fetch the submission",
        "Fetch the grader",
        "Post the feedback on what was graded",
    }
    workflow = yaml.safe_load(GRADE.read_text())
    assert "env" not in workflow
    assert "env" not in workflow["jobs"]["grade"]
    assert "cache" not in str(steps(GRADE))


def test_the_notebook_is_taken_before_the_grader_is_there() -> None:
    order = [found.get("name") for found in steps(GRADE)]
    taken, fetched = (
        order.index("Take the notebook and nothing else"),
        order.index("Fetch the grader"),
    )
    assert (
        taken < fetched < order.index("Grade") < order.index("Post the feedback on what was graded")
    )


def test_the_examples_pass_what_the_reusable_workflow_takes() -> None:
    takes = yaml.safe_load(GRADE.read_text())[True]["workflow_call"]  # YAML reads `on` as True
    needed = {name for name, settings in takes["inputs"].items() if settings.get("required")}
    for name in ("student-repository.yml", "grade-class.yml"):
        job = yaml.safe_load((ROOT / "docs" / "examples" / name).read_text())["jobs"]["grade"]
        assert needed <= set(job["with"]) <= set(takes["inputs"])
        assert set(job["secrets"]) <= set(takes["secrets"])


PYTHON_THAT_TELLS = """#!/bin/bash
if [ "$2" = venv ]; then
  mkdir -p .venv/bin && cp "$0" .venv/bin/python
else
  echo "$@" >> "$TOLD"
fi
"""


def test_what_is_installed_is_locked_and_out_of_the_callers_reach(tmp_path: Path) -> None:
    install = step("Install the grader")
    assert not [name for name in ("vars.", "inputs.", "secrets.", "${{") if name in str(install)]
    assert "vars." not in GRADE.read_text()
    for name, script in (("python", PYTHON_THAT_TELLS), ("sudo", "#!/bin/bash\n")):
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    told = tmp_path / "told"
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TOLD": str(told), **install["env"]}
    command = ["bash", "-e", "-c", install["run"]]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    locked, rest = (line.split() for line in told.read_text().splitlines())
    assert locked[:4] == rest[:4] == ["-m", "pip", "--isolated", "install"]
    assert {"--require-hashes", "--no-deps", "autograder/requirements.lock"} <= set(locked)
    assert not [word for word in (*locked, *rest) if "index" in word]


def test_pip_hears_no_variable_of_the_callers_and_the_graders_own_file(tmp_path: Path) -> None:
    """What the words `--isolated` and `PIP_CONFIG_FILE` mean to the pip that is installed."""
    own = tmp_path / "pip.conf"
    own.write_text("[global]\nextra-index-url = file:///of-the-grader\n")
    hostile = {"PIP_EXTRA_INDEX_URL": "file:///evil", "PIP_INDEX_URL": "file:///evil"}
    command = [sys.executable, "-m", "pip", "--isolated", "config", "list"]
    environment = {"PATH": os.environ["PATH"], "PIP_CONFIG_FILE": str(own), **hostile}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "evil" not in done.stdout
    assert "of-the-grader" in done.stdout


@pytest.fixture
def take(tmp_path: Path) -> Take:
    """Runs the step that takes the notebook, in a checkout of a student's repository."""
    repository = tmp_path / "submission"
    repository.mkdir()
    (repository / "a1.ipynb").write_text("work")
    for command in (["init", "--quiet"], ["add", "a1.ipynb"]):
        subprocess.run(["git", *command], cwd=repository, check=True)
    author = ["-c", "user.name=demo", "-c", "user.email=demo@example.org"]
    commit = ["git", *author, "commit", "--quiet", "--message=work"]
    subprocess.run(commit, cwd=repository, check=True)

    def run() -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "ASSIGNMENT": "a1",
            "NOTEBOOK": "",
            "RUNNER_TEMP": str(tmp_path / "temp"),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
        }
        command = ["bash", "-e", "-c", step("Take the notebook and nothing else")["run"]]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    return run


def test_the_notebook_is_taken_and_the_rest_of_the_repository_deleted(
    take: Take, tmp_path: Path
) -> None:
    done = take()
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "temp" / "handed-in" / "a1.ipynb").read_text() == "work"
    assert not (tmp_path / "submission").exists()
    key, _, commit = (tmp_path / "output").read_text().strip().partition("=")
    assert (key, len(commit)) == ("commit", 40)


def outside(repository: Path) -> None:
    secret = repository.parent / "secret.ipynb"
    secret.write_text("secret")
    (repository / "a1.ipynb").symlink_to(secret)


def future_grader(repository: Path) -> None:
    (repository / "a1.ipynb").symlink_to("../grader/source/a1/a1.ipynb")


def git_folder(repository: Path) -> None:
    (repository / "a1.ipynb").symlink_to(".git/config")


def no_notebook(repository: Path) -> None:
    assert not (repository / "a1.ipynb").exists()


@pytest.mark.parametrize("spoil", [outside, future_grader, git_folder, no_notebook])
def test_a_link_out_of_the_repository_is_refused(
    take: Take, tmp_path: Path, spoil: Spoiling
) -> None:
    (tmp_path / "submission" / "a1.ipynb").unlink()
    spoil(tmp_path / "submission")
    assert take().returncode != 0
    assert not (tmp_path / "temp").exists()


def test_the_grader_is_called_as_its_command_line_takes_it() -> None:
    whole = step("Grade")["run"].replace("\\\n", " ")
    (line,) = [line for line in whole.splitlines() if line.startswith(".venv/bin/autograder")]
    called = line.partition("||")[0].replace("$FAIL_UNDER", "60")
    options = _parser().parse_args(shlex.split(called)[1:])
    assert (options.format, options.fail_under) == ("github", 60.0)
    assert options.output.name == "feedback.md"


@pytest.mark.parametrize("code", [0, 1, 3])
def test_the_grading_step_ends_as_the_grader_did(tmp_path: Path, code: int) -> None:
    grader = tmp_path / ".venv" / "bin" / "autograder"
    grader.parent.mkdir(parents=True)
    grader.write_text(f"#!/bin/bash\nexit {code}\n")
    grader.chmod(0o755)
    output = tmp_path / "output"
    names = ("ASSIGNMENT", "FAIL_UNDER", "RUNNER_TEMP")
    environment = {"PATH": os.environ["PATH"], "GITHUB_OUTPUT": str(output)}
    environment |= dict.fromkeys(names, "x")
    command = ["bash", "-e", "-c", step("Grade")["run"]]
    done = subprocess.run(command, cwd=tmp_path, env=environment, check=False)
    assert (done.returncode, output.read_text()) == (code, f"code={code}\n")


GH = """#!/bin/bash
case "$2" in
  repos/demo/gone/*) echo "no such repository" >&2; exit 1 ;;
  graphql) echo 'course[bot]' ;;
  */comments) case "$2" in *done*) printf 'demo\\ncourse[bot]\\n' ;; *own*) echo demo ;; esac ;;
  *) basename "$(dirname "$(dirname "$2")")" ;;
esac
"""


def test_a_class_run_grades_the_commits_without_feedback_and_says_what_it_cannot_read(
    tmp_path: Path,
) -> None:
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    (tmp_path / "students.txt").write_text("demo/new\ndemo/gone\n\ndemo/done\ndemo/own\n")
    (script,) = [s["run"] for s in steps(CLASS) if s.get("id") == "list"]
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }
    command = ["bash", "-e", "-c", script]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
    )
    assert (tmp_path / "output").read_text() == 'repositories=["demo/new", "demo/own"]\n'
    assert "::warning::demo/gone has no branch main" in done.stderr

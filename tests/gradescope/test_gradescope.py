"""Gradescope: the zip, and its scripts run in the folders that Gradescope lays out."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import A1, ROOT
from mini import answer, mini_assignment, write_source

from autograder.box.walls.policy import UNPRIVILEGED_ID
from autograder.cli import main
from autograder.course.assignments import Assignment
from autograder.course.limits import Limits
from autograder.course.settings import Settings
from autograder.errors import UnreadableSubmission, UsageError
from autograder.gradescope.archive import write_zip
from autograder.gradescope.harness import submitted

IS_ROOT = os.geteuid() == 0
AS_IN_DOCKER = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"]
MEBIBYTE = 1 << 20
PURELIB = "import sysconfig; print(sysconfig.get_path('purelib'))"

SNOOPING = """
def double(x):
    import os
    try:
        found = open({path!r}).read()
    except OSError as error:
        found = type(error).__name__
    raise ValueError(f"user {{os.getuid()}} found {{found}}")
"""


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    assignment = mini_assignment(tmp_path_factory.mktemp("course"))
    write_source(assignment)
    return assignment


def zipped(assignment: Assignment, output: Path) -> zipfile.ZipFile:
    write_zip(assignment, Settings(Limits(), False), output, "after_due_date")
    return zipfile.ZipFile(output)


def others_may_enter(folder: str) -> bool:
    """Whether a user without rights gets there; otherwise boxes keep root, with no capability."""
    return all(path.stat().st_mode & stat.S_IXOTH for path in (Path(folder), *Path(folder).parents))


def executable(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def autograder(mini: Assignment) -> Iterator[Path]:
    """Gradescope's /autograder after `setup.sh`, with this test's packages for those of PyPI.

    The Python that `setup.sh` is given makes a venv without pip of its own, which sees the
    packages that are installed here: so pip finds every requirement there.
    """
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        set_up(root, mini)
        yield root


def set_up(root: Path, mini: Assignment) -> None:
    for name in ("submission", "results", "bin"):
        (root / name).mkdir()
    (root / "submission_metadata.json").write_text('{"users": [{"name": "demo-other"}]}')
    with zipped(mini, root / "autograder.zip") as archive:
        archive.extractall(root / "source")
    shutil.copy(root / "source" / "run_autograder", root)
    (root / "run_autograder").chmod(0o755)
    here = "\n".join(path for path in sys.path if path.endswith("-packages"))
    python = executable(
        root / "bin" / "python",
        f'#!/bin/sh -e\n[ "$1" != -c ] || exec {sys.executable} "$@"\n'
        f'{sys.executable} "$1" "$2" --without-pip "$3"\n'
        f'echo "{here}" >"$("$3/bin/python" -c "{PURELIB}")/here.pth"\n',
    )
    done = subprocess.run(
        ["bash", root / "source" / "setup.sh"],
        env={"PATH": os.environ["PATH"], "PIP_NO_INDEX": "1", "AUTOGRADER_PYTHON": str(python)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def graded(root: Path, **files: str) -> tuple[int, dict[str, Any]]:
    """What a submission of these files gets: the exit code, and the results."""
    shutil.rmtree(root / "submission")
    (root / "submission").mkdir()
    for name, text in files.items():
        (root / "submission" / f"{name}.ipynb").write_text(text)
    done = subprocess.run(
        [*(AS_IN_DOCKER if IS_ROOT else []), root / "run_autograder"],
        cwd=root,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, json.loads((root / "results" / "results.json").read_text())


def test_a_submission_is_graded_in_tier_restricted_by_another_user(
    autograder: Path, mini: Assignment
) -> None:
    hidden = str(autograder / "submission_metadata.json")
    notebook = answer(mini, double=SNOOPING.format(path=hidden))
    code, found = graded(autograder, mini=nbformat.writes(notebook))
    assert (code, found["score"]) == (0, 5.0)
    assert [test["score"] for test in found["tests"]] == [0.0, 0.0, 3.0, 2.0]
    assert {test["visibility"] for test in found["tests"]} == {"after_due_date"}
    said = found["tests"][0]["output"]
    assert "demo-other" not in json.dumps(found)
    assert "found PermissionError" in said or "found FileNotFoundError" in said
    if IS_ROOT:
        assert "sandbox restricted" in found["output"]
    if IS_ROOT and others_may_enter(sys.prefix) and others_may_enter(sys.base_prefix):
        assert f"user {UNPRIVILEGED_ID} " in said


def test_without_a_notebook_the_student_is_told_which_one_to_hand_in(autograder: Path) -> None:
    code, found = graded(autograder)
    assert (code, found["score"]) == (0, 0.0)
    assert found["output"] == "There is no notebook in the submission: hand in mini.ipynb."


def test_a_fault_of_the_grader_leaves_no_score(autograder: Path, mini: Assignment) -> None:
    check = autograder / "source" / "course" / "checks" / "mini" / "check_double.py"
    text = check.read_text()
    check.unlink()
    try:
        code, found = graded(autograder, mini=nbformat.writes(answer(mini)))
    finally:
        check.write_text(text)
    assert code == 3
    assert "score" not in found
    assert "not yours" in found["output"]


def test_a_missing_python_is_installed_and_then_what_is_required(
    mini: Assignment, tmp_path: Path
) -> None:
    """With stand-ins for `apt-get`, the Python that it brings, and the venv's, which write down."""
    source, bin_, log = tmp_path / "source", tmp_path / "bin", tmp_path / "log"
    with zipped(mini, tmp_path / "x.zip") as archive:
        archive.extractall(source)
    bin_.mkdir()
    for name in ("bash", "cp", "dirname", "grep", "ln", "mkdir", "sh"):
        (bin_ / name).symlink_to(shutil.which(name) or name)
    says = f'#!/bin/sh\necho "${{0##*/}} $*" >>{log}\n'
    executable(tmp_path / "in-venv", f'{says}[ "$1" != -c ] || echo {tmp_path}\n')
    executable(tmp_path / "python", '#!/bin/sh -e\nmkdir -p "$3/bin"\ncp in-venv "$3/bin/python"\n')
    brings = f"*python3.11-venv*) ln -s {tmp_path}/python {bin_}/python3.11;;"
    executable(bin_ / "apt-get", f'{says}case "$*" in {brings} esac\n')
    executable(bin_ / "add-apt-repository", says)
    done = subprocess.run(
        ["bash", source / "setup.sh"],
        cwd=tmp_path,
        env={"PATH": str(bin_)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = log.read_text()
    assert "apt-get install -y python3.11 python3.11-venv" in said
    assert f"--require-hashes --no-deps --requirement {source}/requirements.lock" in said
    assert f"--requirement {source}/requirements.txt" in said
    assert (tmp_path / "autograder.pth").read_text() == f"{source}/course\n"


def test_the_zip_holds_the_scripts_and_one_assignment_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    output = tmp_path / "a1.zip"
    index = "https://index.example.org/cpu"
    assert main(["gradescope", A1, "--output", str(output), "--index", index]) == 0
    with zipfile.ZipFile(output) as archive:
        names = archive.namelist()
        run = archive.read("run_autograder").decode()
        pins = archive.read("requirements.txt").decode().splitlines()
        locked = archive.read("requirements.lock").decode()
    assert {"setup.sh", "run_autograder", f"course/source/{A1}/{A1}.ipynb"} <= set(names)
    assert f"course/checks/{A1}/check_attention.py" in names
    assert "course/autograder/box/walls/zygote.py" in names
    assert not [name for name in names if "a2_" in name or "__pycache__" in name]
    assert run.endswith('"$root" visible\n')
    assert pins == [f"--extra-index-url {index}", "torch==2.13.0"]
    assert "\nnbgrader==" in locked
    assert "\nruff==" not in locked
    assert output.stat().st_size < 2 * MEBIBYTE


def test_the_same_course_makes_the_same_bytes(mini: Assignment, tmp_path: Path) -> None:
    first, second = tmp_path / "1.zip", tmp_path / "2.zip"
    with zipped(mini, first) as archive:
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
    mini.release_path.touch()
    zipped(mini, second).close()
    assert first.read_bytes() == second.read_bytes()
    assert {name for name, mode in modes.items() if mode & stat.S_IXUSR} == {
        "run_autograder",
        "setup.sh",
    }


def test_the_configuration_travels_without_what_else_the_instructor_wrote(
    mini: Assignment, tmp_path: Path
) -> None:
    with zipped(mini, tmp_path / "x.zip") as archive:
        text = archive.read("course/nbgrader_config.py").decode()
    assert "'probe_seconds': 10.0" in text
    assert f"no_follow_through = ['{mini.id}']" in text, "results are read before the deadline"
    assert [line for line in text.splitlines() if "import" in line] == [
        "from autograder.course.configuration import configure"
    ]


def test_without_a_solution_there_is_no_zip(tmp_path: Path) -> None:
    assignment = mini_assignment(tmp_path)
    with pytest.raises(UsageError, match=r"mini\.ipynb is missing"):
        zipped(assignment, tmp_path / "x.zip")


def hand_in(folder: Path, **notebooks: object) -> Path:
    for name, notebook in notebooks.items():
        path = folder / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(notebook if isinstance(notebook, str) else nbformat.writes(notebook))
    return folder


def test_the_notebook_of_the_right_name_is_taken(mini: Assignment, tmp_path: Path) -> None:
    folder = hand_in(tmp_path, mini=answer(mini), old=answer(mini), broken="{")
    assert submitted(folder, mini, MEBIBYTE)[0] == "mini.ipynb"


def test_a_wrong_name_does_no_harm(mini: Assignment, tmp_path: Path) -> None:
    other = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x")])
    folder = hand_in(
        tmp_path,
        **{"my work/mini (1)": answer(mini), "notes": other, "__MACOSX/._mini": "junk"},
        **{"my work/.ipynb_checkpoints/mini": answer(mini), "__MACOSX/mini": answer(mini)},
    )
    name, notebook = submitted(folder, mini, MEBIBYTE)
    assert name == "my work/mini (1).ipynb"
    assert notebook.cells == answer(mini).cells


def test_what_cannot_be_chosen_or_read_is_told(mini: Assignment, tmp_path: Path) -> None:
    other = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x")])
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "mini.ipynb").symlink_to("/etc/passwd")
    for folder, sentence in [
        (
            hand_in(tmp_path / "two", a=answer(mini), b=answer(mini)),
            "a.ipynb, b.ipynb. Hand in one",
        ),
        (hand_in(tmp_path / "bad", mini="{"), "mini.ipynb is not a Jupyter notebook"),
        (hand_in(tmp_path / "other", mini=other), "mini.ipynb is no notebook of mini"),
        (hand_in(tmp_path / "large", mini=" " * (MEBIBYTE + 1)), "more than the limit"),
        (tmp_path / "link", "mini.ipynb is a link"),
    ]:
        with pytest.raises(UnreadableSubmission) as refused:
            submitted(folder, mini, MEBIBYTE)
        assert sentence in str(refused.value)
        assert str(tmp_path) not in str(refused.value)

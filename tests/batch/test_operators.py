"""What an operator can get wrong is told in one sentence, and docs/scale.md works as it stands."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from conftest import ROOT
from mini_course import MINI, MiniCourse, make_course

from autograder.cli import main
from autograder.course.gradebook import recorded

NOBODY = "tls://127.0.0.1:1"
SCALE = (ROOT / "docs" / "scale.md").read_text()
IMPATIENT = """
import sys
from autograder.cli import main
from autograder.farm import workers

workers.CONNECT_SECONDS = 2
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> MiniCourse:
    mini = MiniCourse(make_course(tmp_path_factory.mktemp("course") / "course"))
    mini.hand_in("demo-right")
    return mini


@pytest.fixture
def mini(made: MiniCourse, monkeypatch: pytest.MonkeyPatch) -> MiniCourse:
    monkeypatch.chdir(made.folder)
    return made


@pytest.fixture
def waiting(mini: MiniCourse) -> Iterator[None]:
    """Work to be graded, whatever was graded before; without any, no scheduler is asked."""
    notebook = mini.hand_in("demo-waiting")
    yield
    shutil.rmtree(notebook.parents[1])


def configured(mini: MiniCourse, line: str) -> dict[str, str]:
    """The environment in which this line ends the configuration."""
    extra = mini.folder / "extra.py"
    extra.write_text(line + "\n")
    text = (mini.folder / "nbgrader_config.py").read_text()
    if "extra.py" not in text:
        text += "\nexec(open(__import__('os').path.dirname(__file__) + '/extra.py').read())\n"
        (mini.folder / "nbgrader_config.py").write_text(text)
    return dict(os.environ)


def said(mini: MiniCourse, *arguments: str, **environment: str) -> str:
    """What a command that must fail says, in one line, to who types it."""
    return said_by(mini.command(*arguments), mini.folder, **environment)


def said_by(command: list[str], folder: Path, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode in (2, 3), done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


@pytest.mark.usefixtures("waiting")
def test_keys_that_are_forgotten_missing_or_unreadable_are_told(mini: MiniCourse) -> None:
    batch = ("batch", MINI, "--scheduler", NOBODY)
    assert f"the scheduler at {NOBODY} wants keys: let DASK_CONFIG name the file" in said(
        mini, *batch
    )
    assert "which is not there: name the file with the keys" in said(
        mini, *batch, DASK_CONFIG="none.yaml"
    )
    (mini.folder / "bad.yaml").write_text("a: [\n")
    assert "which Dask cannot read: " in said(mini, *batch, DASK_CONFIG="bad.yaml")
    (mini.folder / "gone.yaml").write_text(
        "distributed: {comm: {tls: {ca-file: /none.pem, client: {cert: /none.pem}}}}"
    )
    assert "wants keys" in said(mini, *batch, DASK_CONFIG="gone.yaml")


@pytest.mark.usefixtures("waiting")
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "gateway://127.0.0.1:1/x", "nonsense"])
def test_a_scheduler_that_is_not_there_is_told(mini: MiniCourse, address: str) -> None:
    sentence = f"no Dask scheduler answers at {address}: give the address that it printed"
    command = [sys.executable, "-c", IMPATIENT, "batch", MINI, "--scheduler", address]
    assert sentence in said_by(command, mini.folder)


def test_help_suggests_no_address_without_keys(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["batch", "--help"])
    assert "tls://" in (text := capsys.readouterr().out)
    assert "tcp://" not in text


@pytest.mark.parametrize("url", ["mysql://teacher@db/x", "nonsense", "postgresql+none://x/y"])
def test_a_gradebook_that_cannot_be_opened_is_told(mini: MiniCourse, url: str) -> None:
    configured(mini, f"c.CourseDirectory.db_url = {url!r}")
    try:
        for command in ("batch", "report"):
            assert "cannot read the gradebook that db_url names: " in said(mini, command, MINI)
    finally:
        configured(mini, "")


def test_an_empty_database_is_told(mini: MiniCourse, tmp_path: Path) -> None:
    url = f"sqlite+pysqlite:///{tmp_path}/empty.db"  # read as every database but plain SQLite is
    configured(mini, f"c.CourseDirectory.db_url = {url!r}")
    try:
        sentence = f"the gradebook does not know {MINI}: run `nbgrader generate_assignment {MINI}"
        assert sentence in said(mini, "batch", MINI)
    finally:
        configured(mini, "")


def test_settings_behind_the_address_are_no_part_of_the_file_s_name(mini: MiniCourse) -> None:
    url = f"sqlite:///{mini.folder}/gradebook.db?timeout=30"
    assert recorded(url, MINI).entries == recorded(url.partition("?")[0], MINI).entries


def test_a_place_that_cannot_be_written_is_told(mini: MiniCourse) -> None:
    cache = mini.folder / ".cache"
    if cache.is_dir():
        cache.rename(mini.folder / "kept")
    cache.write_text("a file where a folder should be")
    try:
        assert str(cache) in said(mini, "batch", MINI)
    finally:
        cache.unlink()


def blocks(title: str) -> list[str]:
    """The commands of a section of docs/scale.md."""
    section = SCALE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


@contextmanager
def running(command: str, folder: Path, environment: dict[str, str]) -> Iterator[None]:
    process = subprocess.Popen(
        ["bash", "-c", f"exec env {command}"],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


def test_the_recipe_for_machines_of_ones_own_works_as_it_stands(mini: MiniCourse) -> None:
    port = str(free_port())
    head, machine, second = (
        text.replace("docs/examples", str(ROOT / "docs" / "examples"))
        .replace("head.example.org", "127.0.0.1")
        .replace("8786", port)
        .replace("--nworkers 8", "--nworkers 1")
        .replace("a1_attention_blocks", MINI)
        .replace("\\\n", " ")
        for text in blocks("Machines of your own")
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    *keys, scheduler = head.strip().splitlines()
    for line in keys:
        subprocess.run(["bash", "-c", line], cwd=mini.folder, env=environment, check=True)
    assert (mini.folder / ".cache" / "dask.yaml").stat().st_mode & 0o077 == 0
    with ExitStack() as stack:
        stack.enter_context(running(scheduler, mini.folder, environment))
        stack.enter_context(running(machine.strip(), mini.folder, environment))
        done = subprocess.run(
            ["env", *shlex.split(second)],
            cwd=mini.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert "1 graded and recorded" in done.stdout, done.stderr
    assert mini.scores() == {"demo-right": 10.0}

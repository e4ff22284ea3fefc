"""The workers of a batch: lent to it by this machine, or behind a scheduler elsewhere."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator

import mini_batch
import nbformat
import pytest
from distributed import LocalCluster
from mini_batch import TWO
from mini_course import MINI, MiniCourse, edit

from autograder.batch.run import batch
from autograder.box.outside.zygotes import Zygote
from autograder.cli import main

DEADLY = "def double(x):\n    return 666 + x"
template, mini = mini_batch.template, mini_batch.mini  # fixtures


def test_workers_of_this_machine_are_lent_one_zygote(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    lent: list[Zygote] = []
    lend = Zygote.lend

    def noted(zygote: Zygote, connection: socket.socket) -> None:
        lent.append(zygote)
        lend(zygote, connection)

    monkeypatch.setattr(Zygote, "lend", noted)
    for student in "abcd":
        mini.hand_in(f"demo-{student}")
    assert len(batch(mini.course, MINI, TWO).recorded) == 4
    assert len(lent) == 2
    assert len(set(lent)) == 1


def test_the_head_never_loads_torch(mini: MiniCourse) -> None:
    mini.hand_in("demo-a")
    head = "import sys; from autograder.cli import main; main(sys.argv[1:]); "
    command = [sys.executable, "-c", head + "print('torch' in sys.modules)"]
    command += ["batch", MINI, "--jobs", "1"]
    done = subprocess.run(command, cwd=mini.folder, capture_output=True, text=True, check=True)
    assert "1 graded and recorded" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a scheduler with a worker of its own, as on a cluster."""
    with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        worker_dashboard_address="127.0.0.1:0",
        silence_logs=50,
    ) as cluster:
        yield cluster.scheduler_address


def test_a_submission_on_which_three_workers_die_is_a_crash_and_the_others_are_graded(
    mini: MiniCourse,
) -> None:
    edit(
        mini.folder / "checks" / MINI / "check_double.py",
        '    expect_close(student.run(run, x=x), "y", 2 * x)\n\n\n@points(2)',
        "    reply = student.run(run, x=x)\n"
        '    if float(reply.tensor("y").sum()) > 600:\n'
        "        import os, signal\n\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        '    expect_close(reply, "y", 2 * x)\n\n\n@points(2)',
    )
    mini.hand_in("demo-deadly", double=DEADLY)
    for number in range(4):
        mini.hand_in(f"demo-{number}")
    tally = batch(mini.course, MINI, TWO)
    assert len(tally.recorded) == 4
    assert tally.ungraded == {"demo-deadly": "crash: 3 workers died while they graded it"}
    assert "demo-deadly" not in mini.scores()


def test_a_scheduler_elsewhere_grades_without_the_course_at_hand(
    mini: MiniCourse, scheduler: str, capsys: pytest.CaptureFixture[str]
) -> None:
    mini.hand_in("demo-right")
    shared = mini.folder / "checks" / MINI / "shared.py"
    shared.write_text("FACTOR = 3\n")
    edit(shared.with_name("check_triple.py"), "3 * x", "FACTOR * x")
    start = "from autograder.checking import"
    edit(
        shared.with_name("check_triple.py"),
        start,
        f"from .shared import FACTOR\n{start}",
    )
    mini.hand_in(
        "demo-curious",
        added="import glob, os\nprint(glob.glob('/**/check_*.py', recursive=True),"
        " [k for k in os.environ if 'DASK' in k])",
    )
    assert main(["batch", MINI, "--scheduler", scheduler]) == 0
    assert "2 graded and recorded" in capsys.readouterr().out
    notebook = nbformat.read(mini.notebook_path("demo-curious", "autograded"), as_version=4)
    assert notebook.cells[-1].outputs[0].text == "[] []\n"


def test_a_worker_with_another_autograder_is_told(
    mini: MiniCourse,
    scheduler: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    mini.hand_in("demo-right")
    monkeypatch.setattr("autograder.farm.worker.versions", lambda: {"torch": "1.0"})
    assert main(["batch", MINI, "--scheduler", scheduler]) == 3
    said = capsys.readouterr().err
    assert "has another autograder than the head, or other versions" in said
    assert "torch 1.0 and 2." in said

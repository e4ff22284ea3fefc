"""Cells run in the box's shell, made once and forked for each run, as a zygote does."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

OUTPUT_BYTES = 1 << 20

# Stands for the zygote: imports first, makes the shell, forks for each line of standard input.
ZYGOTE = """
import json, os, sys
import matplotlib.pyplot, pandas
from autograder.box.inside.shell import make_shell

before = len(os.listdir("/proc/self/task")), sorted(os.listdir("/proc/self/fd"))
shell = make_shell(sys.argv[1])
after = len(os.listdir("/proc/self/task")), sorted(os.listdir("/proc/self/fd"))
sys.stdout.write(json.dumps([before, after]) + "\\n")
sys.stdout.flush()
for line in sys.stdin:
    job = json.loads(line)
    end, start = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.chdir(job["directory"])
        shell.recorder.capture(job["output_bytes"])
        runs = [vars(shell.run_source(source, job["output_bytes"])) for source in job["sources"]]
        with open(start, "w") as reply:
            json.dump(runs, reply)
        os._exit(0)
    os.close(start)
    with open(end) as reply:
        sys.stdout.write(reply.read() + "\\n")
    sys.stdout.flush()
    os.waitpid(pid, 0)
"""

Runs = list[dict[str, Any]]
RunCells = Callable[..., Runs]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of kernel and zygote: this one without what either would heed."""
    heeded = ("PYTEST", "JUPYTER", "JPY", "IPY", "MPL", "PYTHON", "COLUMNS", "LINES")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(heeded)}
    return {**kept, "HOME": str(tmp_path_factory.mktemp("home"))}


@pytest.fixture(scope="session")
def zygote(
    tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]
) -> Iterator[subprocess.Popen[str]]:
    profile = str(tmp_path_factory.mktemp("profile"))
    with subprocess.Popen(
        [sys.executable, "-c", ZYGOTE, profile],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**environment, "PYTHONPATH": str(ROOT)},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        before, after = json.loads(process.stdout.readline())
        assert before == after, "making the shell started a thread or left a file open"
        yield process
        process.stdin.close()


@pytest.fixture
def run(zygote: subprocess.Popen[str], tmp_path: Path) -> RunCells:
    """Runs sources in a box of their own; the runs' fields."""

    def run_cells(*sources: str, output_bytes: int = OUTPUT_BYTES) -> Runs:
        assert zygote.stdin is not None
        assert zygote.stdout is not None
        job = {"directory": str(tmp_path), "sources": sources, "output_bytes": output_bytes}
        zygote.stdin.write(json.dumps(job) + "\n")
        zygote.stdin.flush()
        runs: Runs = json.loads(zygote.stdout.readline())
        return runs

    return run_cells


def text_of(run: dict[str, Any], name: str = "stdout") -> str:
    return "".join(output["text"] for output in run["outputs"] if output.get("name") == name)

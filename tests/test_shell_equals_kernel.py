"""The box's shell gives the outputs of a real kernel, and nothing that runs in it gets the better
of `run_source`."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted(Path(__file__).with_name("notebooks").glob("*.ipynb"))
OUTPUT_BYTES = 1 << 20

# Stands for the zygote: imports first, makes the shell, forks for each line of standard input.
ZYGOTE = """
import json, os, sys, threading
import matplotlib.pyplot, pandas
from autograder.box.shell import make_shell

shell = make_shell(sys.argv[1])
tasks = len(os.listdir("/proc/self/task")), threading.active_count()
sys.stdout.write(json.dumps(tasks) + "\\n")
sys.stdout.flush()
for line in sys.stdin:
    job = json.loads(line)
    end, start = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.chdir(job["directory"])
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
    root = Path(__file__).parents[1]
    with subprocess.Popen(
        [sys.executable, "-c", ZYGOTE, profile],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**environment, "PYTHONPATH": str(root)},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.tasks = json.loads(process.stdout.readline())  # type: ignore[attr-defined]
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


def in_normal_form(outputs: list[dict[str, Any]], *directories: Path) -> list[dict[str, Any]]:
    """Streams between two other outputs joined, stdout first; nothing that differs in every run."""
    normal: list[dict[str, Any]] = []
    for is_stream, group in groupby(outputs, lambda output: output["output_type"] == "stream"):
        if not is_stream:
            normal += group
            continue
        streams = list(group)
        for name in ("stdout", "stderr"):
            text = "".join(stream["text"] for stream in streams if stream["name"] == name)
            if text:
                text = re.sub(r"[^\n]*\r(?=[^\n])", "", text)
                normal.append({"output_type": "stream", "name": name, "text": text})
    packed = json.dumps(normal, ensure_ascii=False)
    for directory in directories:
        packed = packed.replace(str(directory), "DIRECTORY")
    for pattern, name in VOLATILE:
        packed = re.sub(pattern, name, packed)
    result: list[dict[str, Any]] = json.loads(packed)
    return result


VOLATILE = [
    (r"/tmp/ipykernel_\d+/\d+\.py", "CELL"),
    (r"0x[0-9a-f]{6,}", "ADDRESS"),
    (r"(CPU times|Wall time|CPU time):[^\\\"]*", r"\1"),
    (r"[\d.]+ [nµm]?s ± [\d.]+ [nµm]?s per loop", "DURATION"),
    (r"\d\d:\d\d<(\d\d:\d\d|\?), +(\?|[\d.]+)(it/s|s/it)", "SPEED"),
]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_puts_out_what_it_does_in_a_kernel(
    path: Path, run: RunCells, environment: dict[str, str], tmp_path: Path
) -> None:
    notebook = nbformat.read(path, as_version=4)
    runs = run(*(cell.source for cell in notebook.cells))
    desk = tmp_path / "desk"
    desk.mkdir()
    client = NotebookClient(notebook, kernel_name="python3", allow_errors=True, timeout=60)
    client.execute(
        env=environment, cwd=str(desk), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    for cell, ours in zip(notebook.cells, runs, strict=True):
        expected = in_normal_form(cell.outputs, desk)
        found = in_normal_form(ours["outputs"], tmp_path)
        if "frames-differ" in cell.metadata.get("tags", ()):
            for output in expected + found:
                del output["traceback"]
        assert found == expected, cell.id
        assert ours["execution_count"] == cell.execution_count
        cell.outputs = [nbformat.from_dict(output) for output in ours["outputs"]]
    nbformat.validate(notebook)

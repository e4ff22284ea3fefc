"""The box's shell gives the outputs of a real kernel, and nothing that runs in it gets the better
of `run_source`."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient
from normal_form import in_normal_form

from autograder.box.inside.bundles import prepared
from autograder.box.inside.tracebacks import FRAMES

NOTEBOOKS = sorted(Path(__file__).with_name("notebooks").glob("*.ipynb"))
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
        expected = in_normal_form([prepared(output)[0] for output in cell.outputs], desk)
        found = in_normal_form(ours["outputs"], tmp_path)
        if "frames-differ" in cell.metadata.get("tags", ()):
            for output in expected + found:
                del output["traceback"]
        assert found == expected, cell.id
        assert ours["execution_count"] == cell.execution_count
        cell.outputs = [nbformat.from_dict(output) for output in ours["outputs"]]
    nbformat.validate(notebook)


def text_of(run: dict[str, Any], name: str = "stdout") -> str:
    return "".join(output["text"] for output in run["outputs"] if output.get("name") == name)


def test_making_the_shell_writes_below_its_directory_only(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    home, profile = tmp_path / "home", tmp_path / "profile"
    home.mkdir()
    code = (
        "import sys, threading; from autograder.box.inside.shell import make_shell;"
        "make_shell(sys.argv[1]); assert threading.active_count() == 1;"
        "assert 'sqlite3' not in sys.modules and 'zmq' not in sys.modules"
    )
    scrubbed = {**environment, "PYTHONPATH": str(ROOT), "HOME": str(home), "TMPDIR": str(home)}
    command = [sys.executable, "-B", "-c", code, str(profile)]
    subprocess.run(command, check=True, env=scrubbed, cwd=home)
    assert list(home.iterdir()) == []
    assert profile.is_dir()


def test_text_beyond_the_cap_is_cut(run: RunCells) -> None:
    first, second = run("print('x' * 70); print('never kept')", "print('next')", output_bytes=50)
    assert text_of(first) == "x" * 50
    assert first["truncated"]
    assert text_of(second) == "next\n"
    assert not second["truncated"]


def test_the_cap_counts_bytes_and_cuts_between_characters(run: RunCells) -> None:
    (only,) = run("print('数' * 10)", output_bytes=10)
    assert text_of(only) == "数数数"
    assert only["truncated"]


def test_a_note_stands_for_a_display_beyond_the_cap(run: RunCells) -> None:
    source = "print('kept'); display('x' * 5000); print('late'); raise KeyError('y' * 5000)"
    (only,) = run(source, output_bytes=3000)
    kept, noted, late, error = only["outputs"]
    assert (kept["text"], late["text"]) == ("kept\n", "late\n")
    assert noted["data"]["text/plain"].startswith("[not kept: a display of 5,0")
    assert error["ename"] == "KeyError"
    assert len(error["evalue"]) == 1000
    assert only["truncated"]
    assert only["error"] == "KeyError"


def test_what_does_not_even_leave_room_for_a_note_is_dropped_with_all_that_follows(
    run: RunCells,
) -> None:
    source = "print('x' * 90); display('x' * 2000); print('late'); 1 / 0"
    (only,) = run(source, output_bytes=100)
    assert [output["text"] for output in only["outputs"]] == ["x" * 90 + "\n"]
    assert only["truncated"]
    assert only["error"] == "ZeroDivisionError"


def test_outputs_below_the_cap_are_whole(run: RunCells) -> None:
    (only,) = run("print('x' * 99)", output_bytes=100)
    assert text_of(only) == "x" * 99 + "\n"
    assert not only["truncated"]


def test_cleared_outputs_do_not_count(run: RunCells) -> None:
    source = (
        "from IPython.display import clear_output\n"
        "for step in range(50):\n"
        "    clear_output(wait=True)\n"
        "    print('x' * 200, step)"
    )
    (only,) = run(source, output_bytes=1000)
    assert text_of(only) == "x" * 200 + " 49\n"
    assert not only["truncated"]


def test_what_replaces_cleared_outputs_counts(run: RunCells) -> None:
    source = (
        "from IPython.display import clear_output\n"
        "clear_output(wait=True); print('x' * 700, flush=True); print('y' * 700)"
    )
    (only,) = run(source, output_bytes=1000)
    assert len(text_of(only)) <= 1000
    assert only["truncated"]


def test_an_update_beyond_the_cap_is_dropped(run: RunCells) -> None:
    source = "shown = display('small', display_id=True); shown.update('x' * 2000)"
    (only,) = run(source, output_bytes=1000)
    assert only["outputs"][0]["data"] == {"text/plain": "'small'"}
    assert only["truncated"]


PEAK = "import resource; resource.getrusage(resource.RUSAGE_SELF).ru_maxrss"


@pytest.mark.parametrize(
    "flood",
    [
        "chunk = 'x' * 1_000_000\nfor _ in range(10_000): print(chunk)",
        "for _ in range(15_000): display('x')",
        "import sys\nfor _ in range(15_000):\n"
        "    for stream in sys.stderr, sys.stdout: print('x', file=stream, flush=True)",
        "import os\nchunk = bytes(1_000_000)\nfor _ in range(1_000):\n"
        "    try: os.write(1, chunk)\n    except OSError: pass",
    ],
    ids=["text", "displays", "streams", "descriptor"],
)
def test_a_flood_leaves_memory_flat(run: RunCells, flood: str) -> None:
    before, flooded, after = run(PEAK, flood, PEAK)
    kibibytes = [int(peak["outputs"][0]["data"]["text/plain"]) for peak in (before, after)]
    assert flooded["truncated"]
    assert flooded["error"] is None
    assert kibibytes[1] - kibibytes[0] < 48 * 1024
    assert len(json.dumps(flooded["outputs"])) < 8 * OUTPUT_BYTES


CLOSE_CAPTURED = """
import os
for fd in range(3, 200):
    if os.path.exists(f"/proc/self/fd/{fd}") and "memfd" in os.readlink(f"/proc/self/fd/{fd}"):
        os.close(fd)
"""


NAMELESS = """
class Meta(type):
    @property
    def __name__(cls):
        raise RuntimeError
class Nameless(Exception, metaclass=Meta): pass
raise Nameless
"""


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("def broken(:", "SyntaxError"),
        ("import sys; sys.exit(0)", "SystemExit"),
        ("raise SystemExit", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("class Own(BaseException): pass\nraise Own", "Own"),
        ("import asyncio; raise asyncio.CancelledError", "CancelledError"),
        (
            "import asyncio; asyncio.current_task().cancel(); await asyncio.sleep(0)",
            "CancelledError",
        ),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGINT); import time; time.sleep(1)",
            None,
        ),
        (NAMELESS, "RuntimeError"),
        ("import sys; sys.stdout = sys.stderr = None", None),
        ("import sys; sys.stdout.close(); print('x')", "ValueError"),
        (CLOSE_CAPTURED, None),
        ("import os; os.lseek(1, 1 << 40, 0)", None),
        (
            "import asyncio; asyncio.get_running_loop().stop(); await asyncio.sleep(1)",
            "RuntimeError",
        ),
        ("exit()", None),
        ("quit", None),
        ("", None),
    ],
)
def test_whatever_a_cell_does_its_run_comes_back(
    run: RunCells, source: str, error: str | None
) -> None:
    first = run(source)[0]
    if error is not None:
        assert first["error"] == error
    assert isinstance(first["outputs"], list)


@pytest.mark.parametrize(
    "patch",
    ["run_cell", "transform_cell", "should_run_async", "showtraceback", "events", "recorder"],
)
def test_a_cell_of_a_broken_shell_comes_back_as_an_error(run: RunCells, patch: str) -> None:
    broken = run(f"get_ipython().__dict__[{patch!r}] = None", "1 / 0")[1]
    assert broken["error"] in {"TypeError", "AttributeError", "ZeroDivisionError"}


def test_the_traceback_of_a_recursion_is_short_enough_to_be_made_in_time(run: RunCells) -> None:
    ran = run("def fall(n):\n    return fall(n)", "start = 0\nfall(start)")[1]
    (output,) = ran["outputs"]
    assert output["ename"] == ran["error"] == "RecursionError"
    assert len(output["traceback"]) < 2 * FRAMES
    assert "start" in output["traceback"][2]


def test_a_task_that_exits_does_not_end_the_box(run: RunCells) -> None:
    source = (
        "import asyncio\nasync def leave(): raise SystemExit\ntask = asyncio.create_task(leave())"
    )
    first, second = run(source, "'still here'")
    assert first["outputs"] == []
    assert second["outputs"][0]["data"] == {"text/plain": "'still here'"}


def test_exit_ends_nothing(run: RunCells) -> None:
    first, second, third = run("exit()", "quit", "'still here'")
    assert [first["error"], second["error"]] == [None, None]
    assert first["outputs"] == second["outputs"] == []
    assert third["outputs"][0]["data"] == {"text/plain": "'still here'"}


def test_input_is_refused_with_the_message_of_a_kernel(run: RunCells) -> None:
    (only,) = run("input('Name? ')")
    assert only["error"] == "StdinNotImplementedError"


def test_text_between_cells_belongs_to_none(run: RunCells) -> None:
    waits = "import threading, time\ndef late():\n    time.sleep(0.2); print('in time')\n"
    starts = "asleep = threading.Timer(0, late); asleep.start()"
    first, second = run(waits + starts, "asleep.join()")
    assert text_of(first) == ""
    assert text_of(second) == "in time\n"


def test_a_child_that_leaves_the_cell_ends_there(run: RunCells) -> None:
    first, second = run("import os\nchild = os.fork()", "os.waitpid(child, 0)[1]")
    assert first["error"] is None
    assert second["outputs"][0]["data"] == {"text/plain": "0"}


def test_a_command_without_terminals_prints_the_same(run: RunCells) -> None:
    command = "!echo one; echo two >&2; exit 3"
    blind = "import os\ndef openpty(): raise OSError\nos.openpty = openpty"
    seen, code, _, blindly, same_code = run(command, "_exit_code", blind, command, "_exit_code")
    assert text_of(blindly) == text_of(seen) == "one\r\ntwo\r\n"
    assert code["outputs"][0]["data"] == same_code["outputs"][0]["data"] == {"text/plain": "3"}


def test_data_that_is_no_text_or_that_no_page_shows_is_left_out(run: RunCells) -> None:
    shown = "{'text/plain': {1}, 'text/latex': {'c': 1}, 'text/html': 'kept', 'x/y': 'hidden'}"
    (only,) = run(f"display({shown}, raw=True)")
    assert only["outputs"][0]["data"] == {"text/html": "kept"}


def test_text_that_is_no_unicode_comes_back_as_some(run: RunCells) -> None:
    (only,) = run("print('\\ud800'); display('\\ud800'); float('nan')")
    assert json.dumps(only["outputs"], ensure_ascii=False).encode()
    assert text_of(only) == "?\n"


def test_settings_of_one_box_do_not_reach_the_next(run: RunCells) -> None:
    run("import sys; sys.modules['made_up'] = sys; left = 1")
    (only,) = run("import sys; 'made_up' in sys.modules, 'left' in globals(), In[1][:6]")
    assert only["outputs"][0]["data"] == {"text/plain": "(False, False, 'import')"}
    assert only["execution_count"] == 1


MISSING = """from google.colab import drive
drive.mount("/content/drive")
import torch_that_is_missing as gone, math
folder = drive.path
import json
1 + 1"""


def test_behind_an_import_of_what_is_not_installed_a_cell_goes_on(run: RunCells) -> None:
    first, second, third = run(MISSING, "folder", "folder\njson.dumps(3)")
    told = [output.get("evalue") for output in first["outputs"][:4]]
    assert told == [
        "No module named 'google'",
        "name 'drive' is not defined",
        "No module named 'torch_that_is_missing'",
        "name 'drive' is not defined",
    ]
    assert first["outputs"][4]["data"]["text/plain"] == "2"
    assert first["error"] is not None
    assert second["error"] == "NameError"
    assert third["outputs"][-1]["data"]["text/plain"] == "'3'"


@pytest.mark.parametrize(
    "source",
    [
        "import json\nnobody\nleft = 1",
        "def load():\n    import gone\n\nload()\nleft = 1",
        "from json import nothing\nleft = 1",
        "import gone\nraise KeyError(1)\nleft = 1",
        "import gone\nleft = (\n",
    ],
)
def test_behind_any_other_error_it_stops(run: RunCells, source: str) -> None:
    *_, last = run(source, "left")
    assert last["outputs"][0]["ename"] == "NameError"

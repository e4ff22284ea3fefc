"""Nothing that runs in the box's shell gets the better of `run_source`."""

import pytest
import shell_runs
from shell_runs import RunCells

from autograder.box.inside.tracebacks import FRAMES

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
environment, zygote, run = shell_runs.environment, shell_runs.zygote, shell_runs.run  # fixtures


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


def test_a_child_that_leaves_the_cell_ends_there(run: RunCells) -> None:
    first, second = run("import os\nchild = os.fork()", "os.waitpid(child, 0)[1]")
    assert first["error"] is None
    assert second["outputs"][0]["data"] == {"text/plain": "0"}

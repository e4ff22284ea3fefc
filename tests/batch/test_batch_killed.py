"""`batch` under SIGKILL and Ctrl-C: every submission ends with one verdict, the undisturbed one."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from subprocess import DEVNULL, PIPE

import pytest
from mini_course import MINI, MiniCourse, make_course

STUDENTS = 8
LARGE = 16
KILLS = 20
SLOW = "import time\ntime.sleep(0.4)\n"
SLOW_RECORDING = """
import os
import time


def wait(**_):
    if os.path.exists({slowly!r}):
        time.sleep(1)


c.Autograde.post_convert_hook = wait
"""
STOPPED = "autograder: stopped: run it again to go on from here"
WRONG = "def triple(x):\n    return 4 * x"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = MiniCourse(make_course(tmp_path_factory.mktemp("template")))
    for number in range(STUDENTS):
        answers = {"triple": WRONG} if number % 3 == 0 else {}
        made.hand_in(f"demo-{number}", added=f"{SLOW}number = {number}", **answers)
    return made.folder


@pytest.fixture
def mini(template: Path, tmp_path: Path) -> MiniCourse:
    return MiniCourse(Path(shutil.copytree(template, tmp_path / "course")))


def test_kills_at_random_moments_lose_and_change_nothing(
    mini: MiniCourse, template: Path, tmp_path: Path
) -> None:
    undisturbed = MiniCourse(Path(shutil.copytree(template, tmp_path / "undisturbed")))
    assert _start(undisturbed).wait() == 0
    chance = random.Random(8)
    seen: set[tuple[int, str]] = set()
    kills, head = 0, _start(mini)
    while kills < KILLS:
        time.sleep(chance.uniform(0.2, 1.5))
        if head.poll() is not None:
            head = _start(mini, "--fresh")
        seen |= set(_descendants(head.pid))
        kills += _kill(chance.choice([_a_worker, _a_zygote, _a_zygote, _the_head])(head.pid))
    head.kill()
    head.wait()

    assert _start(mini).wait() == 0
    assert mini.scores() == undisturbed.scores()
    for number in range(STUDENTS):
        found, wanted = mini.result(f"demo-{number}"), undisturbed.result(f"demo-{number}")
        assert replace(found, seconds=0.0) == replace(wanted, seconds=0.0)
    assert _gone(seen)


def test_ctrl_c_stops_cleanly_and_a_second_run_goes_on(mini: MiniCourse) -> None:
    _record_slowly(mini)  # so that it is not done before the signal comes
    for number in range(STUDENTS, LARGE):
        mini.hand_in(f"demo-{number}", added=f"{SLOW}number = {number}")
    recorded, unchanged = _stopped_and_gone_on(mini)
    assert recorded + unchanged == LARGE
    assert unchanged >= 1
    assert len(mini.scores()) == LARGE


def test_ctrl_c_stops_also_while_all_is_graded_and_recording_is_left(mini: MiniCourse) -> None:
    _record_slowly(mini)
    recorded, unchanged = _stopped_and_gone_on(mini, graded=STUDENTS)
    assert recorded + unchanged == STUDENTS
    assert recorded >= 2
    assert len(mini.scores()) == STUDENTS


@pytest.mark.parametrize("seconds", [0.0, 0.15])
def test_ctrl_c_while_workers_start_is_told_in_one_line(mini: MiniCourse, seconds: float) -> None:
    head = _start(mini, said=PIPE)
    while len(_workers(head.pid)) < 2:
        assert head.poll() is None
        time.sleep(0.01)
    time.sleep(seconds)
    seen = set(_descendants(head.pid))
    os.killpg(head.pid, signal.SIGINT)
    _, said = head.communicate()
    assert (_exit_code(head), said) == (130, f"{STOPPED}\n")
    assert _gone(seen)


def _stopped_and_gone_on(mini: MiniCourse, graded: int = 0) -> tuple[int, int]:
    """What the run after a stopped one recorded, and what it found recorded.

    The signal comes when something is recorded or, if `graded` says how many there are, when all
    are graded and their workers have gone.
    """
    head = _start(mini, said=PIPE)
    seen: set[tuple[int, str]] = set()
    while not (_are_graded(mini, head.pid, graded) if graded else _is_one_recorded(mini)):
        assert head.poll() is None
        seen |= set(_descendants(head.pid))
        time.sleep(0.05)
    os.killpg(head.pid, signal.SIGINT)
    _, said = head.communicate()
    assert _exit_code(head) == 130, said
    *progress, last = said.splitlines()
    assert last == STOPPED
    assert all(line.startswith("grading: ") for line in progress)
    assert _gone(seen)

    _slowly(mini).unlink()
    again = _start(mini, said=PIPE)
    out, said = again.communicate()
    assert again.returncode == 0
    assert all(line.startswith("grading: ") for line in said.splitlines())
    told = re.search(r"(\d+) graded and recorded, (\d+) unchanged", out)
    assert told is not None
    return int(told[1]), int(told[2])


def _record_slowly(mini: MiniCourse) -> None:
    """Has it take a second to record a submission, as long as there is a file that says so."""
    _slowly(mini).touch()
    with (mini.folder / "nbgrader_config.py").open("a") as config:
        config.write(SLOW_RECORDING.format(slowly=str(_slowly(mini))))


def _slowly(mini: MiniCourse) -> Path:
    return mini.folder / "slowly"


def _is_one_recorded(mini: MiniCourse) -> bool:
    return bool(list(mini.folder.glob("autograded/*/mini/result.json")))


def _are_graded(mini: MiniCourse, head: int, count: int) -> bool:
    verdicts = list(mini.folder.glob(".cache/graded/mini/*/*"))
    return len(verdicts) >= count and _a_worker(head) is None


def _start(mini: MiniCourse, *options: str, said: int = DEVNULL) -> subprocess.Popen[str]:
    """A run of `batch` in a process group of its own, which heeds Ctrl-C even if we do not."""
    command = mini.command("batch", MINI, "--jobs", "2", *options)
    return subprocess.Popen(
        ["env", "--default-signal=INT", *command],
        cwd=mini.folder,
        stdout=said,
        stderr=said,
        text=True,
        start_new_session=True,
    )


def _exit_code(head: subprocess.Popen[str]) -> int:
    """As a shell has it: after Ctrl-C within an `exec`, `python -m` dies of SIGINT when it ends."""
    return head.returncode if head.returncode >= 0 else 128 - head.returncode


def _the_head(head: int) -> int | None:
    return head


def _a_worker(head: int) -> int | None:
    return next(iter(_workers(head)), None)


def _workers(head: int) -> list[int]:
    """The children of the process that workers are forked from."""
    servers = [pid for pid, command in _children(head) if "forkserver" in command]
    return [pid for server in servers for pid, _ in _children(server)]


def _a_zygote(head: int) -> int | None:
    found = (
        pid for pid, command in _descendants(head) if "-m autograder.box.walls.zygote" in command
    )
    return next(found, None)


def _kill(pid: int | None) -> bool:
    if pid is None:
        return False
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return True
    return False


def _children(pid: int) -> list[tuple[int, str]]:
    """The processes that `pid` has started, with their command lines."""
    found = []
    with suppress(OSError):
        for path in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in map(int, path.read_text().split()):
                command = Path(f"/proc/{child}/cmdline").read_bytes()
                found.append((child, command.replace(b"\0", b" ").decode()))
    return found


def _descendants(pid: int) -> list[tuple[int, str]]:
    below = _children(pid)
    return below + [further for child, _ in below for further in _descendants(child)]


def _gone(processes: set[tuple[int, str]]) -> bool:
    """Whether all of them have ended, or do so within twenty seconds."""
    deadline = time.monotonic() + 20
    while any(_lives(*process) for process in processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def _lives(pid: int, command: str) -> bool:
    try:
        text = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return False
    return bool(text) and text == command

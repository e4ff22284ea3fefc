"""The helper: what it is given it does, and nothing that it is given holds up its parent."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from autograder import helper
from autograder.errors import NotDone
from autograder.helper import Allowance, run


def helpers() -> list[int]:
    """The pids of this process' helpers."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    named = {pid: Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") for pid in children}
    return [int(pid) for pid, words in named.items() if b"autograder.helper" in words]


def test_it_returns_what_the_function_returns_and_stays_warm() -> None:
    assert run("os.path:join", "a", "\ud800") == "a/\ud800"
    before = helpers()
    assert run("os:getpid") in before
    assert helpers() == before


def test_what_takes_too_long_ends_and_the_next_piece_is_done() -> None:
    run("os:getpid")
    before = helpers()
    with pytest.raises(NotDone, match=r"longer than 0\.2 s"):
        run("time:sleep", 3600, seconds=0.2)
    assert set(helpers()).isdisjoint(before)
    assert run("os.path:basename", "a/b") == "b"


def test_what_raises_ends_or_fills_the_memory_is_not_done() -> None:
    for function, argument in (
        ("os.path:join", 7),
        ("os:abort", None),
        ("builtins:bytearray", 1 << 40),
        ("json:loads", "[" * 100_000),
        ("os:strerror", "x"),
    ):
        with pytest.raises(NotDone):
            run(function, *([] if argument is None else [argument]))
    assert run("os.path:basename", "a/b") == "b"


def test_the_pieces_of_a_notebook_share_its_time() -> None:
    allowance = Allowance(seconds=0.3)
    with pytest.raises(NotDone):
        allowance.run("time:sleep", 3600)
    before = helpers()
    with pytest.raises(NotDone, match="used up"):
        allowance.run("os:getpid")
    assert helpers() == before


def test_two_threads_get_each_its_own_answer() -> None:
    found: dict[int, object] = {}

    def ask(number: int) -> None:
        found[number] = [run("builtins:abs", -number) for _ in range(50)]

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: [n] * 50 for n in range(4)}


def test_a_helper_at_work_ends_though_its_parent_was_killed() -> None:
    told, telling = os.pipe()
    pid = os.fork()
    if pid == 0:
        run("os:getpid")
        os.write(telling, str(helpers()[0]).encode())
        run("time:sleep", 3600, seconds=1)
        os._exit(0)
    orphan = int(os.read(told, 20))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    deadline = time.monotonic() + 30
    while Path(f"/proc/{orphan}/cmdline").exists() and time.monotonic() < deadline:
        if b"autograder" not in Path(f"/proc/{orphan}/cmdline").read_bytes():
            break
        time.sleep(0.1)
    assert time.monotonic() < deadline
    os.close(told)
    os.close(telling)


def test_a_forked_child_has_a_helper_of_its_own() -> None:
    mine = run("os:getpid")
    told, telling = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(telling, str(run("os:getpid")).encode())
        helper._helpers[os.getpid()].close()
        os._exit(0)
    assert int(os.read(told, 20)) != mine
    os.waitpid(pid, 0)
    assert run("os:getpid") == mine
    os.close(told)
    os.close(telling)

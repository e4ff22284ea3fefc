"""The first zygote of a run is a fork of the fork server, and holds no more than any other."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from autograder.box.outside.canaries import breaches
from autograder.box.outside.lending import ForkedZygote
from autograder.box.outside.zygotes import ZYGOTE, StartedZygote, Zygote
from autograder.course.limits import Limits
from autograder.errors import Ungraded
from autograder.farm import forkserver

SECRET = "password-of-the-gradebook"
LIMITS = Limits(cell_seconds=20)
LOOK = """
import ctypes, json, os, re, sys

def is_open(descriptor):
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True

def holds(pattern):
    for line in open("/proc/self/maps").read().splitlines():
        area, rights = line.split()[:2]
        start, end = (int(place, 16) for place in area.split("-"))
        if rights[:2] == "rw" and re.search(pattern, ctypes.string_at(start, end - start)):
            return True
    return False

print(json.dumps({
    "modules": sorted(name for name in sys.modules if name.startswith("autograder.grading")),
    "of others": sorted({"distributed", "nbgrader", "sqlalchemy"} & set(sys.modules)),
    "loaded": sorted({"torch", "shelve"} & set(sys.modules)),
    "secret": holds(rb"password[-]of[-]the[-]gradebook"),
    "constant": holds(rb"C[.]UTF-8"),
    "path": sys.path,
    "open": [fd for fd in range(100) if is_open(fd)],
}))
"""


def looked(zygote: Zygote) -> dict[str, Any]:
    """What code in a box of it finds."""
    box = zygote.box(LIMITS, {}, seed=0)
    try:
        reply = box.run_cell(LOOK, time.monotonic() + LIMITS.cell_seconds)
    finally:
        box.close()
    found: dict[str, Any] = json.loads("".join(output["text"] for output in reply.outputs))
    return found


def run() -> dict[str, Any]:
    """What a process sees that starts its fork server here, while it holds a secret."""
    hidden = [Path(__file__).parent]
    with forkserver.running() as start, forkserver.running() as start_next:
        with start(["shelve"], hidden) as forked, start_next(["shelve"], hidden) as own:
            found = {
                "kinds": [type(one).__name__ for one in (forked, own)],
                "tiers": [[one.tier, one.reason] for one in (forked, own)],
                "breaches": [name for name, got in breaches(forked, Path.cwd(), LIMITS) if got],
                "boxes": [looked(one) for one in (forked, own)],
                "alive": zygotes(),
            }
        found["left"] = zygotes()
    return found


def zygotes() -> int:
    """How many there are: children of this process, and forks of its fork server.

    A fork has the command line that its server has, and a session of its own.
    """
    own = [one.cmdline() for one in psutil.Process().children()]
    count = sum(command[1:4] == ["-I", "-m", ZYGOTE] for command in own)
    for one in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            command = one.cmdline()
            forked = command in own and "autograder.farm.preload" in " ".join(command)
            count += forked and os.getsid(one.pid) == one.pid
    return count


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    told = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "DATABASE": SECRET},
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    answer: dict[str, Any] = json.loads(told)
    return answer


def test_the_first_zygote_is_a_fork_and_those_that_follow_are_processes_of_their_own(
    found: dict[str, Any],
) -> None:
    assert found["kinds"] == ["ForkedZygote", "StartedZygote"]
    assert (found["alive"], found["left"]) == (2, 0)


def test_it_is_confined_as_any_other(found: dict[str, Any]) -> None:
    forked, own = found["tiers"]
    assert forked == own
    assert found["breaches"] == []


def test_its_boxes_hold_what_those_of_any_other_hold(found: dict[str, Any]) -> None:
    forked, own = found["boxes"]
    for box in (forked, own):
        assert (box["loaded"], box["modules"], box["of others"]) == (["shelve", "torch"], [], [])
    assert forked["path"] == own["path"]
    assert forked["open"] == own["open"]


def test_its_boxes_hold_nothing_of_the_environment_of_whoever_grades(
    found: dict[str, Any],
) -> None:
    forked, own = found["boxes"]
    assert (forked["secret"], own["secret"]) == (False, False)
    assert (forked["constant"], own["constant"]) == (True, True)  # so that it would be found


def test_where_the_fork_server_does_not_answer_a_zygote_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forkserver, "ANSWER_SECONDS", 0.1)
    monkeypatch.setattr(forkserver, "start", lambda address: True)
    with forkserver.running() as start, start([], []) as zygote:
        assert type(zygote) is StartedZygote
        assert looked(zygote)["loaded"] == ["torch"]


def test_a_fork_that_ends_at_once_is_told_as_any_zygote_that_does() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.close()
    with pytest.raises(Ungraded, match="zygote"):
        ForkedZygote(ours, [], [])


if __name__ == "__main__":
    print(json.dumps(run()))

"""What ends no zygote: a fork that the machine refuses, a box that is none, a failing import."""

from __future__ import annotations

import errno
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn, cast

import pytest
from conftest import ROOT

from autograder.box.walls.isolation import Isolation
from autograder.box.walls.zygote import MESSAGE_BYTES, _Zygote
from autograder.course.limits import Limits


def no_more(*_: object) -> NoReturn:
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def test_a_fork_that_the_machine_refuses_is_answered_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolation = Isolation("restricted", "", [])
    monkeypatch.setattr(os, "fork", no_more)
    monkeypatch.setattr(isolation, "fork", no_more)
    before = os.listdir("/proc/self/fd")
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    fork = {"op": "fork", "limits": Limits().as_dict(), "files": False, "seed": 0}
    with ours, theirs:
        for request in (fork, {"op": "lend"}, fork):
            socket.send_fds(ours, [json.dumps(request).encode()], [ours.fileno()])
        ours.shutdown(socket.SHUT_WR)
        _Zygote(theirs, isolation, cast(Any, None), str(tmp_path)).serve()
        ready, *said = [json.loads(ours.recv(MESSAGE_BYTES)) for _ in range(4)]
    assert ready["ready"]
    assert ["temporarily unavailable" in one["error"] for one in said] == [True] * 3
    assert os.listdir("/proc/self/fd") == before
    assert not [*tmp_path.iterdir()]


def test_a_process_that_is_no_box_of_it_is_let_live(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs, subprocess.Popen(["sleep", "60"]) as stranger:
        for ended in (False, True):
            ours.send(json.dumps({"op": "reap", "pid": stranger.pid, "ended": ended}).encode())
        ours.shutdown(socket.SHUT_WR)
        _Zygote(theirs, Isolation("none", "", []), cast(Any, None), str(tmp_path)).serve()
        _, *said = [json.loads(ours.recv(MESSAGE_BYTES)) for _ in range(3)]
        assert [one["error"] for one in said] == [f"there is no box {stranger.pid}"] * 2
        assert stranger.poll() is None
        stranger.kill()


def test_an_import_that_fails_is_the_notebooks_to_meet(tmp_path: Path) -> None:
    (tmp_path / "built_for_another.py").write_text("raise RuntimeError('another torch')\n")
    code = (
        "import sys; from autograder.box.walls.warming import warm;"
        "warm(['no_such_module', 'built_for_another', 'fractions'], sys.argv[1]);"
        "assert 'fractions' in sys.modules"
    )
    places = os.pathsep.join([str(ROOT), str(tmp_path)])
    command = [sys.executable, "-c", code, str(tmp_path / "profile")]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": places})

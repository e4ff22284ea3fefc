"""What counts as left by an attack: what came, not what an earlier test ends late."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

from attacks.traces import NOTHING, Traces, folders_below, left_since


def test_a_process_of_an_earlier_test_may_end() -> None:
    with subprocess.Popen(["sleep", "60"]) as earlier:
        before = Traces.now()
        earlier.kill()
    assert left_since(before) == NOTHING


def test_a_process_that_came_is_seen() -> None:
    before = Traces.now()
    with subprocess.Popen(["sleep", "60"]) as late:
        left = left_since(before)
        late.kill()
    assert left.processes == {late.pid}


def test_folders_of_others_may_go_while_one_looks(tmp_path: Path) -> None:
    own = tmp_path / "group" / "autograder-1-a"
    own.mkdir(parents=True)
    others = [tmp_path / f"group-{number}" for number in range(40)]
    done = threading.Event()

    def come_and_go() -> None:
        while not done.is_set():
            for other in others:
                other.mkdir()
            for other in others:
                other.rmdir()

    thread = threading.Thread(target=come_and_go)
    thread.start()
    try:
        for _ in range(300):
            assert folders_below(tmp_path, "autograder-1-") == {str(own)}
    finally:
        done.set()
        thread.join()

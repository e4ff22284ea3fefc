"""What counts as left by an attack: what came, not what an earlier test ends late."""

from __future__ import annotations

import subprocess

from attacks.traces import NOTHING, Traces, left_since


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

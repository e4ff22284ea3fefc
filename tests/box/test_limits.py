"""What student code uses up in a box is bounded: time, memory, processes, threads, files."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import real_boxes
from real_boxes import LIMITS, end, fate, lost, said

from autograder.box.outside import cgroups
from autograder.box.outside.client import Box, BoxLost
from autograder.box.outside.zygotes import Zygote
from autograder.box.walls import policy
from autograder.course.limits import MIB

PEAK = {1: "memory.max_usage_in_bytes", 2: "memory.peak"}
zygote, box = real_boxes.zygote, real_boxes.box  # fixtures


def test_stopping_itself_does_no_more_than_run_out_of_time(zygote: Zygote, box: Box) -> None:
    source = "import os, signal; os.kill(os.getpid(), signal.SIGSTOP); print('on')"
    if zygote.tier == "full":
        assert said(box, source) == "on\n"
    else:
        assert lost(box, source, seconds=0.5) == "timeout"


def test_memory_that_grows_without_end_is_the_status_memory(box: Box) -> None:
    source = "kept = []\nwhile True: kept.append(bytearray(b'x' * (16 << 20)))"
    assert fate(box, source) in {"MemoryError", "memory: it ran out of memory"}


def test_memory_of_several_processes_counts_together(zygote: Zygote, box: Box) -> None:
    source = """
import os, time
def hold():
    kept = bytearray(b"x") * (450 << 20)
    time.sleep(10)
try:
    for _ in range(3):
        if os.fork() == 0:
            hold()
            os._exit(0)
    os.wait()
except PermissionError:
    pass
"""
    with contextlib.suppress(BoxLost):
        said(box, source)
    group = box._group
    assert (group is None) == (zygote.groups is None)
    if group:
        assert group.out_of_memory() == (zygote.tier == "full")
        peak = group.folders[0] / PEAK[group.generation]
        held = int(peak.read_text()) if peak.exists() else 0
        assert held <= LIMITS.memory_bytes + policy.COPIED_BYTES


HOLDERS = """
import mmap, os, time
def hold():
    kept = bytearray(b"x") * (200 << 20)
    time.sleep(60)
try:
    for _ in range(8):
        if os.fork() == 0:
            hold()
            os._exit(0)
    os.wait()
except PermissionError:
    pass
"""
SHARED_DATA = """
import os, time
kept = bytearray(b"x") * (150 << 20)
for _ in range(5):
    if os.fork() == 0:
        time.sleep(2)
        os._exit(0)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
print("done")
"""


@pytest.fixture
def uncounted(zygote: Zygote, monkeypatch: pytest.MonkeyPatch) -> Iterator[Box]:
    """A box of 256 MiB as on a machine where no control group can be made."""
    monkeypatch.setattr(zygote, "groups", None)
    limits = replace(LIMITS, memory_bytes=256 * MIB, file_bytes=64 * MIB)
    made = zygote.box(limits, {}, seed=1)
    yield made
    end(made)


def test_without_a_group_memory_of_a_whole_box_is_bounded_too(
    zygote: Zygote, uncounted: Box
) -> None:
    if zygote.tier == "full":
        assert lost(uncounted, HOLDERS, seconds=30) == "memory"
    else:
        said(uncounted, HOLDERS)


def test_without_a_group_what_processes_share_counts_once(zygote: Zygote, uncounted: Box) -> None:
    if zygote.tier == "full":
        assert said(uncounted, SHARED_DATA) == "done\n"


def test_a_fork_bomb_spares_a_box_beside_it(zygote: Zygote, box: Box) -> None:
    beside = zygote.box(LIMITS, {}, seed=1)
    source = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
    assert lost(box, source, seconds=1.0) == "timeout"
    assert said(beside, "print(1 + 1)") == "2\n"
    beside.close()


IN_A_SESSION_OF_ITS_OWN = """
import os
own, child = os.getsid(0), -1
try:
    child = os.fork()
except PermissionError:
    pass
if child <= 0:
    os.setsid()
if child == 0:
    os._exit(os.getsid(0) == own)
print(os.getsid(0) == own and (child < 0 or os.waitpid(child, 0)[1] == 1 << 8))
"""


def test_a_box_has_one_share_of_the_processor_however_many_sessions_it_asks_for(box: Box) -> None:
    assert said(box, IN_A_SESSION_OF_ITS_OWN) == "True\n"


def test_threads_without_end_are_refused_at_some_point(box: Box) -> None:
    source = """
import threading, time
started = 0
try:
    for _ in range(10_000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        started += 1
except RuntimeError:
    print(started < 5000)
"""
    assert said(box, source) == "True\n"


FILLING = {
    "one_file": "open('a', 'wb').write(bytes(9 << 20))",
    "sparse": "open('a', 'wb').truncate(1 << 40)",
    "many_files": "for i in range(1000): open(str(i), 'w').close()",
    "many_large_files": "for i in range(5): open(str(i), 'wb').write(bytes(5 << 20))",
}


@pytest.mark.parametrize("name", FILLING)
def test_files_have_a_limit(zygote: Zygote, box: Box, name: str) -> None:
    source = FILLING[name] + "\nimport time; time.sleep(2); print('written')"
    found = fate(box, source)
    assert "OSError" in found or (zygote.tier == "restricted" and "more files" in found)


@pytest.mark.parametrize(("own", "bases"), [("/", ["."]), ("/a/b", ["a/b", "a"])])
def test_groups_are_made_nowhere_above_the_mount_of_their_hierarchy(
    own: str, bases: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounted = tmp_path / "unified"
    told = {
        "/proc/self/mountinfo": f"1 2 0:3 / {mounted} rw - cgroup2 cgroup rw",
        "/proc/self/cgroup": f"0::{own}\n",
    }
    tried: list[Path] = []
    monkeypatch.setattr(cgroups, "_read", lambda path: told[str(path)])
    monkeypatch.setattr(cgroups, "_works", lambda groups: tried.extend(groups.bases))
    assert cgroups.find() is None
    assert tried == [mounted / base for base in bases]

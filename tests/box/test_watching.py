"""Whatever student code has made of its folder and its processes, looking at it never raises."""

from __future__ import annotations

import contextlib
import inspect
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.box.walls import folders, watching
from autograder.course.limits import MIB, Limits

DEEPER = 3000  # folders below each other: more than Python calls itself, and than a path can name


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that is removed however deep it got."""
    made = tmp_path / "box"
    made.mkdir()
    yield made
    folders.remove(str(made))


def dig(folder: Path, levels: int) -> None:
    fd = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("down", dir_fd=fd)
        below = os.open("down", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    with open(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=fd), "w"):
        os.close(fd)


def too_full(folder: Path, limits: Limits | None = None) -> bool:
    return watching.too_full(str(folder), os.getpid(), limits or Limits())


@pytest.mark.parametrize(("levels", "full"), [(20, False), (DEEPER, True)])
def test_folders_that_nobody_can_look_through_are_too_full(
    folder: Path, levels: int, full: bool
) -> None:
    dig(folder, levels)
    assert too_full(folder, Limits(files=10 * DEEPER)) == full


def test_all_is_removed_but_what_links_lead_to(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    (folder / "link").symlink_to(tmp_path / "kept")
    (folder / "round").symlink_to(folder)
    os.mkfifo(folder / "pipe")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe\n")).mkdir()
    for mode in (0o000, 0o300, 0o400):
        (folder / f"{mode:o}" / "in").mkdir(parents=True)
        (folder / f"{mode:o}" / "in").chmod(mode)
        (folder / f"{mode:o}").chmod(mode)
    dig(folder, DEEPER)
    folders.remove(str(folder))
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept" / "file").exists()


def test_a_file_of_two_names_takes_its_room_once(folder: Path) -> None:
    (folder / "one").write_bytes(bytes(3 * MIB))
    (folder / "other").hardlink_to(folder / "one")
    assert not too_full(folder, Limits(disk_bytes=4 * MIB))
    assert too_full(folder, Limits(disk_bytes=2 * MIB))


@contextlib.contextmanager
def running(source: str) -> Iterator[int]:
    """A process that has said that it is ready; it ends with all that it started."""
    with subprocess.Popen(
        [sys.executable, "-S", "-c", source], stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.read(1) == b"."
            yield process.pid
        finally:
            os.killpg(process.pid, signal.SIGKILL)


CHAIN = """
import os, time
for _ in range(150):
    if os.fork():
        time.sleep(600)
os.write(1, b".")
time.sleep(600)
"""
FIRST_THREAD_ENDS = """
import ctypes, os, threading, time
def hold():
    kept = bytearray(b"x") * (200 << 20)
    time.sleep(0.2)  # until the first one has ended
    os.write(1, b".")
    time.sleep(600)
threading.Thread(target=hold).start()
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)
"""


def test_processes_that_each_start_the_next_are_all_found() -> None:
    usual = sys.getrecursionlimit()
    with running(CHAIN) as pid:
        sys.setrecursionlimit(len(inspect.stack(0)) + 100)  # far fewer than processes
        try:
            assert len(watching._processes(pid)) == 151
        finally:
            sys.setrecursionlimit(usual)


def test_memory_counts_when_the_thread_that_a_process_began_with_has_ended() -> None:
    with running(FIRST_THREAD_ENDS) as pid:
        assert watching.too_much_memory(pid, 100 * MIB)
        assert not watching.too_much_memory(pid, 400 * MIB)

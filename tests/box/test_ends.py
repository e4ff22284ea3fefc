"""However a box ends, or is never made, nothing of it is left: no process, mount, group or file."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import pytest
import real_boxes
from conftest import ROOT
from real_boxes import LIMITS, lost, said

from autograder.box.outside import cgroups
from autograder.box.outside.client import Box, BoxLost
from autograder.box.outside.zygotes import StartedZygote, Zygote
from autograder.course.limits import Limits
from autograder.errors import Ungraded

zygote, box = real_boxes.zygote, real_boxes.box  # fixtures


@pytest.mark.parametrize("signal", [9, 11])
def test_a_box_that_kills_itself_has_crashed(box: Box, signal: int) -> None:
    source = "import os, ctypes\nif SIG == 9: os.kill(os.getpid(), 9)\nctypes.string_at(0)"
    assert lost(box, source.replace("SIG", str(signal))) == "crash"


def test_a_box_cannot_outlive_its_end(zygote: Zygote, box: Box) -> None:
    mark = f"left-{os.getpid()}-{time.monotonic_ns()}"
    source = f"""
import ctypes, os, sys, time
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
try:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv("/bin/sleep", ["{mark}", "60"])
        os._exit(0)
    os.wait()
except PermissionError:
    pass
"""
    said(box, source)
    box.close()
    assert mark not in command_lines()


def command_lines() -> str:
    """Those of all processes of this machine."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            lines.append(path.read_text(errors="replace"))
    assert any("pytest" in line for line in lines)
    return "\n".join(lines)


def test_nothing_is_left_for_the_next_box(zygote: Zygote) -> None:
    leave = """
import os
for folder in (os.getcwd(), "/tmp", "/dev/shm"):
    try: open(f"{folder}/left-for-the-next", "w").write("x")
    except OSError: pass
"""
    look = """
import os
print([os.path.exists(f"{at}/left-for-the-next") for at in (os.getcwd(), "/tmp", "/dev/shm")])
"""
    for source, expected in ((leave, ""), (look, "[False, False, False]\n")):
        box = zygote.box(LIMITS, {}, seed=1)
        assert said(box, source) == expected
        box.close()


def test_a_box_leaves_no_process_mount_group_or_file(zygote: Zygote) -> None:
    def traces() -> tuple[str, list[Path], list[str], int]:
        groups = zygote.groups.bases if zygote.groups else ()
        made = [path for base in groups for path in base.glob(f"{cgroups.PREFIX}-{os.getpid()}-*")]
        children = Path(f"/proc/{zygote._process.pid}/task/{zygote._process.pid}/children")
        mounts = Path("/proc/self/mounts").read_text()
        return mounts, made, children.read_text().split(), len(os.listdir("/proc/self/fd"))

    before = traces()
    for _ in range(5):
        box = zygote.box(LIMITS, {"a.txt": ROOT / "README.md"}, seed=1)
        said(box, "open('b', 'w').write('x')")
        box.close()
    assert traces() == before


def test_a_box_whose_files_cannot_be_read_leaves_none_open(zygote: Zygote, tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(Ungraded, match="no box for want of a file"):
        zygote.box(LIMITS, {"gone.bin": tmp_path / "gone.bin"}, seed=0)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_box_that_cannot_be_made_is_a_fault_of_the_grader(zygote: Zygote) -> None:
    with pytest.raises(Ungraded, match="could not be made"):
        zygote.box(Limits(submission_seconds=1e30), {}, seed=1)
    box = zygote.box(LIMITS, {}, seed=1)
    assert said(box, "print(1)") == "1\n"
    box.close()


def test_a_box_that_is_lost_or_closed_may_be_closed_again(zygote: Zygote) -> None:
    boxes = [zygote.box(LIMITS, {}, seed=1) for _ in range(2)]
    if zygote.tier == "full":  # in no other do boxes branch
        boxes += [stem := zygote.box(LIMITS, {}, seed=1), stem.branch()]
    for box in (boxes[0], boxes[-1]):
        with pytest.raises(BoxLost):
            said(box, "import os; os._exit(3)")
        box.close()
    for box in (*boxes, *boxes):
        box.close()
    assert not zygote.gone
    with contextlib.closing(zygote.box(LIMITS, {}, seed=1)) as box:
        assert said(box, "print(1)") == "1\n"


def test_an_end_of_the_zygote_leaves_no_group_of_a_box_that_was_never_closed() -> None:
    with StartedZygote() as other:
        box = other.box(LIMITS, {}, seed=1)
        folders = box._group.folders if box._group else ()
    box._socket.close()
    assert not [folder for folder in folders if folder.exists()]

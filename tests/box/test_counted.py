"""A zygote that has given up root, as where all may read Python, counts what its boxes take."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import pytest

COUNTED = """
import encodings.ascii, os, signal, time  # nobody may look for it later
from autograder.box.walls import isolation, policy
from autograder.box.walls.watching import MEMORY_FILE, too_much_memory
from autograder.course.limits import MIB, Limits

other = policy.UNPRIVILEGED_ID
os.setgroups([])
os.setresgid(other, other, other)
os.setresuid(other, other, other)
told, telling = os.pipe()
box = os.fork()
if box == 0:
    confined = isolation.Isolation("restricted", "", [])
    confined.enter(Limits(), "/", [telling])
    os.write(os.memfd_create("kept"), bytes(60 * MIB))
    os.write(isolation.FIRST_FREE, b".")
    time.sleep(60)
os.close(telling)
assert os.read(told, 1) == b"."
resident = too_much_memory(box, 0) and not too_much_memory(box, 1000 * MIB)
found = [os.readlink(f"/proc/{box}/fd/{fd}") for fd in os.listdir(f"/proc/{box}/fd")]
os.kill(box, signal.SIGKILL)
print(resident, any(path.startswith(MEMORY_FILE) for path in found))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_files_in_memory_of_a_box_are_seen_by_a_zygote_that_gave_up_root() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COUNTED],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=tempfile.gettempdir(),
    )
    assert done.stdout == "True True\n", done.stderr

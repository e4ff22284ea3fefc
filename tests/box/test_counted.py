"""A zygote that has given up root, as where all may read Python, counts what its boxes take."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import pytest

COUNTED = """
import encodings.ascii, os, signal, tempfile, time  # nobody may look for it later
from autograder.box.walls import folders, isolation, policy, watching
from autograder.course.limits import MIB, Limits

def nameless(size):
    with open("file", "wb+") as file:
        os.remove("file")
        file.write(bytes(size))
        file.flush()
        return os.dup(file.fileno())

other = policy.UNPRIVILEGED_ID
os.setgroups([])
os.setresgid(other, other, other)
os.setresuid(other, other, other)
home = tempfile.mkdtemp()
told, telling = os.pipe()
box = os.fork()
if box == 0:
    confined = isolation.Isolation("restricted", "", [])
    confined.enter(Limits(), home, [telling])
    kept = bytearray(b"x") * (20 * MIB), nameless(30 * MIB)
    os.write(isolation.FIRST_FREE, b".")
    time.sleep(60)
os.close(telling)
assert os.read(told, 1) == b"."
memory = watching.too_much_memory(box, 10 * MIB) and not watching.too_much_memory(box, 1000 * MIB)
disk = [watching.too_full(home, box, Limits(disk_bytes=n * MIB)) for n in (20, 40)]
os.kill(box, signal.SIGKILL)
folders.remove(home)
print(memory, *disk, os.path.exists(home))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_what_a_box_holds_is_seen_by_a_zygote_that_gave_up_root() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COUNTED],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=tempfile.gettempdir(),
    )
    assert done.stdout == "True True False False\n", done.stderr

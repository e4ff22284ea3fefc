"""What a box learns of the machine below it, and what it makes the machine do."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from attacks.harness import WRONG, Arena, Attack, everything_said

FACTS = """
import os
NAMES = ("cmdline", "config.gz", "diskstats", "partitions", "modules", "interrupts", "kallsyms",
         "keys", "vmstat", "zoneinfo", "iomem", "locks", "swaps", "crypto", "misc", "softirqs")
for name in NAMES:
    try:
        with open(f"/proc/{name}", "rb") as file:
            if file.read(1):
                print("told by", name)
    except OSError:
        pass
for name in ("pressure", "sys", "bus", "irq", "fs", "driver", "acpi", "scsi", "tty", "sysvipc",
             "../sys/class", "../sys/block", "../sys/kernel"):
    try:
        if os.listdir(f"/proc/{name}"):
            print("told by", name)
    except OSError:
        pass
for name in ("cgroup", "cmdline", "environ"):
    try:
        with open(f"/proc/self/{name}") as file:
            print("own", name, repr(file.read()))
    except OSError:
        pass
print("memory", open("/proc/meminfo").read()[:8], "processors", open("/proc/cpuinfo").read()[:9])
"""


def told(arena: Arena) -> str:
    return everything_said(arena.withstands(Attack(85, "facts", double=FACTS + WRONG)))


def test_attack_85_a_box_learns_little_of_the_machine_and_nothing_of_the_grader(
    arena: Arena,
) -> None:
    said = told(arena)
    assert "told by" not in said
    assert "memory MemTotal processors processor" in said
    own = "\n".join(line for line in said.splitlines() if line.startswith("own "))
    assert "own cgroup" in own
    assert "autograder-" not in own
    for secret in (str(os.getpid()), str(arena.zygote_pid()), str(arena.world.root)):
        assert secret not in own


def test_attack_85_without_namespaces_too(restricted: Arena) -> None:
    said = told(restricted)
    assert "told by" not in said
    assert "own " not in said


URGENT = """
import errno, socket
one, other = socket.socketpair()
for name, act in (
    ("send", lambda: one.send(b"x", socket.MSG_OOB)),
    ("sendmsg", lambda: one.sendmsg([b"x"], [], socket.MSG_OOB)),
    ("recv", lambda: other.recv(1, socket.MSG_OOB)),
    ("recvmsg", lambda: other.recvmsg(1, 0, socket.MSG_OOB)),
):
    try:
        print(name, act())
    except OSError as error:
        print(name, errno.errorcode[error.errno])
one.send(b"plain")
print("received", other.recv(5))
"""


def test_attack_86_no_urgent_bytes_go_over_local_sockets(arena: Arena) -> None:
    said = everything_said(arena.withstands(Attack(86, "urgent", double=URGENT + WRONG)))
    for name in ("send", "sendmsg", "recv", "recvmsg"):
        assert f"{name} ENOTSUP" in said
    assert "received b'plain'" in said


DUMPING = """
import ctypes, os, resource
libc = ctypes.CDLL(None, use_errno=True)
for most in ((0, 0), (resource.RLIM_INFINITY,) * 2):
    try:
        resource.setrlimit(resource.RLIMIT_CORE, most)
        print("core limit changed")
    except (OSError, ValueError):
        pass
with open("/proc/self/limits") as file:
    print(next(line for line in file if "core" in line).split()[4:6])
"""


def test_attack_87_no_program_of_the_machine_is_given_a_core_dump(arena: Arena) -> None:
    said = everything_said(arena.withstands(Attack(87, "core limits", double=DUMPING + WRONG)))
    assert "core limit changed" not in said
    assert "['1', '1']" in said  # the one limit at which the kernel starts no such program
    crash = "import ctypes\ndef double(x):\n    ctypes.string_at(0)\n"
    arena.withstands(Attack(87, "crash", double=crash, status="crash"))
    assert not list(Path.cwd().glob("core*"))
    assert resource.getrlimit(resource.RLIMIT_CORE) != (1, 1), "the grader's own is left alone"

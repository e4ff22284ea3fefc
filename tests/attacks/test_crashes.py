"""Attacks 54 to 58: crashes, daemons, threads, and signals to others."""

from __future__ import annotations

import os

import pytest

from attacks.harness import RIGHT, WRONG, Arena, Attack, attacks, everything_said, filled

IN_LAST_PROBE = "def double(x):\n    if len(x) == 4:\n        {}\n    return x + 1\n"

DAEMON = """
import os, subprocess, sys, time
def detach(action):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            action()
        os._exit(0)
    os.wait()
try:
    detach(lambda: time.sleep(3600))
    code = "import time; time.sleep(3600)  # MARKER"
    detach(lambda: os.execv(sys.executable, [sys.executable, "-c", code]))
    detach(lambda: os.execv("/bin/sleep", ["sleep", "3600.0MARKER"]))
    subprocess.Popen(["sleep", "3600"], start_new_session=True)
    subprocess.Popen("nohup setsid sleep 3600 &", shell=True)
except OSError as refused:
    print("refused:", refused)
"""

THREAD = """
import threading, time, torch
def later():
    global double
    while True:
        print("noise of a thread")
        {}
        time.sleep(0.001)
threading.Thread(target=later, daemon=True).start()
"""

CRASHES = [
    Attack(
        54,
        "a segfault in a cell",
        double="import ctypes\nctypes.string_at(0)",
        status="crash",
        says=("ended the Python process",),
    ),
    Attack(
        54,
        "a segfault in a probe",
        double="import ctypes\n" + IN_LAST_PROBE.format("ctypes.string_at(0)"),
        status="crash",
    ),
    Attack(54, "an abort", double="import os\nos.abort()", status="crash"),
    Attack(
        55,
        "a SIGKILL to itself",
        double="import os\nos.kill(os.getpid(), 9)\n" + WRONG,
        status=("crash", "wrong"),  # the first process of a namespace cannot kill itself
    ),
    Attack(
        55,
        "a SIGSTOP to itself",
        double="import os\nos.kill(os.getpid(), 19)\n" + WRONG,
        status=("timeout", "wrong"),
        hangs=1,
    ),
    Attack(56, "daemons", double=DAEMON + WRONG),
    Attack(57, "a thread outlives its cell", double=THREAD.format("pass") + WRONG),
    Attack(
        57,
        "a thread that ends the process of the next question",
        double="import os, threading\n"
        + IN_LAST_PROBE.format("threading.Timer(0.01, os._exit, (0,)).start()"),
        status=("wrong", "crash"),
    ),
    Attack(58, "the process group", double="import os\nos.killpg(0, 9)\n" + WRONG, status="crash"),
]


@attacks(*CRASHES)
def test_a_crash_costs_only_its_own_question(arena: Arena, attack: Attack) -> None:
    arena.withstands(attack)


KEPT = [
    Attack(56, "daemons of a right answer", DAEMON + RIGHT, status="ok", score=5.0),
    Attack(57, "a thread of a right answer", THREAD.format("pass") + RIGHT, status="ok", score=5.0),
]


@attacks(*KEPT)
def test_a_right_answer_that_leaves_something_running_keeps_its_marks(
    arena: Arena, attack: Attack
) -> None:
    arena.withstands(attack)


# Signal 0 tells what could be reached and hurts nobody; the victim alone is really shot at.
SIGNALS = """
import os
for pid in TARGETS:
    for number in (0, 15, 9) if pid == VICTIM else (0,):
        try:
            os.kill(pid, number)
            print("reached:", pid)
        except (OSError, OverflowError):
            pass
others = [pid for pid in range(2, 40_000) if pid != os.getpid()]
def reachable(pid):
    try:
        os.kill(pid, 0)
        return True
    except OSError:
        return False
print("others:", [pid for pid in others if reachable(pid)])
print("parent:", os.getppid() > 1 and reachable(os.getppid()))
print("everyone:", reachable(-1))
"""


def test_attack_58_no_signal_reaches_anyone_else(arena: Arena) -> None:
    targets = [os.getpid(), os.getppid(), arena.world.victim, arena.zygote_pid()]
    source = SIGNALS.replace("TARGETS", repr(targets)).replace("VICTIM", str(arena.world.victim))
    attack = Attack(58, "signals", double=source + WRONG)
    said = everything_said(arena.withstands(attack))
    for line in ("others: []", "parent: False", "everyone: False"):
        assert line in said
    os.kill(arena.world.victim, 0)


# Each gives the victim what it has already, but for the signal.
REACHES = """
import ctypes, fcntl, os, platform, resource, socket
libc = ctypes.CDLL(None, use_errno=True)
ioprio_set = {"x86_64": 251, "aarch64": 30}[platform.machine()]
def told(by):
    one, other = socket.socketpair()
    by(one)
    fcntl.fcntl(one, fcntl.F_SETSIG, 9)
    fcntl.fcntl(one, fcntl.F_SETFL, os.O_ASYNC)
    other.send(b"x")
def owner(file, ask):
    if libc.ioctl(file.fileno(), ask, ctypes.byref(ctypes.c_int(VICTIM))):
        raise OSError
def ioprio(which, whom):
    if libc.syscall(ioprio_set, which, whom, 3 << 13):
        raise OSError
def extended(file):
    fcntl.fcntl(file, 15, (1).to_bytes(4, "little") + (VICTIM).to_bytes(4, "little"))
for name, reach in {
    "limits": lambda: resource.prlimit(VICTIM, resource.RLIMIT_CPU),
    "affinity": lambda: os.sched_setaffinity(VICTIM, os.sched_getaffinity(VICTIM)),
    "scheduler": lambda: os.sched_setscheduler(VICTIM, os.SCHED_OTHER, os.sched_param(0)),
    "parameters": lambda: os.sched_setparam(VICTIM, os.sched_param(0)),
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, VICTIM, 0),
    "disk": lambda: ioprio(1, VICTIM),
    "signals": lambda: told(lambda file: fcntl.fcntl(file, fcntl.F_SETOWN, VICTIM)),
    "signals of the extended kind": lambda: told(extended),
    "signals of sockets": lambda: told(lambda file: owner(file, 0x8902)),
    "signals of files": lambda: told(lambda file: owner(file, 0x8901)),
}.items():
    try:
        reach()
        print("reached:", name)
    except OSError:
        pass
print("own:", resource.prlimit(os.getpid(), resource.RLIMIT_CPU) == resource.getrlimit(0))
"""


def test_attack_137_what_reaches_a_process_by_its_number_reaches_no_other(arena: Arena) -> None:
    victim = arena.world.victim
    source = REACHES.replace("VICTIM", str(victim))
    said = everything_said(arena.withstands(Attack(137, "reaches", double=source + WRONG)))
    assert "own: True" in said
    assert "reached:" not in said
    os.kill(victim, 0)


@pytest.mark.parametrize("place", ["cell", "probe"])
def test_attack_54_the_batch_goes_on_after_every_kind_of_end(arena: Arena, place: str) -> None:
    end = "__import__('os')._exit(3)"
    source = end if place == "cell" else f"def double(x):\n    {end}"
    for _ in range(3):
        arena.withstands(Attack(54, place, double=filled(source), status="crash"))

"""Attacks 42 to 53 and 118: time, processes, memory, disk, output and descriptors without end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import nbformat
import pytest

from attacks.harness import (
    LIMITS,
    RIGHT,
    WRONG,
    Arena,
    Attack,
    attacks,
    everything_said,
)
from autograder.box.outside.client import BoxLost
from autograder.box.outside.zygotes import StartedZygote, Zygote
from autograder.results.model import Status

IGNORE = (
    "import signal\nfor n in set(range(1, 65)) - {9, 19, 32, 33}:\n"
    "    signal.signal(n, lambda *a: None)\nsignal.pthread_sigmask(0, range(1, 65))\n"
)
HUNG_SECONDS = 0.7  # waited for three times; what is right takes milliseconds


def cell(number: int, title: str, source: str) -> Attack:
    return Attack(number, title, source, status="timeout", hangs=1, says=("ran out of time",))


THREADS_WITHOUT_END = """
import threading, time
while True:
    try:
        threading.Thread(target=time.sleep, args=(3600,)).start()
    except RuntimeError:
        pass
"""


HANGS = [
    cell(42, "an endless loop in a cell", "while True: pass"),
    Attack(
        42,
        "an endless loop in a cell and a probe",
        double=WRONG.replace("x + 1", "sum(iter(int, 1))"),
        status="timeout",
        hangs=2,
        says=("ran out of time",),
    ),
    cell(
        43,
        "a loop that ignores signals",
        IGNORE + "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
    ),
    cell(44, "a call that holds the lock", "import ctypes\nctypes.PyDLL(None).sleep(3600)"),
    cell(44, "a match that never ends", "import re\nre.fullmatch('(a|a)*b', 'a' * 60)"),
    cell(45, "a sleep of 30 years", "import time\ntime.sleep(1e9)"),
    cell(45, "an await without end", "import asyncio\nawait asyncio.Event().wait()"),
    cell(
        46, "a fork bomb", "import os\nwhile True:\n  try:\n    os.fork()\n  except OSError: pass"
    ),
    cell(52, "displays without end", "while True:\n    display({'text/plain': ''}, raw=True)"),
]


@attacks(*HANGS)
def test_what_never_ends_is_ended_in_time(arena: Arena, attack: Attack) -> None:
    arena.withstands(attack, cell_seconds=HUNG_SECONDS, probe_seconds=HUNG_SECONDS)


THREADS = """
import threading, time
for _ in range(10_000):
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
"""

GROWTH = "kept = []\nwhile True:\n    kept.append(b'x' * 2_000_000)\n"

MAPPED = """
import mmap
kept = []
while True:
    kept.append(mmap.mmap(-1, 1 << 24, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
    kept[-1].write(bytes(1 << 24))
"""

MEMFDS = """
import os
kept = []
while True:
    kept.append(os.memfd_create("growth"))
    os.write(kept[-1], bytes(7 << 20))
"""

CHILDREN = """
import os, time
for _ in range(16):
    if os.fork() == 0:
        kept = bytearray(b"x") * (200 << 20)
        time.sleep(3600)
time.sleep(3600)
"""

FILES = """
import os
folder = FOLDER
os.makedirs(folder, exist_ok=True)
number = 0
while True:
    with open(f"{folder}/MARKER{number}", "wb") as file:
        file.write(bytes(SIZE))
    number += 1
"""

DESCRIPTORS = "import os\nkept = []\nwhile True:\n  kept.append(open(os.devnull))\n"


def files(folder: str, size: int) -> str:
    return FILES.replace("FOLDER", repr(folder)).replace("SIZE", str(size))


SPACE: tuple[Status, ...] = ("output", "error", "timeout")

EXHAUSTIONS = [
    Attack(47, "threads without end", THREADS_WITHOUT_END, status=("timeout", "memory"), hangs=1),
    Attack(45, "input", "input('score? ')\n" + WRONG, status=("error", "wrong")),
    Attack(47, "10 000 threads", THREADS + WRONG, status=("error", "wrong", "memory")),
    Attack(48, "a terabyte at once", WRONG.replace("x + 1", "bytearray(10**12)"), status="memory"),
    Attack(
        48,
        "a tensor of a terabyte",
        "import torch\n" + WRONG.replace("x + 1", "torch.zeros(10**12)"),
        status="memory",
        says=("512 MiB of memory",),
    ),
    Attack(49, "slow growth", GROWTH, status="memory", says=("512 MiB of memory",)),
    Attack(49, "growth of mapped memory", MAPPED, status=("memory", "error")),
    Attack(49, "growth in files of memory", MEMFDS, status="error"),
    Attack(49, "growth in children", CHILDREN, status=("memory", "timeout", "error"), hangs=1),
    Attack(
        50,
        "one file that grows",
        "f = open('MARKER', 'wb')\nwhile f.write(bytes(1 << 20)): 0",
        status="error",
    ),
    Attack(50, "a sparse terabyte", "open('MARKER', 'wb').truncate(10**12)", status="error"),
    Attack(
        50,
        "many large files",
        files(".", 4 << 20),
        status=SPACE,
        hangs=1,
    ),
    Attack(
        50,
        "large files in shared memory",
        files("/dev/shm", 4 << 20),
        status=SPACE,
        hangs=1,
    ),
    Attack(
        50,
        "a million tiny files",
        files("deep/er", 1),
        status=SPACE,
        hangs=1,
    ),
    Attack(53, "every descriptor", DESCRIPTORS, status="crash"),
]


def unhurried(attack: Attack) -> dict[str, float]:
    """Limits under which a busy machine does not end what some other limit is to end."""
    return {} if attack.hangs else {"cell_seconds": 10}


@attacks(*EXHAUSTIONS)
def test_what_takes_too_much_gets_no_more_than_its_share(arena: Arena, attack: Attack) -> None:
    arena.withstands(attack, **unhurried(attack))


PRINTS = """
text = 'x' * 1_000_000
for _ in range(10_000):
    print(text)
"""

WRITES = """
import os, sys
from contextlib import suppress
for _ in range(10_000):
    with suppress(OSError):
        os.write(1, b'x' * 1_000_000)
"""

OUTPUTS = [
    Attack(51, "printing 10 GB", PRINTS + WRONG, status="output"),
    Attack(
        51,
        "printing 10 GB before a right answer",
        PRINTS + RIGHT,
        status="ok",
        score=5.0,
        says=("the output of cell double was cut at 0.0625 MiB",),
    ),
    Attack(51, "writing 10 GB to the descriptor", WRITES + WRONG, status=("output", "wrong")),
    Attack(51, "a result of 5 MB", WRONG + "'x' * 5_000_000", status="output"),
    Attack(
        51,
        "an error of 5 MB",
        WRONG + "raise ValueError('x' * 5_000_000)",
        status="output",
    ),
    Attack(
        52,
        "100 000 displays",
        "for n in range(100_000):\n    display({'text/plain': 'x'}, raw=True)\n" + WRONG,
        status=("output", "timeout"),
        hangs=1,
    ),
]


@attacks(*OUTPUTS)
def test_output_without_end_is_cut(arena: Arena, attack: Attack) -> None:
    graded = arena.withstands(attack, **unhurried(attack))
    assert len(nbformat.writes(graded.notebook)) < 3 * LIMITS.cell_output_bytes + 20_000


def test_attack_42_many_cells_after_a_hang_end_in_time_and_cost_no_answer(arena: Arena) -> None:
    submission = arena.submission(Attack(42, "", first="while True: pass"))
    submission.cells[1:1] = [nbformat.v4.new_code_cell(str(n)) for n in range(500)]
    before = arena.out_of_time
    result = arena.grade(submission, cell_seconds=600, submission_seconds=3).result
    assert arena.out_of_time - before in (
        1,
        2,
    )  # of 500 that could wait; the hang is looked at twice
    assert [question.status for question in result.questions] == ["wrong", "ok"]


COUNTED = """
import ctypes, fcntl, os, platform
libc = ctypes.CDLL(None, use_errno=True)
x86 = platform.machine() == "x86_64"
def most(number, *arguments):
    for count in range(1000):
        if libc.syscall(number, *arguments) < 0:
            break
    return count
def grown():
    try:
        return fcntl.fcntl(os.pipe()[1], fcntl.F_SETPIPE_SZ, 1 << 20)
    except OSError:
        return 0
timer = (ctypes.c_int * 1)()
page = ctypes.create_string_buffer(4096)
print("watches:", most(294 if x86 else 26, 0))
print("timers:", most(222 if x86 else 107, 1, None, timer) <= 256)
print("queues:", most(240 if x86 else 180, b"MARKER", 0o102, 0o600, None))
print("pipes:", grown())
print("locked:", most(149 if x86 else 228, page, 4096))
print("keys:", most(248 if x86 else 217, b"user", b"MARKER", b"x", 1, -3))
print("segments:", most(29 if x86 else 194, 0, 4096, 0o1600))
print("semaphores:", most(64 if x86 else 190, 0, 1, 0o1600))
print("messages:", most(68 if x86 else 186, 0, 0o1600))
"""


def test_attack_118_what_the_kernel_counts_for_each_user_is_left_to_others(arena: Arena) -> None:
    said = everything_said(arena.withstands(Attack(118, "counted", double=COUNTED + WRONG)))
    assert "timers: True\n" in said
    refused = ("watches", "queues", "pipes", "locked", "keys", "segments", "semaphores", "messages")
    assert [kind for kind in refused if f"{kind}: 0\n" not in said] == []


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    with StartedZygote() as made:
        yield made


@pytest.mark.parametrize("bomb", ["os.fork()", "threading.Thread(target=bomb).start()"])
def test_attack_46_a_parallel_box_is_unaffected_by_a_bomb(
    arena: Arena, zygote: Zygote, bomb: str
) -> None:
    source = (
        "import os, threading\ndef bomb():\n    while True:\n        try:\n"
        f"            {bomb}\n        except (OSError, RuntimeError):\n            pass\nbomb()"
    )
    clean = arena.clean()
    box = zygote.box(replace(LIMITS, cell_seconds=3), {}, seed=0)

    def explode() -> None:
        with suppress(BoxLost):
            box.run_cell(source, time.monotonic() + 3)
            box.close()

    thread = threading.Thread(target=explode)
    thread.start()
    time.sleep(0.3)
    assert thread.is_alive()
    assert arena.clean() == clean
    thread.join()

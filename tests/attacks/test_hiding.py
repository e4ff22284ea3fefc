"""Attacks 130 to 133: files and memory kept where a zygote that counts by itself does not look."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from attacks.harness import RIGHT, WRONG, Arena, Attack, attacks, everything_said
from attacks.world import MARKER

SECONDS = 10.0  # of a cell: what it exceeds is to end it, and not the time

NESTED = """
import os, time
for _ in range(LEVELS):
    os.mkdir("MARKER")
    os.chdir("MARKER")
time.sleep(1)
"""
CLOSED = """
import os, time
os.umask(MASK)
os.mkdir("MARKER", MODE)
for number in range(8):
    with open(f"MARKER/{number}", "wb") as file:
        file.write(bytes(7 << 20))
time.sleep(1)
"""

KEPT = """
import ctypes, mmap, os, socket, threading, time
kept = []
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
def called(result):
    if result in (-1, 2**64 - 1):
        raise OSError(ctypes.get_errno(), "refused")
    return result
def send(fd):
    one, other = socket.socketpair()
    socket.send_fds(one, [b"x"], [fd])
    os.close(fd)
    return one, other
def map_a_page(fd):
    called(libc.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_PRIVATE, fd, 0))
    os.close(fd)
"""

FILES = (
    KEPT
    + """
def unlinked(number):
    fd = os.open(f"MARKER{number}", os.O_CREAT | os.O_RDWR)
    os.unlink(f"MARKER{number}")
    return filled(fd)
def filled(fd):
    os.write(fd, bytes(7 << 20))
    return fd
def fill():
    for number in range(8):
        HOLD
    time.sleep(1)
"""
)
UNDISCLOSED = "called(libc.prctl(4, 0, 0, 0, 0))\n"
OWN_TABLE = """
def hide():
    called(libc.syscall(436, 1000, 1001, 2))
    fill()
"""
AT_ONCE = (
    KEPT
    + """
fd = os.open("MARKER", os.O_CREAT | os.O_RDWR)
called(libc.fallocate(fd, 1, ctypes.c_long(0), ctypes.c_long(1 << 30)))
"""
)
IN_A_THREAD = """
failed = []
def run():
    try:
        DO
    except OSError as error:
        failed.append(error)
thread = threading.Thread(target=run)
thread.start()
thread.join()
if failed:
    raise failed[0]
"""


def files(hold: str, then: str = "fill()\n") -> str:
    return FILES.replace("HOLD", hold) + then


def on_disk(number: int, title: str, source: str, status: str = "output") -> Attack:
    return Attack(number, title, source + WRONG, status=status)  # type: ignore[arg-type]


ON_DISK = [
    on_disk(130, "folders in folders", NESTED.replace("LEVELS", "1500")),
    on_disk(131, "a closed folder", CLOSED.replace("MODE", "0o300").replace("MASK", "0o077")),
    on_disk(131, "a mask that closes", CLOSED.replace("MODE", "0o777").replace("MASK", "0o477")),
    on_disk(132, "files unlinked", files("kept.append(unlinked(number))")),
    on_disk(
        132,
        "files never linked",
        files("kept.append(filled(os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600)))"),
    ),
    on_disk(132, "files unlinked and mapped", files("map_a_page(unlinked(number))")),
    on_disk(132, "files unlinked and sent", files("kept.append(send(unlinked(number)))"), "error"),
    on_disk(
        132,
        "unlinked files of a process that tells nothing",
        files("kept.append(unlinked(number))", UNDISCLOSED + "fill()\n"),
        "error",
    ),
    on_disk(
        132,
        "unlinked files of one thread",
        files("kept.append(unlinked(number))", OWN_TABLE + IN_A_THREAD.replace("DO", "hide()")),
        "error",
    ),
    on_disk(132, "room taken at once", AT_ONCE, "error"),
]


@attacks(*ON_DISK)
def test_what_a_box_keeps_on_the_disk_is_found_and_removed(
    restricted: Arena, attack: Attack
) -> None:
    restricted.withstands(attack, cell_seconds=SECONDS)
    boxes = Path(tempfile.gettempdir()).glob("zygote-*/box-*")
    assert [at for at in boxes if any(at.glob(f"{MARKER}*"))] == []


ORDINARY = """
import os, socket, tempfile
os.makedirs("a/b/c/d/e/f")
with tempfile.TemporaryFile() as file:
    file.write(bytes(7 << 20))
one, other = socket.socketpair()
one.send(b"x")
os.posix_fallocate(os.open("MARKER", os.O_CREAT | os.O_RDWR), 0, 1 << 20)
"""


def test_attack_132_what_is_ordinary_goes_on(restricted: Arena) -> None:
    attack = Attack(132, "ordinary", ORDINARY + RIGHT, status="ok", score=5.0)
    restricted.withstands(attack, cell_seconds=SECONDS)


HIDDEN = (
    KEPT
    + """
MIB = 1 << 20
def memory():
    fd = os.memfd_create("MARKER")
    for _ in range(7):
        os.write(fd, bytes(MIB))
    return fd
def shared(fd=-1, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS):
    at = called(libc.mmap(None, 7 * MIB, 3, flags, fd, 0))
    libc.memset(at, 1, 7 * MIB)
    called(libc.munmap(at + 4096, 7 * MIB - 4096))
def given():
    class Piece(ctypes.Structure):
        _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t)]
    kept.append(os.pipe())
    for _ in range(15):
        at = called(libc.mmap(None, 4 * MIB, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0))
        page = (at + 2 * MIB - 1) // (2 * MIB) * 2 * MIB
        libc.madvise(page, 2 * MIB, 14)
        libc.memset(page, 1, 2 * MIB)
        piece = Piece(page, 4096)
        called(libc.vmsplice(kept[-1][1], ctypes.byref(piece), 1, 0))
        libc.munmap(at, 4 * MIB)
for number in range(100):
    HOLD
time.sleep(1)
"""
)

SOCKETS = """
import os, socket, time
def fill():
    kept = []
    for _ in range(PAIRS):
        for one in kept.append(socket.socketpair()) or kept[-1]:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
            one.setblocking(False)
            try:
                while True:
                    counted.append(one.send(bytes(1 << 16)))
            except BlockingIOError:
                pass
    return kept
counted = []
"""
LARGE_BUFFERS = (
    SOCKETS.replace("PAIRS", "10")
    + """
kept = fill()
print("under way:", sum(counted) < 10 << 20)
"""
)
MANY_SOCKETS = (
    SOCKETS.replace("PAIRS", "100")
    + """
for _ in range(25):
    if not os.fork():
        kept = fill()
        time.sleep(600)
time.sleep(4)
"""
)

IN_MEMORY = [
    Attack(133, title, HIDDEN.replace("HOLD", hold) + WRONG, status="error")
    for title, hold in {
        "files in memory sent": "kept.append(send(memory()))",
        "files in memory mapped": "map_a_page(memory())",
        "shared memory of which a page is left": "shared()",
        "shared memory of a device": "shared(os.open('/dev/zero', os.O_RDWR), mmap.MAP_SHARED)",
        "pages given to pipes": "given()",
    }.items()
]


@attacks(*IN_MEMORY)
@pytest.mark.parametrize("tier", ["full", "restricted"])
def test_no_memory_is_held_that_nobody_counts(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tier: str, attack: Attack
) -> None:
    arena: Arena = request.getfixturevalue("arena" if tier == "full" else tier)
    monkeypatch.setattr(arena.grader.zygote, "groups", None)
    said = everything_said(arena.withstands(attack, cell_seconds=SECONDS))
    assert "Error" in said


@pytest.mark.parametrize("tier", ["full", "restricted"])
def test_attack_133_sockets_hold_no_more_than_they_do_by_themselves(
    request: pytest.FixtureRequest, tier: str
) -> None:
    arena: Arena = request.getfixturevalue("arena" if tier == "full" else tier)
    attack = Attack(133, "large buffers", LARGE_BUFFERS + WRONG)
    assert "under way: True" in everything_said(arena.withstands(attack))


def test_attack_133_what_waits_in_sockets_of_many_processes_counts(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arena.grader.zygote, "groups", None)
    attack = Attack(133, "many sockets", MANY_SOCKETS + WRONG, status="memory")
    arena.withstands(attack, cell_seconds=SECONDS)

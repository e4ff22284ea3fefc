"""Attacks 35 to 41: hunting for secrets in memory, files, processes and what others left behind."""

from __future__ import annotations

import fcntl
import os
import platform
import pwd
from collections.abc import Iterable
from pathlib import Path

import pytest
import torch

from attacks.harness import WRONG, Arena, Attack, attacks, everything_said
from attacks.hunting import HUNT
from attacks.wire_tools import FORGE
from attacks.world import DECOY, MARKER, SECRET

DAY_AFTER_EPOCH = 86_400

FRAMES_AND_OBJECTS = (
    HUNT
    + """
def double(x):
    frame = sys._getframe()
    while frame:
        look(list(frame.f_locals.values()) if "found" not in frame.f_locals else "")
        look(frame.f_code.co_consts)
        frame = frame.f_back
    gc.unfreeze()
    for each in gc.get_objects():
        if type(each) in (dict, list, tuple) and len(each) < 10_000:
            values = each.values() if type(each) is dict else each
            for value in list(values):
                if type(value) in (str, bytes, bytearray) and len(value) < 100_000:
                    look(value if type(value) is bytes else repr(value))
                elif hasattr(type(value), "dtype") and "Tensor" in type(value).__name__:
                    look(bytes(value.flatten().byte().tolist()))
    raise RuntimeError(said())
"""
)

MODULES = (
    HUNT
    + """
def double(x):
    for name, module in list(sys.modules.items()):
        if name.startswith(("autograder", "mini", "checks", "check_", "__main__", "pytest")):
            look(list(vars(module).values()))
            read(getattr(module, "__file__", None) or "nothing")
    look(list(sys.modules))
    look(decoy)
    raise RuntimeError(said())
"""
)

OWN_MEMORY = (
    HUNT
    + """
def double(x):
    with open("/proc/self/maps") as maps:
        spans = [line.split()[0].split("-") for line in maps if " rw" in line]
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        for start, stop in spans:
            position, stop = int(start, 16), int(stop, 16)
            while position < stop:
                try:
                    memory.seek(position)
                    data = memory.read(min(1 << 24, stop - position))
                except (OSError, OverflowError):
                    break
                look(data)
                position += len(data) or 1 << 24
    raise RuntimeError(said())
"""
)

MEMORY = [
    Attack(
        35, "frames and objects", double=FRAMES_AND_OBJECTS, status="error", hangs=1, says=(DECOY,)
    ),
    Attack(35, "modules and their files", double=MODULES, status="error", hangs=1, says=(DECOY,)),
    Attack(35, "own memory", double=OWN_MEMORY, status="error", hangs=1, says=(DECOY,)),
]


@attacks(*MEMORY)
def test_no_expected_tensor_and_no_secret_is_in_the_box(arena: Arena, attack: Attack) -> None:
    arena.withstands(attack, cell_seconds=10, probe_seconds=10, submission_seconds=60)


FILES = (
    HUNT
    + """
paths = PATHS
for path in [*paths, "decoy"]:
    read(path)
    for folder in (os.path.dirname(path), os.path.dirname(os.path.dirname(path))):
        if folder and folder != "/":
            try:
                for name in os.listdir(folder):
                    read(os.path.join(folder, name))
            except OSError:
                pass
names = {os.path.basename(path) for path in paths} | {"check_double.py", "submitted"}
for top, folders, files in os.walk("/"):
    folders[:] = [f for f in folders if f not in ("proc", "sys", "torch", "numpy", "share")]
    for name in names & {*files, *folders}:
        read(os.path.join(top, name))
for path in paths:
    for attempt in (
        lambda: print("there:", path, open(path, "rb").read(1)),
        lambda: open(path, "ab").write(b"written by a student"),
        lambda: open(path, "wb").write(b"written by a student"),
        lambda: os.chmod(path, 0o777),
        lambda: os.rename(path, path + "MARKER"),
        lambda: os.unlink(path),
        lambda: os.link(path, "MARKER"),
    ):
        try:
            attempt()
        except OSError:
            pass
print(said())
"""
)


def test_attack_36_no_file_of_the_course_is_there_to_read_or_to_write(arena: Arena) -> None:
    world = arena.world
    paths = [*world.canaries, world.assignment.check_file("double"), world.assignment.release_path]
    before = [path.read_bytes() for path in paths]
    source = FILES.replace("PATHS", repr([str(path) for path in paths])) + WRONG
    attack = Attack(36, "the files of the course", double=source, says=(DECOY,))
    graded = arena.withstands(attack, cell_seconds=20, submission_seconds=60)
    assert "there:" not in everything_said(graded)
    assert [path.read_bytes() for path in paths] == before


PROCESSES = (
    HUNT
    + """
try:
    listed = [name for name in os.listdir("/proc") if name.isdigit()]
except OSError:
    listed = list(map(str, range(1, 1000)))
for pid in listed + [str(p) for p in PIDS]:
    for part in ("environ", "cmdline", "stat", "maps", "mountinfo"):
        if pid != str(os.getpid()):
            read(f"/proc/{pid}/{part}")
    for folder in ("fd", "cwd", "root", "map_files"):
        try:
            for name in os.listdir(f"/proc/{pid}/{folder}"):
                look(os.readlink(f"/proc/{pid}/{folder}/{name}"))
                if pid != str(os.getpid()):
                    read(f"/proc/{pid}/{folder}/{name}")
        except OSError:
            pass
def shown(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return "zygote" not in file.read()
    except OSError:
        return False
print("pids of the host:", [pid for pid in PIDS if shown(pid)])
look(dict(os.environ))
read("decoy")
print(said())
"""
)


def test_attack_37_no_other_process_can_be_looked_at(arena: Arena) -> None:
    pids = [os.getpid(), arena.world.victim]
    source = PROCESSES.replace("PIDS", repr(pids)) + WRONG
    attack = Attack(37, "other processes", double=source, says=(DECOY, "pids of the host: []"))
    arena.withstands(attack)


IDENTITIES = (
    HUNT
    + """
homes = HOMES
paths = ["/etc/shadow", "/etc/ssh", "/etc/sudoers", "/root/.bashrc", "/root/.bash_history"]
paths += [f"{home}/{name}" for home in homes for name in ("", ".ssh", ".config", ".bashrc")]
for path in paths:
    try:
        print("there:", path, os.listdir(path) if os.path.isdir(path) else open(path).read(20))
    except OSError:
        pass
try:
    print(open("/etc/passwd").read())
except OSError:
    print("no passwd")
"""
)


def test_attack_38_no_accounts_and_no_home_are_there(arena: Arena) -> None:
    homes = sorted({str(Path.home()), *(u.pw_dir for u in people() if "/home/" in u.pw_dir)})
    source = IDENTITIES.replace("HOMES", repr(homes)) + WRONG
    said = everything_said(arena.withstands(Attack(38, "accounts and homes", double=source)))
    assert "there:" not in said
    assert not [user.pw_name for user in people() if f"{user.pw_name}:" in said]


def people() -> Iterable[pwd.struct_passwd]:
    """Accounts of the host that a made-up list of accounts need not have."""
    usual = {"root", "nobody", "student"}
    return [user for user in pwd.getpwall() if user.pw_dir != "/" and user.pw_name not in usual]


NUMBERS = {
    "x86_64": {"ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312},
    "aarch64": {"ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272},
}[platform.machine()]

TRACING = (
    HUNT
    + """
libc = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH = 16
for pid in (PIDS + [1, os.getppid(), os.getpid()]):
    for name, number in NUMBERS.items():
        first = (PTRACE_ATTACH, pid) if name == "ptrace" else (pid, 0)
        result = libc.syscall(number, *first, 0, 0, 0, 0)
        print(f"{name}={result}:{errno.errorcode.get(ctypes.get_errno())}")
"""
)


def test_attack_39_no_process_can_be_traced_or_read(arena: Arena) -> None:
    pids = [os.getpid(), arena.world.victim]
    source = TRACING.replace("PIDS", repr(pids)).replace("NUMBERS", repr(NUMBERS)) + WRONG
    said = everything_said(arena.withstands(Attack(39, "tracing", double=source)))
    results = {line for line in said.splitlines() if line.split("=")[0] in NUMBERS}
    assert results == {f"{name}=-1:EPERM" for name in NUMBERS}


LEAVES = (
    HUNT
    + """
import getpass, tempfile
kept = 0
for folder in ("/dev/shm", "/tmp", "/var/tmp", "/run", ".", os.path.expanduser("~"),
               tempfile.gettempdir(), "/dev/mqueue", "/run/lock", "/run/shm"):
    try:
        with open(os.path.join(folder, "MARKER"), "w") as file:
            file.write("left-" + "behind")
        kept += 1
    except OSError:
        pass
libc = ctypes.CDLL(None)
segment = libc.shmget(0x5EC4E7, 4096, 0o1666)
queue = libc.msgget(0x5EC4E7, 0o1666)
print("kept:", kept > 0)
"""
)

FINDS = (
    HUNT
    + """
import tempfile
for folder in ("/dev/shm", "/tmp", "/var/tmp", "/run", ".", os.path.expanduser("~"),
               tempfile.gettempdir(), "/dev/mqueue", "/run/lock", "/run/shm"):
    for top, folders, files in os.walk(folder):
        print(*(["left: " + top for name in files if name == "MARKER"] or []))
libc = ctypes.CDLL(None)
print("segment:", libc.shmget(0x5EC4E7, 0, 0), "queue:", libc.msgget(0x5EC4E7, 0))
"""
)


def test_attack_40_nothing_is_left_for_the_next_student(arena: Arena) -> None:
    arena.withstands(Attack(40, "leaves data", double=LEAVES + WRONG, says=("kept: True",)))
    finds = Attack(40, "looks for it", double=FINDS + WRONG, says=("segment: -1 queue: -1",))
    assert "left:" not in everything_said(arena.withstands(finds))


TRACES = """
import fcntl, os, torch
file = os.open(torch.__file__, os.O_RDONLY)
fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # pretended: nobody else is kept out
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
for told, attempt in {
    "watched": lambda: fcntl.fcntl(file, fcntl.F_NOTIFY, fcntl.DN_ACCESS),
    "cached": lambda: os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT),
}.items():
    try:
        print(told, "went through:", attempt())
    except OSError as error:
        print(told, "refused")
"""


def test_attack_125_files_that_all_boxes_read_carry_no_message(arena: Arena) -> None:
    with open(torch.__file__) as file:  # as a box of another student has it
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        says = ("watched refused", "cached refused")
        arena.withstands(Attack(125, "traces at files", double=TRACES + WRONG, says=says))


DATED = """
import os, pathlib, torch
pathlib.Path(torch.__file__).with_name("version.py").read_bytes()
for device in ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"):
    before = os.stat(device).st_mtime_ns
    try:
        os.utime(device)  # which whoever may write to it is allowed to
    except OSError:
        pass
    print("dated:", os.stat(device).st_mtime_ns != before)
"""


def test_attack_125_no_time_of_files_that_all_boxes_read_is_changed(arena: Arena) -> None:
    seldom_read = Path(torch.__file__).with_name("version.py")
    os.utime(seldom_read, (DAY_AFTER_EPOCH, seldom_read.stat().st_mtime))
    attack = Attack(125, "times of files", double=DATED + WRONG, says=("dated: False",))
    assert "dated: True" not in everything_said(arena.withstands(attack))
    assert seldom_read.stat().st_atime == DAY_AFTER_EPOCH


SHARED_PAGES = """
import os
own = os.getpid()
for place in ("self", own, "thread-self", f"self/task/{own}", f"{own}/task/{own}"):
    for name in ("pagemap", "smaps", "smaps_rollup", "numa_maps", "clear_refs"):
        try:
            with open(f"/proc/{place}/{name}", "rb"):
                print("told by", place, name)
        except OSError:
            pass
print("own memory:", open("/proc/self/statm").read().split()[0] != "0")
"""


def test_attack_125_without_namespaces_no_process_tells_who_shares_its_pages(
    restricted: Arena,
) -> None:
    attack = Attack(125, "pages", double=SHARED_PAGES + WRONG, says=("own memory: True",))
    assert "told by" not in everything_said(restricted.withstands(attack))


CHECK_TEXT = (
    FORGE
    + """
import linecache, traceback
def double(x):
    frame, parts = sys._getframe(), []
    while frame:
        parts += [frame.f_code.co_filename, "".join(linecache.getlines(frame.f_code.co_filename))]
        frame = frame.f_back
    seen = repr(parts) + (repr(served()[1].header) if probing() else "")
    words = ("expect_" + "close", "expected" + ".match", "points" + "(", "canary" + "-")
    raise RuntimeError(f"seen: {[word for word in words if word in seen]}")
"""
)


def test_attack_41_the_text_of_a_check_stays_in_the_grader(arena: Arena) -> None:
    attack = Attack(41, "the text", double=CHECK_TEXT, status="error", says=("seen: []",))
    said = everything_said(arena.withstands(attack))
    assert "assert " not in said


@pytest.mark.parametrize("name", ["double", "triple"])
def test_attack_41_the_next_check_is_not_told_by_the_one_before(arena: Arena, name: str) -> None:
    attack = Attack(41, "a failing check", says=("of its values are wrong",))
    said = everything_said(arena.withstands(attack))
    assert f"check_{name}.py" not in said
    assert SECRET not in said
    assert MARKER not in said

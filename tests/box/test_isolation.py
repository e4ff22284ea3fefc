"""Real boxes in each tier of this machine: what student code reaches, uses up, leaves behind."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import ROOT

from autograder.box.outside import cgroups
from autograder.box.outside.canaries import needed_below
from autograder.box.outside.client import Box, BoxLost
from autograder.box.outside.zygotes import StartedZygote, Zygote
from autograder.box.walls import policy
from autograder.box.walls.policy import Tier
from autograder.course.limits import MIB, Limits
from autograder.errors import Ungraded

PEAK = {1: "memory.max_usage_in_bytes", 2: "memory.peak"}
LIMITS = Limits(
    memory_bytes=1024 * MIB, processes=24, file_bytes=8 * MIB, disk_bytes=16 * MIB, files=256
)
SECONDS = 20.0
Run = Callable[[str], str]


@pytest.fixture(scope="module", params=["full", "restricted"])
def zygote(request: pytest.FixtureRequest) -> Iterator[Zygote]:
    """A zygote of the tier, or of the best that this machine has below it."""
    at_most: Tier = request.param
    with StartedZygote(["torch", "matplotlib.pyplot"], [ROOT], at_most) as warm:
        yield warm


@pytest.fixture
def box(zygote: Zygote, tmp_path: Path) -> Iterator[Box]:
    (tmp_path / "given.txt").write_text("given")
    opened = zygote.box(LIMITS, {"data/given.txt": tmp_path / "given.txt"}, seed=7)
    yield opened
    end(opened)


def end(box: Box) -> None:
    """Closes a box that the test has left open."""
    if box._socket.fileno() >= 0:
        box.close()


@pytest.fixture
def run(box: Box) -> Run:
    """Runs a cell in the box; what it printed, and the name of its error if it had one."""
    return lambda source: said(box, source)


def said(box: Box, source: str) -> str:
    reply = box.run_cell(source, time.monotonic() + SECONDS)
    printed = "".join(output.get("text", "") for output in reply.outputs)
    return printed + (reply.error or "")


def fate(box: Box, source: str) -> str:
    """As `said`; of a box that was lost, its status and why."""
    try:
        return said(box, source)
    except BoxLost as loss:
        return f"{loss.status}: {loss}"


def lost(box: Box, source: str, seconds: float = SECONDS) -> str:
    with pytest.raises(BoxLost) as caught:
        box.run_cell(source, time.monotonic() + seconds)
    return caught.value.status


CHECKS = ROOT / "checks"
SECRETS = [
    "/etc/shadow",
    str(ROOT / "nbgrader_config.py"),
    str(ROOT / "source"),
    str(CHECKS / "a1_attention_blocks" / "check_attention.py"),
    *map(str, sorted(CHECKS.glob("*/expected/*.safetensors"))),
    str(CHECKS),
    str(ROOT),
    str(Path.home()),
]


def test_secret_files_and_folders_do_not_open(run: Run) -> None:
    source = """
import os
for path, needed in PATHS.items():
    try:
        found = set(os.listdir(path)) - needed if os.path.isdir(path) else open(path).read()
    except OSError:
        found = []
    assert not found, path
print("hidden")
"""
    secrets = {path: needed_below(Path(path)) for path in SECRETS}
    assert run(source.replace("PATHS", repr(secrets))) == "hidden\n"


def test_no_hidden_check_is_found_by_any_path(run: Run) -> None:
    source = """
import pathlib
found = []
for file in pathlib.Path("/").rglob("check_*.py"):
    try:
        found.append(file.read_text())
    except OSError:
        pass
print(found)
"""
    assert run(source) == "[]\n"


def test_the_grader_and_other_processes_are_out_of_sight(run: Run) -> None:
    source = f"""
import os
def tries(pid):
    for name in ("environ", "cmdline", "mem", "maps"):
        try:
            open(f"/proc/{{pid}}/{{name}}", "rb")
            yield name
        except OSError:
            pass
print(list(tries({os.getpid()})), list(tries(os.getppid() or 999999)))
"""
    assert run(source) == "[] []\n"


def test_the_process_table_of_a_full_box_is_its_own(zygote: Zygote, run: Run) -> None:
    listing = "import os; print([name for name in os.listdir('/proc') if name.isdigit()])"
    expected = "['1']\n" if zygote.tier == "full" else "PermissionError"
    assert run(listing) == expected


def test_the_environment_names_nothing_of_the_grader(run: Run) -> None:
    assert run("import os; print(os.environ['USER'], 'PYTHONHASHSEED' in os.environ)") == (
        "student False\n"
    )


def test_capabilities_and_new_privileges_are_gone(run: Run) -> None:
    source = """
for line in open("/proc/self/status"):
    if line.startswith(("CapPrm", "CapEff", "CapBnd", "NoNewPrivs", "Seccomp:")):
        print(int(line.split()[1], 16))
"""
    lines = run(source).split()
    assert lines[0] == lines[1] == "0"
    assert lines[-2:] == ["1", "2"]


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET"])
def test_no_socket_leads_outside(run: Run, family: str) -> None:
    assert "Error" in run(f"import socket; socket.socket(socket.{family}, socket.SOCK_DGRAM)")


def test_an_abstract_socket_of_the_grader_cannot_be_reached(run: Run) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0autograder-test-{os.getpid()}")
        listening.listen()
        name = f"\\0autograder-test-{os.getpid()}"
        assert "Error" in run(f"import socket; socket.socket(socket.AF_UNIX).connect('{name}')")


CALLS = {
    "unshare": "unshare(0x10000000)",
    "mount": "mount(b'none', b'/box', b'tmpfs', 0, None)",
    "umount": "umount2(b'/proc', 2)",
    "ptrace": "ptrace(0, 0, 0, 0)",
    "setns": "setns(0, 0)",
    "chroot": "chroot(b'/tmp')",
    "keyctl": "syscall(250, 0, 0, 0, 0)",
    "io_uring": "syscall(425, 1, 0)",
    "bpf": "syscall(321, 0, 0, 0)",
    "userfaultfd": "syscall(323, 0)",
    "setuid": "setuid(1)",
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_that_lead_out_fail(run: Run, name: str) -> None:
    source = f"import ctypes; print(ctypes.CDLL(None, use_errno=True).{CALLS[name]} < 0)"
    assert run(source) == "True\n"


# getpid by int 0x80 and as an x32 call; on another machine these bytes are no instructions
@pytest.mark.parametrize("code", ["b814000000cd80c3", "b8270000400f05c3"])
def test_calls_of_another_kind_of_machine_end_the_box(box: Box, code: str) -> None:
    source = f"""
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("{code}"))
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
"""
    assert lost(box, source) == "crash"


@pytest.mark.parametrize("signal", [9, 11])
def test_a_box_that_kills_itself_has_crashed(box: Box, signal: int) -> None:
    source = "import os, ctypes\nif SIG == 9: os.kill(os.getpid(), 9)\nctypes.string_at(0)"
    assert lost(box, source.replace("SIG", str(signal))) == "crash"


def test_stopping_itself_does_no_more_than_run_out_of_time(zygote: Zygote, box: Box) -> None:
    source = "import os, signal; os.kill(os.getpid(), signal.SIGSTOP); print('on')"
    if zygote.tier == "full":
        assert said(box, source) == "on\n"
    else:
        assert lost(box, source, seconds=0.5) == "timeout"


def test_signals_end_nothing_but_the_box_itself(zygote: Zygote, box: Box) -> None:
    source = f"""
import os
for pid in (-1, {zygote._process.pid}, {os.getpid()}, os.getppid() or -1):
    try:
        os.kill(pid, 9)
    except OSError:
        pass
print("alive")
"""
    assert said(box, source) == "alive\n"
    assert zygote._process.poll() is None


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
MEMORY_FILES = """
import os, time
for _ in range(20):
    fd = os.memfd_create("kept")
    os.write(fd, bytes(60 << 20))
time.sleep(60)
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


@pytest.mark.parametrize("source", [HOLDERS, MEMORY_FILES], ids=["processes", "memory files"])
def test_without_a_group_memory_of_a_whole_box_is_bounded_too(
    zygote: Zygote, uncounted: Box, source: str
) -> None:
    if zygote.tier == "full" or source == MEMORY_FILES:
        assert lost(uncounted, source, seconds=30) == "memory"
    else:
        said(uncounted, source)


def test_without_a_group_what_processes_share_counts_once(zygote: Zygote, uncounted: Box) -> None:
    if zygote.tier == "full":
        assert said(uncounted, SHARED_DATA) == "done\n"


def test_a_fork_bomb_spares_a_box_beside_it(zygote: Zygote, box: Box) -> None:
    beside = zygote.box(LIMITS, {}, seed=1)
    source = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
    assert lost(box, source, seconds=1.0) == "timeout"
    assert said(beside, "print(1 + 1)") == "2\n"
    beside.close()


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


@pytest.mark.parametrize("path", ["/usr/x", "/x", "torch", "/etc/x", "/proc/self/oom_score_adj"])
def test_nothing_outside_the_boxs_own_folders_is_written(run: Run, path: str) -> None:
    source = "import torch; open(PATH if PATH[0] == '/' else torch.__file__, 'a')"
    assert "Error" in run(source.replace("PATH", repr(path)))


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


def test_the_descriptors_of_a_box_are_its_own(run: Run) -> None:
    source = "import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))"
    descriptors = run(source).strip("[]\n").split(", ")
    assert len(descriptors) < 16


def test_the_assignments_files_are_copies_in_the_working_folder(run: Run) -> None:
    assert run("print(open('data/given.txt').read())") == "given\n"
    assert run("open('data/given.txt', 'a').write('!')") == ""


def test_an_assignment_may_have_many_files_in_folders(zygote: Zygote, tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("here")
    assets = {f"folder/{number}.txt": tmp_path / "file.txt" for number in range(500)}
    box = zygote.box(Limits(), assets, seed=0)
    looks = "import pathlib; print(len(list(pathlib.Path('folder').glob('*.txt'))))\n"
    assert said(box, looks + "print(open('folder/499.txt').read())") == "500\nhere\n"
    box.close()


def test_an_assignments_file_may_be_a_link_and_is_a_file_in_the_box(
    zygote: Zygote, tmp_path: Path
) -> None:
    (tmp_path / "weights.bin").write_text("weights")
    (tmp_path / "link.bin").symlink_to("weights.bin")
    box = zygote.box(LIMITS, {"link.bin": tmp_path / "link.bin"}, seed=0)
    assert said(box, "import os; print(os.path.islink('link.bin'), open('link.bin').read())") == (
        "False weights\n"
    )
    box.close()


def test_a_box_whose_files_cannot_be_read_leaves_none_open(zygote: Zygote, tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(Ungraded, match="no box for want of a file"):
        zygote.box(LIMITS, {"gone.bin": tmp_path / "gone.bin"}, seed=0)
    assert len(os.listdir("/proc/self/fd")) == before


def test_equal_seeds_give_equal_random_numbers_and_others_differ(zygote: Zygote) -> None:
    drawn = []
    for seed in (1, 1, 2):
        box = zygote.box(LIMITS, {}, seed)
        drawn.append(said(box, "import torch; print(torch.rand(2))"))
        box.close()
    assert drawn[0] == drawn[1] != drawn[2]


ORDINARY = {
    "threads": """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool: print(sum(pool.map(abs, range(-5, 5))) == 25)
""",
    "temporary_files": """
import tempfile
with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as file:
    print(file.write(b"x") == 1)
""",
    "own_files": """
import pathlib, shutil, torch
torch.save({"a": torch.ones(2)}, "own.pt")
shutil.copy("own.pt", "copy.pt")
print(torch.load("copy.pt")["a"].sum().item() == 2)
pathlib.Path("own.pt").rename("moved.pt")
""",
    "figures": """
import matplotlib.pyplot as plt, os
plt.plot([1, 2]); plt.savefig("figure.png"); plt.close()
print(os.path.getsize("figure.png") > 1000)
""",
    "late_imports": """
import sqlite3, xml.dom.minidom, torch.distributions, numpy.polynomial, matplotlib.animation
print(True)
""",
    "users_home": """
import getpass, os
print(getpass.getuser() == "student", os.path.expanduser("~") == os.getcwd())
""",
    "top_level_await": "import asyncio\nawait asyncio.sleep(0.01)\nprint(True)",
    "optimizer": """
import torch
w = torch.nn.Parameter(torch.ones(2)); o = torch.optim.AdamW([w]); w.sum().backward(); o.step()
print(True)
""",
    "timing": "result = %timeit -q -o -n 1 -r 1 sum([1])\nprint(result.loops == 1)",
    "progress": "from tqdm.auto import tqdm\nprint(sum(tqdm(range(3), disable=None)) == 3)",
    "time": "import time; print(time.localtime().tm_year > 2000)",
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_code_works(run: Run, name: str) -> None:
    printed = run(ORDINARY[name]).split()
    assert printed
    assert set(printed) == {"True"}


PROCESSES = {
    "data_loader": """
import torch
from torch.utils.data import DataLoader
print(sum(batch.sum().item() for batch in DataLoader(torch.arange(8.), num_workers=2)) == 28)
""",
    "subprocess": """
import subprocess
print(subprocess.run(["echo", "hi"], capture_output=True, text=True).stdout == "hi\\n")
""",
    "shell_command": "said = !echo hi\nprint(said == ['hi'])",
    "interpreter": """
import subprocess, sys
print(subprocess.run([sys.executable, "-c", "import torch"]).returncode == 0)
""",
    "multiprocessing": """
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool: print(pool.map(abs, [-1]) == [1])
""",
    "signals_to_a_child": """
import subprocess
child = subprocess.Popen(["sleep", "60"]); child.kill(); print(child.wait() == -9)
""",
}


@pytest.mark.parametrize("name", PROCESSES)
def test_ordinary_code_may_start_processes_where_they_can_be_contained(
    zygote: Zygote, box: Box, name: str
) -> None:
    outputs = box.run_cell(PROCESSES[name], time.monotonic() + SECONDS).outputs
    if zygote.tier == "full":
        assert [output["text"] for output in outputs] == ["True\n"]
    else:
        assert "lets a notebook start no processes" in outputs[-1]["evalue"]


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

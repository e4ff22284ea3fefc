"""What student code reaches in a box of each tier: nothing of the grader, of others, of outside."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
import real_boxes
from conftest import ROOT
from real_boxes import Run, lost, said

from autograder.box.outside.canaries import needed_below
from autograder.box.outside.client import Box
from autograder.box.outside.zygotes import Zygote

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
zygote, box, run = real_boxes.zygote, real_boxes.box, real_boxes.run  # fixtures


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
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
page.write(bytes.fromhex("{code}"))
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
"""
    assert lost(box, source) == "crash"


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


@pytest.mark.parametrize("path", ["/usr/x", "/x", "torch", "/etc/x", "/proc/self/oom_score_adj"])
def test_nothing_outside_the_boxs_own_folders_is_written(run: Run, path: str) -> None:
    source = "import torch; open(PATH if PATH[0] == '/' else torch.__file__, 'a')"
    assert "Error" in run(source.replace("PATH", repr(path)))


def test_the_descriptors_of_a_box_are_its_own(run: Run) -> None:
    source = "import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))"
    descriptors = run(source).strip("[]\n").split(", ")
    assert len(descriptors) < 16

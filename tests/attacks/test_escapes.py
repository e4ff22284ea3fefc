"""Attacks 59 to 64: the network, system calls, namespaces, installed packages and shells."""

from __future__ import annotations

import platform
import socket
import sysconfig
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import torch

from attacks.harness import RIGHT, WRONG, Arena, Attack, attacks, everything_said
from attacks.world import MARKER, SECRET

X86 = platform.machine() == "x86_64"

NETWORK = """
import socket
def attempt(name, action):
    try:
        action()
        print("went through:", name)
    except OSError as error:
        print("refused:", name)
def tcp(host, port):
    socket.create_connection((host, port), 0.3).sendall(b"hello")
def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(0.3)
        one.sendto(b"hello", ("127.0.0.1", UDP))
        one.recv(1)
def unix(kind, address):
    with socket.socket(socket.AF_UNIX, kind) as one:
        one.connect(address)
        one.send(b"hello")
def netlink():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as one:
        one.bind((0, 0))
        one.send(b"hello")
attempt("tcp", lambda: tcp("127.0.0.1", TCP))
attempt("tcp6", lambda: tcp("::1", TCP))
attempt("outside", lambda: tcp("192.0.2.1", 80))
attempt("udp", udp)
attempt("dns", lambda: socket.getaddrinfo("example.org", 80))
attempt("netlink", netlink)
attempt("abstract", lambda: unix(socket.SOCK_STREAM, "\\0MARKER"))
attempt("named", lambda: unix(socket.SOCK_STREAM, NAMED))
attempt("raw", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("vsock", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).connect((2, 80)))
"""

WAYS = ("tcp", "tcp6", "outside", "udp", "dns", "netlink", "abstract", "named", "raw", "vsock")


@pytest.fixture
def listeners(tmp_path: Path) -> Iterator[list[socket.socket]]:
    """Sockets of the grader's machine that wait to be reached: TCP, UDP, abstract, named."""
    addresses = [
        (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{MARKER}"),
        (socket.AF_UNIX, socket.SOCK_STREAM, str(tmp_path / "named")),
    ]
    with ExitStack() as stack:
        made = []
        for family, kind, address in addresses:
            one = stack.enter_context(socket.socket(family, kind))
            one.bind(address)
            one.setblocking(False)
            if kind == socket.SOCK_STREAM:
                one.listen()
            made.append(one)
        yield made


def test_attack_59_no_socket_reaches_anything(arena: Arena, listeners: list[socket.socket]) -> None:
    tcp, udp, abstract, named = listeners
    source = NETWORK.replace("TCP", str(tcp.getsockname()[1]))
    source = source.replace("UDP", str(udp.getsockname()[1]))
    source = source.replace("NAMED", repr(named.getsockname()))
    attack = Attack(59, "sockets", double=source + WRONG)
    said = everything_said(arena.withstands(attack, cell_seconds=10))
    assert [way for way in WAYS if f"refused: {way}\n" not in said] == []
    for one in (tcp, abstract, named):
        with pytest.raises(BlockingIOError):
            one.accept()
    with pytest.raises(BlockingIOError):
        udp.recv(1)


CALLS = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
for name, (number, *arguments) in CALLS.items():
    result = libc.syscall(number, *arguments, 0, 0, 0)
    print(f"{name}={result}:{errno.errorcode.get(ctypes.get_errno())}")
"""

NEW_USER = 0x10000000
# By name: number on x86-64, number on arm64, arguments.
DEEP = {
    "io_uring_setup": (425, 425, 8, 0),
    "keyctl": (250, 219, 0, -3),
    "add_key": (248, 217, 0, 0),
    "bpf": (321, 280, 0, 0),
    "userfaultfd": (323, 282, 0),
    "perf_event_open": (298, 241, 0, 0),
    "open_by_handle_at": (304, 265, 0, 0),
    "init_module": (175, 105, 0, 0),
}
SPACES = {
    "unshare": (272, 97, NEW_USER),
    "setns": (308, 268, 0, 0),
    "mount": (165, 40, 0, 0),
    "umount2": (166, 39, 0, 0),
    "pivot_root": (155, 41, 0, 0),
    "chroot": (161, 51, 0),
}


def calls(table: dict[str, tuple[int, ...]]) -> str:
    mine = {name: (x86 if X86 else arm, *rest) for name, (x86, arm, *rest) in table.items()}
    return CALLS.replace("CALLS", repr(mine)) + WRONG


@pytest.mark.parametrize(("number", "table"), [(60, DEEP), (62, SPACES)], ids=["60", "62"])
def test_attack_60_and_62_dangerous_system_calls_fail(
    arena: Arena, number: int, table: dict[str, tuple[int, ...]]
) -> None:
    said = everything_said(arena.withstands(Attack(number, "calls", double=calls(table))))
    lines = {line for line in said.splitlines() if line.split("=")[0] in table}
    refusals = {"EPERM"} if number == 62 else {"EPERM", "ENOSYS"}
    assert {line.split("=")[0] for line in lines} == set(table)
    assert {line.split("=")[1] for line in lines} <= {f"-1:{refusal}" for refusal in refusals}


MACHINE_CODE = """
import ctypes, mmap
code = bytes.fromhex("{}")
rights = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, rights)
page.write(code)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
print("went through:", ctypes.CFUNCTYPE(ctypes.c_long)(address)())
"""

# getpid as a 32-bit program calls it, and as an x32 program does: mov eax, n; int 0x80; ret.
FOREIGN = [
    Attack(61, "int 0x80", double=MACHINE_CODE.format("b814000000cd80c3"), status="crash"),
    Attack(61, "an x32 call", double=MACHINE_CODE.format("b8270000400f05c3"), status="crash"),
]


@attacks(*FOREIGN if X86 else [])
def test_calls_of_another_architecture_are_killed(arena: Arena, attack: Attack) -> None:
    assert "went through" not in everything_said(arena.withstands(attack))


PACKAGES = """
import os, sysconfig
torch_source, site = PATHS
def attempt(path, text, mode="w"):
    try:
        with open(path, mode) as file:
            file.write(text)
        print("went through:", path)
    except OSError:
        pass
evil = "import os; os.environ['MARKER'] = 'there'\\n"
attempt(f"{site}/MARKER.pth", evil)
attempt(f"{site}/sitecustomize.py", evil)
attempt(f"{site}/usercustomize.py", evil)
attempt(f"{site}/MARKER.py", evil)
attempt(torch_source, evil, "a")
try:
    os.rename(torch_source, torch_source + "MARKER")
    print("went through: rename")
except OSError:
    pass
version = sysconfig.get_python_version()
own = os.path.expanduser(f"~/.local/lib/python{version}/site-packages")
os.makedirs(own, exist_ok=True)
try:
    open(f"{own}/MARKER.pth", "w").write(evil)
except OSError:
    pass
"""


def test_attack_63_installed_packages_stay_as_they_are(arena: Arena) -> None:
    site = Path(sysconfig.get_path("purelib"))
    torch_source = Path(torch.__file__)
    before = sorted(path.name for path in site.iterdir()), torch_source.read_bytes()
    source = PACKAGES.replace("PATHS", repr((str(torch_source), str(site))))
    said = everything_said(arena.withstands(Attack(63, "packages", double=source + WRONG)))
    assert "went through" not in said
    assert (sorted(path.name for path in site.iterdir()), torch_source.read_bytes()) == before
    looks = f"import os\nprint('customized:', '{MARKER}' in os.environ)\n" + WRONG
    arena.withstands(Attack(63, "next", double=looks, says=("customized: False",)))


SHELLS = {
    "bash": "%%bash\necho works\ncat PATHS /etc/shadow\nls -a HOME\nkill -0 PARENT && echo reached"
    "\n"
    "touch /usr/MARKER /MARKER\n(exec 3<>/dev/tcp/127.0.0.1/22) && echo connected\ntrue",
    "curl": "!echo works; curl -sS --max-time 1 http://192.0.2.1/ || echo no network",
    "pip": "%pip install --retries 0 --timeout 1 --no-cache-dir --disable-pip-version-check MARKER",
    "python": "import subprocess, sys\nprint(subprocess.run([sys.executable, '-Ic',\n"
    '    \'import os; print(os.listdir("/")); open("/usr/MARKER", "w")\'],\n'
    "    capture_output=True, text=True))",
}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("answer", ["wrong", "right"])
def test_attack_64_a_shell_is_as_confined_as_everything_else(
    arena: Arena, shell: str, answer: str
) -> None:
    source = SHELLS[shell].replace("PATHS", " ".join(map(str, arena.world.canaries)))
    source = source.replace("HOME", str(Path.home())).replace("PARENT", str(arena.world.victim))
    double, status, score = (WRONG, "wrong", 0.0) if answer == "wrong" else (RIGHT, "ok", 5.0)
    attack = Attack(64, shell, double, source, status, score, hangs=1)  # programs take their time
    said = everything_said(arena.withstands(attack, cell_seconds=20, submission_seconds=60))
    assert SECRET not in said
    assert "reached" not in said
    assert "connected" not in said
    assert "Successfully installed" not in said
    assert not Path(f"/usr/{MARKER}").exists()

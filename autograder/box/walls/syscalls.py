"""Thin names for the kernel's calls that Python does not have; each raises OSError.

Nothing here decides anything: what is called with which arguments stands in `policy`, `calls` and
`isolation`.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import Final

from autograder.box.walls.syscall_numbers import MACHINES, number

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWCGROUP: Final = 0x02000000
CLONE_NEWUTS: Final = 0x04000000
CLONE_NEWIPC: Final = 0x08000000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000
CLONE_NEWNET: Final = 0x40000000
CLONE_CHILD_CLEARTID: Final = 0x00200000
CLONE_CHILD_SETTID: Final = 0x01000000

MS_NOSUID: Final = 2
MS_NODEV: Final = 4
MS_NOEXEC: Final = 8
MS_RDONLY: Final = 1
MS_BIND: Final = 4096
MS_REC: Final = 16384
MS_PRIVATE: Final = 1 << 18
MNT_DETACH: Final = 2

MOUNT_ATTR_RDONLY: Final = 1
MOUNT_ATTR_NOSUID: Final = 2
MOUNT_ATTR_NODEV: Final = 4
MOUNT_ATTR_NOEXEC: Final = 8
AT_FDCWD: Final = -100
AT_RECURSIVE: Final = 0x8000

PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_CAPBSET_DROP: Final = 24
PR_SET_NO_NEW_PRIVS: Final = 38
PR_GET_TID_ADDRESS: Final = 40
CAPABILITY_VERSION_3: Final = 0x20080522
SIGCHLD: Final = 17

_libc = ctypes.CDLL(None, use_errno=True)
_python = ctypes.PyDLL(None, use_errno=True)  # keeps the interpreter's lock during the call


def call(name: str, *arguments: int | bytes | None) -> int:
    """Makes the system call `name`; integers are passed as machine words."""
    nr = number(name)
    if nr is None:
        raise OSError(38, f"{name}: no such call on this machine")
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _checked(int(_libc.syscall(ctypes.c_long(nr), *words)), name)


def _checked(result: int, what: str) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result


def fork_into(namespaces: int) -> int:
    """os.fork, but the child is born in new `namespaces` (CLONE_NEW... flags).

    Only for a process with one thread. The C library caches the thread's number; the kernel
    writes the child's there as it does for the library's own fork.
    """
    address = ctypes.c_ulong(0)
    flags = namespaces | SIGCHLD
    if _libc.prctl(PR_GET_TID_ADDRESS, ctypes.byref(address), 0, 0, 0) == 0 and address.value:
        flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID
    tid, tls = ctypes.c_ulong(address.value), ctypes.c_ulong(0)
    last = (tid, tls) if os.uname().machine == MACHINES[0] else (tls, tid)
    nr = ctypes.c_long(number("clone") or 0)
    _python.PyOS_BeforeFork()
    pid = _python.syscall(nr, ctypes.c_ulong(flags), ctypes.c_ulong(0), ctypes.c_ulong(0), *last)
    if pid == 0:
        _python.PyOS_AfterFork_Child()
    else:
        _python.PyOS_AfterFork_Parent()
    return _checked(int(pid), "clone")


def unshare(flags: int) -> None:
    call("unshare", flags)


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    words = (source.encode(), target.encode(), kind.encode(), flags, data.encode())
    try:
        call("mount", *words)
    except OSError as error:
        what = f"mount {kind or 'bind'} on {target}"
        raise OSError(error.errno, f"{what}: {error.strerror}") from None


def bind(source: str, target: str) -> None:
    """Binds a file, or a folder with all that is mounted below it."""
    mount(source, target, "", MS_BIND | MS_REC)


def set_mount_attributes(target: str, add: int, drop: int = 0, recursive: bool = False) -> None:
    """Changes MOUNT_ATTR_... flags of a mount, or of all mounts from it downwards."""
    words = struct.pack("=QQQQ", add, drop, 0, 0)
    how = AT_RECURSIVE if recursive else 0
    call("mount_setattr", AT_FDCWD, target.encode(), how, words, len(words))


def swap_root(root: str) -> None:
    """Makes the mount `root` the root folder and lets go of the old one."""
    os.chdir(root)
    call("pivot_root", b".", b".")
    call("umount2", b".", MNT_DETACH)
    os.chdir("/")


def prctl(option: int, value: int) -> None:
    _checked(int(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0)), f"prctl {option}")


def drop_capabilities() -> None:
    """Gives up every capability, also those that a program could regain."""
    for capability in range(64):
        if _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break  # past the last one, or not ours to drop and so not ours to regain
    header = struct.pack("=Ii", CAPABILITY_VERSION_3, 0)
    call("capset", header, bytes(24))


def close_from(first: int) -> None:
    """Closes every descriptor from `first` on."""
    call("close_range", first, 0xFFFFFFFF, 0)

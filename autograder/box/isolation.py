"""What a forked child gives up before student code runs in it.

Theory of operation. The zygote forks; the child calls `enter` once, before it reads its first
request. It dies with the zygote, leads a session of its own (so that one signal reaches whatever
it starts), lives in its own temporary folder with a constant environment, holds no descriptor but
its socket and the standard ones, and is bounded by rlimits. The order matters: what needs rights
comes before what takes them away.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal

from autograder.limits import Limits

TIER = "none"
"""How far student code is confined: it still shares the file system and the network."""

PR_SET_PDEATHSIG = 1
OPEN_FILES = 256


def environment(directory: str) -> dict[str, str]:
    """The whole environment of a box whose working folder is `directory`: constants only."""
    return {
        "HOME": directory,
        "TMPDIR": directory,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "TERM": "dumb",
        "USER": "student",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": directory,
        "OMP_NUM_THREADS": "1",
        "TORCHINDUCTOR_CACHE_DIR": directory,
        "HF_HUB_OFFLINE": "1",
        "NBGRADER_EXECUTION": "autograde",
    }


def rlimits(limits: Limits, used_bytes: int) -> dict[int, int]:
    """Resource limits of a box whose address space already spans `used_bytes` at the fork."""
    return {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: int(limits.submission_seconds) + 1,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_AS: used_bytes + limits.memory_bytes,
    }


def enter(limits: Limits, directory: str, keep_fd: int) -> None:
    """Confines the calling process for good; `keep_fd` is the descriptor of its socket."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    os.setsid()
    os.chdir(directory)
    os.umask(0o077)
    os.closerange(3, keep_fd)
    os.closerange(keep_fd + 1, 65536)
    os.environ.clear()
    os.environ.update(environment(directory))
    for which, most in rlimits(limits, _address_space_bytes()).items():
        resource.setrlimit(which, (most, most))


def _address_space_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[0])
    return pages * resource.getpagesize()

"""Attacks that are tried in a real box before student code runs: each must fail.

A canary is a cell that goes for something no box may reach and prints what it got; it holds when
nothing comes back but the word that says so. Paths that only the grader knows are filled in. The
number of the grader's process may be the box's own, as when each is the first of its namespace:
then it leads to the box itself, which is no breach.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.box.outside.client import BoxLost
from autograder.box.outside.zygotes import Zygote
from autograder.box.walls import policy
from autograder.course.assignments import CHECKS
from autograder.course.limits import Limits
from autograder.errors import Ungraded

HELD = "held"

_READ = """
import os
try:
    print(sorted(set(os.listdir({path!r})) - {needed!r}) or "held")
except OSError:
    print("held")
"""

_REFUSED = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print("held" if libc.{call} < 0 else "went through")
"""


_OPEN = """
try:
    open({path!r}, {mode!r})
    print("opened")
except OSError:
    print("held")
"""

_SEE = """
import os
try:
    own = os.path.samefile("/proc/self", "/proc/{pid}")
    print("held" if own else sorted(os.listdir("/proc/{pid}")) or "held")
except OSError:
    print("held")
"""

_SIGNAL = """
import os
try:
    if os.getpid() != {pid}:
        os.kill({pid}, 0)
    print("held" if os.getpid() == {pid} else "reached")
except OSError:
    print("held")
"""

_LIMIT = """
import os, resource
try:
    if os.getpid() != {pid}:
        resource.prlimit({pid}, resource.RLIMIT_CPU)
    print("held" if os.getpid() == {pid} else "reached")
except OSError:
    print("held")
"""

_CONNECT = """
import socket
try:
    socket.create_connection(("127.0.0.1", 9), 0.5)
    print("connected")
except ConnectionRefusedError:
    print("reached the network")
except OSError:
    print("held")
"""


@dataclass(frozen=True)
class Canary:
    """One attack: what it goes for, and the cell that tries."""

    name: str
    source: str


def canaries(course_root: Path) -> list[Canary]:
    """The attacks, aimed at this course and this grader."""
    return [
        Canary("reads the hidden checks", _reading(str(course_root / CHECKS))),
        Canary("reads the course folder", _reading(str(course_root))),
        Canary("reads the home folder", _reading(os.path.expanduser("~"))),
        Canary("sees the grader's process", _SEE.format(pid=os.getpid())),
        Canary("reads /etc/shadow", _OPEN.format(path="/etc/shadow", mode="r")),
        Canary("changes torch", _OPEN.format(path=_torch_file(), mode="a")),
        Canary("signals the grader", _SIGNAL.format(pid=os.getpid())),
        Canary("limits the grader", _LIMIT.format(pid=os.getpid())),
        Canary("opens a connection", _CONNECT),
        Canary("mounts a file system", _REFUSED.format(call='mount(b"t", b".", b"tmpfs", 0, 0)')),
        Canary("makes a namespace", _REFUSED.format(call="unshare(0x10000000)")),
        Canary("traces a process", _REFUSED.format(call="ptrace(16, os.getppid(), 0, 0)")),
    ]


def _reading(folder: str) -> str:
    """A cell that lists `folder`, where only folders on the way to Python may show."""
    return _READ.format(path=folder, needed=needed_below(Path(folder)))


def needed_below(folder: Path) -> set[str]:
    """Names in `folder` that lead to this Python and its libraries."""
    real = folder.resolve()
    paths = [Path(path).resolve() for path in policy.python_paths()]
    return {path.relative_to(real).parts[0] for path in paths if real in path.parents}


def _torch_file() -> str:
    import torch

    return torch.__file__


def breaches(zygote: Zygote, course_root: Path, limits: Limits) -> Iterator[tuple[str, bool]]:
    """Each canary's name, and whether it got through, one after the other in one box.

    None is tried where nothing confines a box: there they would do to the machine what they try.
    """
    if zygote.tier == "none":
        return
    box = zygote.box(limits, {}, seed=0)
    try:
        for canary in canaries(course_root):
            deadline = time.monotonic() + limits.cell_seconds
            outputs = box.run_cell(canary.source, deadline).outputs
            said = "".join(output.get("text", "") for output in outputs).strip()
            yield canary.name, said != HELD
    except BoxLost:
        yield "leaves the box whole", True
        return
    box.close()


def guard_against_breaches(
    zygote: Zygote, course_root: Path, limits: Limits, *, trust_notebooks: bool
) -> None:
    """Lets a run start only where the notebooks' code is confined, or trusted.

    Raises:
        Ungraded: nothing confines it here, or an attack got through.
    """
    if trust_notebooks:
        return
    if zygote.tier == "none":
        raise Ungraded(
            f"nothing confines the notebooks' code on this machine ({zygote.reason}): grade on "
            "Linux with user namespaces or Landlock, or, only if you trust every notebook, with "
            "--trust-notebooks (nbgrader_config.py: c.GradeInBox.trust_notebooks = True)"
        )
    through = [name for name, got_through in breaches(zygote, course_root, limits) if got_through]
    if through:
        raise Ungraded(
            f"the sandbox (tier {zygote.tier}) does not hold: an attack that {through[0]} got "
            "through; run `autograder doctor`"
        )

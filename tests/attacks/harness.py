"""What every attack is made of: hostile sources, a grader to stand them, and what must hold after.

Theory of operation. A `World` is a course with a canary, a secret string, wherever the grader can
read: beside the checks and inside one, in an expected tensor, in the gradebook, in the home and
temporary folders, in the grader's memory and environment, and on the command line of a process of
the same user. An `Arena` grades attacks in that world and keeps every byte that comes out of a
box. After each attack the `arena` fixture compares what is left with what was there before.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import nbformat
import pytest
import torch
from mini import answer, mini_assignment
from nbformat import NotebookNode
from safetensors.torch import save_file

from autograder.box import client
from autograder.box.wire import Frame
from autograder.course import Assignment
from autograder.grading import Graded, Grader
from autograder.limits import MIB, Limits
from autograder.results import Status

MARKER = f"attack{secrets.token_hex(4)}"  # in the name of whatever an attack makes
SECRET = f"canary-{secrets.token_hex(16)}"
DECOY = f"canary-{'0' * 32}"  # what an attack plants itself, to prove that it can find one

CURRENT_TEST = "PYTEST_CURRENT_TEST"  # the checks' own pytest takes it away

LIMITS = Limits(
    cell_seconds=1.5,
    probe_seconds=1.5,
    submission_seconds=20,
    memory_bytes=512 * MIB,
    cell_output_bytes=MIB // 16,
    file_bytes=8 * MIB,
)
GRACE_SECONDS = 2.0
FLAT_BYTES = 50 * MIB  # how far the grader's memory may have grown when an attack is over
PEAK_BYTES = 256 * MIB  # and while it goes on
SETTLE_SECONDS = 2.0  # a killed process takes a moment to vanish

RIGHT = "def double(x):\n    return 2 * x\n"
WRONG = "def double(x):\n    return x + 1\n"

INPUTS_CHECK = '''

@probe
def with_input(answers: Any, x: torch.Tensor) -> dict[str, Any]:
    y = answers.double(x)
    return {"x": x, "y": y}


@points(1)
def check_input_stays(student: Student, expected: Any) -> None:
    """The input stays as it was."""
    assert "SECRET".startswith("canary-")
    expected.match("input", student.run(with_input, x=torch.arange(3.0)))
'''


@dataclass(frozen=True)
class Attack:
    """One attack on the question `double`, beside a right answer to `triple`.

    Attributes:
        number: its place in the list of attacks.
        double: source of the cell under attack; a wrong answer unless it says otherwise.
        first: source of a cell added before all others.
        status: what the question must get; several where the kernel decides which limit is met.
        others: status of the question that is not under attack.
        hangs: how many cells or probes may run into their limit of time.
        says: words that the student must be told, or that an output must hold.
    """

    number: int
    title: str
    double: str = WRONG
    first: str = ""
    status: Status | tuple[Status, ...] = "wrong"
    score: float = 0.0
    others: Status = "ok"
    hangs: int = 0
    says: tuple[str, ...] = ()


def attacks(*listed: Attack) -> pytest.MarkDecorator:
    """Parametrizes a test by attacks whose numbers stand in its ids."""
    ids = [f"attack-{each.number:02}-{each.title.replace(' ', '-')}" for each in listed]
    return pytest.mark.parametrize("attack", listed, ids=ids)


def filled(source: str) -> str:
    """`source` with the marker in place, for what an attack names itself."""
    return source.replace("MARKER", MARKER)


@dataclass(frozen=True)
class World:
    """The course under attack and where its secrets lie."""

    root: Path
    assignment: Assignment
    canaries: list[Path]
    victim: int


@contextmanager
def world(root: Path) -> Iterator[World]:
    """A course of the mini assignment in `root` with canaries in and around it."""
    assignment = mini_assignment(root)
    _strengthen(assignment)
    with ExitStack() as stack:
        around = [
            Path(stack.enter_context(_canary_file(folder)))
            for folder in (Path.home(), Path(tempfile.gettempdir()))
        ]
        victim = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-Ic", "import time; time.sleep(3600)", SECRET],
                env={"SECRET": SECRET},
            )
        )
        stack.callback(victim.kill)
        os.environ["AUTOGRADER_SECRET"] = SECRET
        stack.callback(os.environ.pop, "AUTOGRADER_SECRET")
        yield World(root, assignment, [*_canaries_in(root), *around], victim.pid)


def _strengthen(assignment: Assignment) -> None:
    """Adds to `double` a check of its input, which knows an expected tensor and a secret."""
    path = assignment.check_file("double")
    text = path.read_text().replace("@points(3)", "@points(2)")
    path.write_text(text + INPUTS_CHECK.replace("SECRET", SECRET))
    expected = {
        "input.x": torch.arange(3.0),
        "input.y": 2 * torch.arange(3.0),
        "secret.y": torch.tensor(list(SECRET.encode()), dtype=torch.uint8),
    }
    assignment.expected_file("double").parent.mkdir()
    save_file(expected, assignment.expected_file("double"))
    # A name that is never imported, so that the zygote's command line carries the marker.
    cell = assignment.release.cells[0]
    cell.source += f"\nif False:\n    import {MARKER}"
    nbformat.write(assignment.release, assignment.release_path)


def _canaries_in(root: Path) -> list[Path]:
    names = [
        "gradebook.db",
        "nbgrader_config.py",
        "source/mini/mini.ipynb",
        "submitted/other/mini/mini.ipynb",
        "feedback/other/mini/mini.html",
        "checks/notes.txt",
        "checks/expected/notes.txt",
    ]
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(SECRET)
    return [root / name for name in names]


@contextmanager
def _canary_file(folder: Path) -> Iterator[str]:
    with tempfile.NamedTemporaryFile("w", dir=folder, prefix=f".{MARKER}-canary-") as file:
        file.write(SECRET)
        file.flush()
        yield file.name


@dataclass
class Arena:
    """Grades attacks, and remembers what came out of the boxes."""

    world: World
    grader: Grader
    tier: str
    frames: list[Frame] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def submission(self, attack: Attack) -> NotebookNode:
        assignment = self.world.assignment
        first, double = filled(attack.first), filled(attack.double)
        return answer(assignment, at_start=first, double=double)

    def grade(self, submission: NotebookNode, **limits: float) -> Graded:
        """The verdict, under limits of its own where some are given."""
        usual = self.grader.limits
        self.grader.limits = replace(usual, **limits)  # type: ignore[arg-type]
        running = os.environ.get(CURRENT_TEST, "")
        try:
            graded = self.grader.grade(submission, "x")
        finally:
            os.environ[CURRENT_TEST] = running
            self.grader.limits = usual
        self.said.append(everything_said(graded))
        return graded

    def withstands(self, attack: Attack, **limits: float) -> Graded:
        """Grades the attack and asserts what its row says, and that it came in time."""
        started = time.monotonic()
        graded = self.grade(self.submission(attack), **limits)
        took = time.monotonic() - started
        result = graded.result
        question = result.question("double")
        wanted = attack.status if isinstance(attack.status, tuple) else (attack.status,)
        assert result.status == "graded"
        assert result.sandbox == self.tier
        assert (question.status in wanted, question.score) == (True, attack.score), question
        assert result.question("triple").status == attack.others
        assert result.question("triple").score == (5.0 if attack.others == "ok" else 0.0)
        hung = limits.get("cell_seconds", LIMITS.cell_seconds)
        assert took < attack.hangs * hung + GRACE_SECONDS
        for words in attack.says:
            assert words in self.said[-1]
        return graded

    def zygote_pid(self) -> int:
        """The process that carries the marker and that this process started."""
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        return next(
            int(pid) for pid in children if MARKER in Path(f"/proc/{pid}/cmdline").read_text()
        )

    def leaked(self) -> bool:
        """Whether the secret is in anything that a box sent or that the grader said."""
        headers = (repr(frame.header) for frame in self.frames)
        return (
            any(SECRET in text for text in self.said)
            or any(SECRET in text for text in headers)
            or any(SECRET.encode() in frame.body for frame in self.frames)
        )

    def forget(self) -> None:
        self.frames.clear()
        self.said.clear()

    def clean(self) -> bytes:
        """All that the grader says of a right submission, but for the seconds it took."""
        graded = self.grade(answer(self.world.assignment))
        result = {**graded.result.as_dict(), "seconds": 0}
        return (json.dumps(result) + nbformat.writes(graded.notebook)).encode()


def everything_said(graded: Graded) -> str:
    """Result and executed notebook as one text, outputs unescaped."""
    texts = [
        str(value)
        for cell in graded.notebook.cells
        for output in cell.get("outputs", [])
        for value in output.values()
    ]
    messages = [c.message for q in graded.result.questions for c in q.checks]
    return "\n".join([*graded.result.flags, *messages, *texts, repr(graded.result.as_dict())])


@contextmanager
def recorded(arena: Arena) -> Iterator[None]:
    """Keeps every frame that a box sends."""
    receive = client.receive_frame

    def receive_and_keep(*arguments: object, **named: object) -> Frame:
        frame = receive(*arguments, **named)  # type: ignore[arg-type]
        arena.frames.append(frame)
        return frame

    client.receive_frame = receive_and_keep
    try:
        yield
    finally:
        client.receive_frame = receive


@dataclass(frozen=True)
class Traces:
    """What an attack could leave behind."""

    processes: frozenset[int]
    mounts: tuple[str, ...]
    cgroups: frozenset[str]
    files: frozenset[str]

    @classmethod
    def now(cls) -> Traces:
        return cls(_processes(), _mounts(), _cgroups(), _files())


def traces_like(before: Traces) -> Traces:
    """Today's traces, once they equal `before` or have had their time to vanish."""
    end = time.monotonic() + SETTLE_SECONDS
    while (now := Traces.now()) != before and time.monotonic() < end:
        time.sleep(0.02)
    return now


def _processes() -> frozenset[int]:
    """Descendants of this process, and every process that carries the marker."""
    parents: dict[int, int] = {}
    marked = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(stat[1])
            if MARKER.encode() in (folder / "cmdline").read_bytes():
                marked.add(int(folder.name))
        except OSError:
            continue
    own = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in own} - own:
        own |= more
    return frozenset(own | marked)


def _mounts() -> tuple[str, ...]:
    return tuple(Path("/proc/self/mountinfo").read_text().splitlines())


def _cgroups() -> frozenset[str]:
    """Control groups that hold, or held, a process of this test's zygotes."""
    found = (path for path in Path("/sys/fs/cgroup").rglob("*box*") if path.is_dir())
    return frozenset(str(path) for path in found)


def _files() -> frozenset[str]:
    """Files with the marker in their names where any user may write."""
    folders = {tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm", str(Path.home()), os.getcwd()}
    return frozenset(str(path) for folder in folders for path in Path(folder).glob(f"*{MARKER}*"))


def resident_bytes() -> int:
    return _status_bytes("VmRSS")


def peak_bytes() -> int:
    """Most memory this process has held since `forget_peak`."""
    return _status_bytes("VmHWM")


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _status_bytes(field_name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field_name + ":"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"no {field_name} in /proc/self/status")


def free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free

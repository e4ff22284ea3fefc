"""Two hundred submissions, hostile and honest, one after the other through one grader."""

from __future__ import annotations

import os
from dataclasses import dataclass

import nbformat
import pytest

from attacks import traces
from attacks.harness import RIGHT, WRONG, Arena, Attack
from attacks.traces import Traces
from attacks.wire_tools import FORGE, in_probe
from autograder.course.limits import MIB
from autograder.results.model import Status

SIZE = 200
SECONDS = 0.4  # of a cell or probe: enough for honest work, little for those that hang


@dataclass(frozen=True)
class Kind:
    """A submission, and what `double` gets for it; `triple` is right in all."""

    source: str
    status: Status
    score: float = 0.0


HANGING = [
    Kind("while True: pass", "timeout"),
    Kind("import time\ntime.sleep(1e9)", "timeout"),
]

KINDS = [
    Kind(RIGHT, "ok", 5.0),
    Kind(WRONG, "wrong"),
    Kind("def double(x):\n    return 2 * x.abs()", "wrong", 3.0),
    Kind("def double(x):\n    raise ValueError('odd')", "error"),
    Kind("def double(x)\n    return 2 * x", "error"),
    Kind("import os\nos._exit(0)", "crash"),
    Kind("import ctypes\nctypes.string_at(0)", "crash"),
    Kind("def double(x):\n    return bytearray(10**12)", "memory"),
    Kind("print('x' * 10**7)\n" + WRONG, "output"),
    Kind("print('x' * 10**7)\n" + RIGHT, "ok", 5.0),
    Kind(in_probe("send(b'no frame at all, and more bytes than a header has')"), "bad_reply"),
    Kind(in_probe("send(reply(b'\\x80\\x04.')); time.sleep(60)"), "bad_reply"),
    Kind(FORGE + "display(10.0)\nprint('Score: 10/10')\n" + WRONG, "wrong"),
    Kind("open('result.json', 'w').write('10')\n" + WRONG, "wrong"),
    Kind(
        "import torch\ntorch.isclose = torch.equal = lambda *a, **k: True\n" + WRONG,
        "wrong",
    ),
    Kind("import torch\ndef double(x):\n    return x * float('nan')", "wrong"),
    Kind(
        "import threading\nthreading.Thread(target=threading.Event().wait).start()\n" + RIGHT,
        "ok",
        5.0,
    ),
    Kind(
        "import subprocess\ntry:\n    subprocess.Popen(['sleep', '3600'], "
        "start_new_session=True)\nexcept OSError:\n    pass\n" + RIGHT,
        "ok",
        5.0,
    ),
]


def members() -> list[Kind]:
    """The class: every kind in turn, and after each round one that hangs."""
    rounds = [[*KINDS, HANGING[number % len(HANGING)]] for number in range(SIZE)]
    return [kind for each in rounds for kind in each][:SIZE]


@pytest.fixture
def class_arena(warm: Arena) -> Arena:
    warm.forget()
    return warm


def test_a_class_of_200_gets_its_verdicts_and_leaves_nothing(class_arena: Arena) -> None:
    arena, before = class_arena, Traces.now()
    descriptors = len(os.listdir("/proc/self/fd"))
    resident = traces.resident_bytes()
    verdicts = [(verdict(arena, kind), kind) for kind in members()]
    grown = traces.resident_bytes() - resident
    wrong = [(found, kind) for found, kind in verdicts if found != (kind.status, kind.score, "ok")]
    assert wrong == []
    assert traces.left_since(before) == traces.NOTHING
    assert len(os.listdir("/proc/self/fd")) == descriptors
    assert grown < 50 * MIB


def verdict(arena: Arena, kind: Kind) -> tuple[str, float, str]:
    limits = {"cell_seconds": SECONDS, "probe_seconds": SECONDS}
    graded = arena.grade(arena.submission(Attack(0, "", kind.source)), **limits)
    arena.forget()
    assert len(nbformat.writes(graded.notebook)) < MIB
    question = graded.result.question("double")
    return question.status, question.score, graded.result.question("triple").status

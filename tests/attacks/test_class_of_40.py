"""Twenty honest and twenty hostile submissions through `autograder batch`, in one class."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from mini_course import MINI, MiniCourse, make_course

from attacks import traces
from attacks.test_class_of_200 import KINDS
from attacks.test_leftovers import DOUBLE, LEFTOVERS
from attacks.traces import Traces
from autograder.batch.run import Workers, batch
from autograder.course.limits import MIB
from autograder.course.settings import read_settings
from autograder.grading.grader import Grader
from autograder.intake.submission import read_notebook
from autograder.results.model import QuestionResult

HEAD_BYTES = 64 * MIB  # how far the head's memory may grow over the class
CONFIGURATION = (
    'c.GradeInBox.limits = {"cell_seconds": 2, "probe_seconds": 2, "submission_seconds": 20, '
    '"processes": 64, "memory_bytes": 512 << 20, "cell_output_bytes": 1 << 16}'
)
HONEST = (
    {},
    {"double": "def double(x):\n    return x + x"},
    {"double": "double = lambda x: x * 2", "triple": "def triple(x):\n    return double(x) + x"},
    {"double": "def double(x):\n    return x + 1"},
    {
        "triple": "def triple(x):\n    return double(x) + x",
        "double": "def double(x):\n    return x",
    },
    {"double": "def double(x):\n    return 2 * x.abs()"},
    {"double": "def double(x):\n    raise ValueError('odd')"},
    {"double": "def double(x)\n    return 2 * x"},
    {"triple": "def triple(x):\n    return [3 * n for n in x]"},
    {"triple": "def triple(x):\n    return 3 * x.double()"},
)
HOSTILE = [
    *(kind.source for kind in KINDS if kind.status in ("crash", "memory", "bad_reply", "output")),
    *(DOUBLE.replace("BODY", left.body) for left in LEFTOVERS),
    "while True: pass",
]
SIZE = 20


@pytest.fixture
def mini(tmp_path: Path) -> MiniCourse:
    return MiniCourse(make_course(tmp_path / "course", CONFIGURATION))


def test_the_honest_get_the_verdicts_they_have_alone(
    mini: MiniCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mini.folder)
    honest = {f"demo-{n:02}": HONEST[n % len(HONEST)] for n in range(SIZE)}
    hostile = {f"demo-x{n:02}": HOSTILE[n % len(HOSTILE)] for n in range(SIZE)}
    mini.hand_in("demo-first")
    batch(mini.course, MINI, Workers(jobs=2))  # what it loads stays loaded
    before, resident = Traces.now(), traces.resident_bytes()
    for (name, answers), (other, double) in zip(honest.items(), hostile.items(), strict=True):
        mini.hand_in(name, **answers)
        mini.hand_in(other, double=double)
    done = batch(mini.course, MINI, Workers(jobs=2))
    grown = traces.resident_bytes() - resident

    assert len(done.recorded) == 2 * SIZE
    assert {n: mini.result(n).questions for n in honest} == _alone(mini, list(honest))
    assert {mini.result(name).question("triple").score for name in hostile} == {5.0}
    assert replace(traces.left_since(before), mounts=frozenset()) == traces.NOTHING
    assert grown < HEAD_BYTES


def _alone(mini: MiniCourse, students: list[str]) -> dict[str, list[QuestionResult]]:
    """What each earns in a class of one, as results in folders tell it: without fingerprints."""
    limits = read_settings(mini.folder).limits
    with Grader(mini.course.assignment(MINI), limits) as grader:
        notebooks = {n: read_notebook(mini.notebook_path(n), MIB) for n in students}
        graded = {n: grader.grade(book, n).result for n, book in notebooks.items()}
    return {
        n: [replace(q, fingerprint=None) for q in result.questions] for n, result in graded.items()
    }

"""What every attack is made of: hostile sources, a grader to stand them, and what must hold after.

Theory of operation. An `Arena` grades attacks in a `World` full of canaries and keeps every byte
that comes out of a box. After each attack the `arena` fixture compares what is left with what was
there before.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import nbformat
import pytest
from mini import answer
from nbformat import NotebookNode
from spent import processor_seconds

from attacks.world import MARKER, SECRET, World
from autograder.box.outside import client
from autograder.box.outside.client import Box, BoxLost
from autograder.box.wire import Frame
from autograder.course.limits import MIB, Limits
from autograder.errors import AutograderError
from autograder.grading.grader import Grader
from autograder.intake.submission import repair
from autograder.results.model import Graded, QuestionResult, Status

CURRENT_TEST = "PYTEST_CURRENT_TEST"  # the checks' own pytest takes it away

LIMITS = Limits(
    cell_seconds=1.5,
    probe_seconds=1.5,
    submission_seconds=20,
    memory_bytes=512 * MIB,
    processes=64,
    cell_output_bytes=MIB // 16,
    file_bytes=8 * MIB,
    disk_bytes=32 * MIB,
    files=1000,
)
GRADER_SECONDS = 2.0  # of its own processor time, for one attack
FLAT_BYTES = 50 * MIB  # how far the grader's memory may have grown when an attack is over
PEAK_BYTES = 256 * MIB  # and while it goes on

RIGHT = "def double(x):\n    return 2 * x\n"
WRONG = "def double(x):\n    return x + 1\n"


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


@dataclass
class Arena:
    """Grades attacks, and remembers what came out of the boxes."""

    world: World
    grader: Grader
    tier: str
    frames: list[Frame] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    out_of_time: int = 0

    def submission(self, attack: Attack) -> NotebookNode:
        assignment = self.world.assignment
        first, double = filled(attack.first), filled(attack.double)
        return answer(assignment, at_start=first, double=double)

    def grade(self, submission: NotebookNode, **limits: float) -> Graded:
        """The verdict, under limits of its own where some are given."""
        with self._limited(**limits):
            graded = self.grader.grade(submission, "x")
        self.said.append(everything_said(graded))
        return graded

    def check(self, submission: NotebookNode, **limits: float) -> QuestionResult:
        """The verdict on the question under attack alone, as the check service asks for it."""
        repaired = repair(submission, self.world.assignment.release)
        with self._limited(**limits):
            verdict = self.grader.check_repaired(repaired, "double")
        self.said.append(repr(verdict))
        return verdict

    @contextmanager
    def _limited(self, **limits: float) -> Iterator[None]:
        usual = self.grader.limits
        self.grader.limits = replace(usual, **limits)  # type: ignore[arg-type]
        running = os.environ.get(CURRENT_TEST, "")
        try:
            yield
        finally:
            os.environ[CURRENT_TEST] = running
            self.grader.limits = usual

    def withstands(self, attack: Attack, **limits: float) -> Graded:
        """Grades the attack and asserts what its row says, and that it came in time.

        In time is what counts and processor time of the grader's own say, on however busy a
        machine: no more boxes than the row allows ran out of their time, and the grader itself was
        soon done. It earns no more where its question is checked by itself.
        """
        out_of_time, done = self.out_of_time, []
        took = processor_seconds(lambda: done.append(self.grade(self.submission(attack), **limits)))
        graded = done[0]
        result = graded.result
        question = result.question("double")
        wanted = attack.status if isinstance(attack.status, tuple) else (attack.status,)
        assert result.status == "graded"
        assert result.sandbox == self.tier
        assert (question.status in wanted, question.score) == (True, attack.score), question
        assert result.question("triple").status == attack.others
        assert result.question("triple").score == (5.0 if attack.others == "ok" else 0.0)
        # The first hang is looked at twice, and so is what a busy machine alone kept from its end.
        assert self.out_of_time - out_of_time <= attack.hangs + 1
        assert took < GRADER_SECONDS
        for words in attack.says:
            assert words in self.said[-1]
        assert self.check(self.submission(attack), **limits).score <= attack.score
        return graded

    def zygote_pid(self) -> int:
        """The process that boxes are forked from."""
        return self.grader.zygote._process.pid

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
    """Keeps every frame that a box sends, and counts the boxes that ran out of time."""
    receive, lost = client.receive_frame, Box._lost

    def receive_and_keep(*arguments: object, **named: object) -> Frame:
        frame = receive(*arguments, **named)  # type: ignore[arg-type]
        arena.frames.append(frame)
        return frame

    def lost_and_counted(box: Box, error: AutograderError) -> BoxLost:
        loss = lost(box, error)
        arena.out_of_time += loss.status == "timeout"
        return loss

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "receive_frame", receive_and_keep)
        patch.setattr(Box, "_lost", lost_and_counted)
        yield

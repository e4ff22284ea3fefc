"""Seconds of the processor, and how long a box is waited for by them."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterable, Iterator

import pytest

from autograder.box.outside import processor
from autograder.box.outside.processor import Allowed
from autograder.errors import DeadlinePassed

LATE = 600.0
Told = tuple[float, str] | None


@pytest.fixture
def ours() -> Iterator[socket.socket]:
    """Our end of a box's channel; the other one says nothing."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours


def looks(monkeypatch: pytest.MonkeyPatch, told: Iterable[Told]) -> list[Told]:
    """Has the kernel tell this, a look each; what it has told so far is in the list."""
    seen: list[Told] = []
    waiting = iter(told)

    def spent(_: int) -> Told:
        seen.append(next(waiting))
        return seen[-1]

    monkeypatch.setattr(processor, "spent", spent)
    return seen


def allowed(seconds: float | None = 0.01) -> Allowed:
    return Allowed(time.monotonic() + LATE, LATE, seconds)


def test_the_kernel_tells_what_a_process_has_spent() -> None:
    before = processor.spent(os.getpid())
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    after = processor.spent(os.getpid())
    assert before
    assert after
    assert after[0] > before[0]
    assert after[1] == "R"


def test_of_a_process_that_is_gone_nothing_is_told() -> None:
    assert processor.spent(2**22 + 1) is None


def test_a_box_that_waits_for_the_processor_is_waited_for(
    ours: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = [(1.0, "R"), *((1.0 + n / 1000, "R") for n in range(5)), (1.01, "R")]
    seen = looks(monkeypatch, busy)
    with pytest.raises(DeadlinePassed):
        allowed().wait(ours, 1, processor.spent(1))
    assert seen == busy


@pytest.mark.parametrize("spent_meanwhile", [0.0, 0.0005])
def test_a_box_that_sleeps_has_the_seconds_of_the_clock(
    ours: socket.socket, monkeypatch: pytest.MonkeyPatch, spent_meanwhile: float
) -> None:
    seen = looks(monkeypatch, [(1.0, "S"), (1.0 + spent_meanwhile, "S")])
    with pytest.raises(DeadlinePassed):
        allowed().wait(ours, 1, processor.spent(1))
    assert len(seen) == 2


def test_a_box_whose_threads_work_while_its_first_one_sleeps_does_not_sleep(
    ours: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = looks(monkeypatch, [(1.0, "S"), (1.005, "S"), (1.02, "S")])
    with pytest.raises(DeadlinePassed):
        allowed().wait(ours, 1, processor.spent(1))
    assert len(seen) == 3


def test_the_clock_has_the_last_word_where_the_kernel_tells_nothing(
    ours: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks(monkeypatch, [None])
    allowed().wait(ours, 1, processor.spent(1))


def test_the_clock_ends_what_waits_for_the_processor_for_ever(
    ours: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processor, "spent", lambda _: (1.0, "R"))
    Allowed(time.monotonic() + LATE, 0.3, 0.01).wait(ours, 1, processor.spent(1))


def test_a_box_that_answers_or_ends_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "spent", lambda _: (1.0, "R"))
    for last in (lambda sock: sock.send(b"x"), lambda sock: sock.close()):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            last(theirs)
            allowed(LATE).wait(ours, 1, processor.spent(1))


def test_what_was_allowed_is_told_unless_the_whole_time_is_over() -> None:
    assert allowed(5.0).told() == 5.0
    assert allowed(None).told() == LATE
    assert allowed(2 * LATE).told() == LATE
    assert Allowed(time.monotonic() - 1, LATE, 5.0).told() is None

"""The queue of the check service: fair, bounded, honest, and nothing told before it is kept."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest

from autograder.farm.worker import Outcome
from autograder.results.model import QuestionResult, Status
from autograder.service import desk as desks
from autograder.service.desk import GONE, NOT_NOW, Desk
from autograder.service.tickets import Asked, Busy, Full, Progress

RIGHT = QuestionResult("double", "ok", 5.0, 5.0)


class FakeFarm:
    """Answers when it is let."""

    def __init__(self, workers: int = 1, status: Status = "ok") -> None:
        self.workers = workers
        self.asked: list[str] = []
        self.at_once = threading.Semaphore(0)
        self.outcome = Outcome("graded", question=QuestionResult("double", status, 5.0, 5.0))

    def checked(
        self, assignment: str, slug: str, reserved: frozenset[str], notebook: bytes, name: str
    ) -> Outcome:
        self.asked.append(notebook.decode())
        self.at_once.acquire()
        return self.outcome

    def room(self) -> int:
        return self.workers

    def answer(self, times: int = 1) -> None:
        self.at_once.release(times)


def asked(student: str, text: str = "") -> Asked:
    return Asked(student, "mini", "double", (text or student).encode(), text or student)


def run(
    work: Callable[[Desk], Awaitable[None]],
    farm: FakeFarm,
    kept: Callable[[Progress], None] = lambda progress: None,
    length: int = 500,
) -> None:
    async def opened() -> None:
        async with Desk(farm, kept, length) as desk:
            try:
                await work(desk)
            finally:
                farm.answer(1000)  # threads that wait would outlive the test

    asyncio.run(asyncio.wait_for(opened(), 60))


async def over(desk: Desk, progress: Progress) -> Progress:
    *_, last = [one async for one in desk.changes(progress.id)]
    return last


def test_who_comes_first_is_answered_first_and_all_are_told_their_place() -> None:
    farm = FakeFarm(workers=2)

    async def work(desk: Desk) -> None:
        taken = [desk.take(asked(f"demo-{n}")) for n in range(6)]
        assert [one.state for one in taken[:2]] == ["running", "running"]
        assert [one.position for one in taken] == [0, 0, 1, 2, 3, 4]
        assert [one.wait_seconds for one in taken[2:]] == sorted(
            one.wait_seconds for one in taken[2:]
        )
        farm.answer(6)
        for one in taken:
            assert (await over(desk, one)).result == RIGHT
        assert sorted(farm.asked[:2]) == ["demo-0", "demo-1"]
        assert set(farm.asked[2:4]) <= {"demo-2", "demo-3", "demo-4"}

    run(work, farm)


def test_a_student_has_one_check_under_way() -> None:
    farm = FakeFarm()

    async def work(desk: Desk) -> None:
        first = desk.take(asked("demo-1", "one"))
        assert desk.take(asked("demo-1", "one")).id == first.id
        with pytest.raises(Busy):
            desk.take(asked("demo-1", "other"))
        desk.take(asked("demo-2", "other"))
        farm.answer(2)
        await over(desk, first)
        assert desk.take(asked("demo-1", "third")).id != first.id

    run(work, farm)


def test_what_was_answered_once_is_answered_at_once_to_all() -> None:
    farm, kept = FakeFarm(), []

    async def work(desk: Desk) -> None:
        farm.answer(1)
        await over(desk, desk.take(asked("demo-1", "same")))
        again = desk.take(asked("demo-2", "same"))
        assert (again.state, again.result, again.asked.student) == ("answered", RIGHT, "demo-2")
        assert farm.asked == ["same"]
        assert desk.measures().from_cache == 1

    run(work, farm, kept.append)
    assert [one.asked.student for one in kept] == ["demo-1"]


@pytest.mark.parametrize("status", sorted(desks.BY_CHANCE))
def test_what_a_busy_machine_may_have_caused_is_asked_again(status: Status) -> None:
    farm = FakeFarm(status=status)

    async def work(desk: Desk) -> None:
        farm.answer(2)
        for _ in range(2):
            await over(desk, desk.take(asked("demo-1")))
        assert len(farm.asked) == 2

    run(work, farm)


def test_answers_of_an_earlier_run_are_remembered() -> None:
    farm = FakeFarm()

    async def work(desk: Desk) -> None:
        desk.remember(asked("demo-1"), RIGHT)
        assert desk.take(asked("demo-1")).result == RIGHT

    run(work, farm)


def test_nobody_is_told_what_could_not_be_kept() -> None:
    farm = FakeFarm()

    def broken(progress: Progress) -> None:
        raise OSError("the disk is full")

    async def work(desk: Desk) -> None:
        farm.answer(1)
        found = await over(desk, desk.take(asked("demo-1")))
        assert (found.state, found.result, found.sentence) == ("failed", None, NOT_NOW)
        farm.outcome = Outcome("graded", question=RIGHT)
        assert desk.take(asked("demo-1")).state == "running"  # and it is not in the cache

    run(work, farm, broken)


def test_it_is_kept_before_it_is_told() -> None:
    farm, told = FakeFarm(), threading.Event()
    kept: list[bool] = []

    async def work(desk: Desk) -> None:
        ticket = desk.take(asked("demo-1"))
        farm.answer(1)
        await over(desk, ticket)
        told.set()

    run(work, farm, lambda progress: kept.append(told.is_set()))
    assert kept == [False]


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (Outcome("unreadable", "mini.ipynb is no notebook"), "mini.ipynb is no notebook"),
        (Outcome("ungraded", "/secret/path: no box"), NOT_NOW),
    ],
)
def test_only_faults_of_the_student_are_told_to_them(outcome: Outcome, sentence: str) -> None:
    farm = FakeFarm()
    farm.outcome = outcome

    async def work(desk: Desk) -> None:
        farm.answer(1)
        found = await over(desk, desk.take(asked("demo-1")))
        assert (found.state, found.sentence) == ("failed", sentence)
        assert desk.measures().failed == 1

    run(work, farm)


def test_a_full_queue_sends_away_and_says_for_how_long() -> None:
    farm = FakeFarm()

    async def work(desk: Desk) -> None:
        for n in range(4):  # one runs, three wait
            desk.take(asked(f"demo-{n}"))
        with pytest.raises(Full) as full:
            desk.take(asked("demo-5"))
        assert full.value.retry_seconds > 0

    run(work, farm, length=3)


def test_what_waits_is_bounded_in_bytes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desks, "WAITING_BYTES", 25)

    async def work(desk: Desk) -> None:
        desk.take(asked("demo-0", 20 * "x"))
        desk.take(asked("demo-1", 20 * "y"))
        with pytest.raises(Full):
            desk.take(asked("demo-2", 20 * "z"))

    run(work, FakeFarm())


def test_finished_tickets_hold_no_notebook_and_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    farm = FakeFarm()

    async def work(desk: Desk) -> None:
        farm.answer(1)
        done = await over(desk, desk.take(asked("demo-1")))
        assert done.asked.notebook == b""
        monkeypatch.setattr(desks, "KEPT_SECONDS", -1.0)
        desk.take(asked("demo-2"))
        with pytest.raises(KeyError):
            desk.progress(done.id)

    run(work, farm)


def test_new_workers_are_used() -> None:
    farm = FakeFarm(workers=1)

    async def work(desk: Desk) -> None:
        tickets = [desk.take(asked(f"demo-{n}")) for n in range(3)]
        farm.workers = 3
        while desk.measures().running < 3:
            await asyncio.sleep(0.01)
        farm.answer(3)
        for one in tickets:
            assert (await over(desk, one)).state == "answered"

    run(work, farm)


def test_without_workers_who_asks_waits_until_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desks, "LOOK_SECONDS", 0.01)
    farm = FakeFarm(workers=0)

    async def work(desk: Desk) -> None:
        ticket = desk.take(asked("demo-1"))
        assert (ticket.state, ticket.position) == ("waiting", 1)
        assert (desk.measures().workers, farm.asked) == (0, [])
        farm.workers = 1
        farm.answer(1)
        assert (await over(desk, ticket)).state == "answered"

    run(work, farm)


def test_workers_that_cannot_be_counted_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desks, "LOOK_SECONDS", 0.01)
    farm = FakeFarm()

    def gone() -> int:
        raise OSError("the scheduler is gone")

    async def work(desk: Desk) -> None:
        assert desk.measures().workers == 1
        monkeypatch.setattr(farm, "room", gone)
        while desk.measures().workers:
            await asyncio.sleep(0.01)

    run(work, farm)


def test_who_waits_when_the_service_ends_is_told() -> None:
    farm = FakeFarm()

    async def opened() -> list[Progress]:
        async with Desk(farm, lambda progress: None) as desk:
            tickets = [desk.take(asked(f"demo-{n}")) for n in range(3)]
            watching = [asyncio.ensure_future(over(desk, one)) for one in tickets]
            await asyncio.sleep(0)
        farm.answer(3)
        return await asyncio.gather(*watching)

    assert {(one.state, one.sentence) for one in asyncio.run(opened())} == {("failed", GONE)}


def test_three_hundred_who_ask_at_once_are_all_answered() -> None:
    farm = FakeFarm(workers=2)

    async def work(desk: Desk) -> None:
        tickets = [desk.take(asked(f"demo-{n}")) for n in range(300)]
        farm.answer(300)
        found = await asyncio.gather(*(over(desk, one) for one in tickets))
        assert {one.state for one in found} == {"answered"}
        assert desk.measures().answered == 300

    run(work, farm)
    assert len(farm.asked) == 300

"""Workers of one farm: several assignments, whole submissions, and single questions."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn
from unittest.mock import Mock

import pytest
from distributed import Client, LocalCluster
from distributed.comm import CommClosedError
from mini import answer
from mini_course import MINI, make_course

from autograder.course.assignments import Course
from autograder.course.settings import read_settings
from autograder.errors import Ungraded, Unready
from autograder.farm import template, workers
from autograder.farm.bundle import pack
from autograder.farm.local import local_farm
from autograder.farm.warming import warming
from autograder.farm.worker import AssignmentOnWorker
from autograder.farm.workers import Farm, Packed
from autograder.grading import readiness
from autograder.grading.identity import Identity
from autograder.intake.belonging import released_in

OTHER = "other"
SET = "DATABASE_OF_THE_COURSE"
NOTHING: frozenset[str] = frozenset()


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course with two assignments alike."""
    folder = make_course(tmp_path_factory.mktemp("course"))
    for kind in ("source", "release"):
        shutil.copytree(folder / kind / MINI, folder / kind / OTHER)
        made = folder / kind / OTHER
        (made / f"{MINI}.ipynb").rename(made / f"{OTHER}.ipynb")
    shutil.copytree(folder / "checks" / MINI, folder / "checks" / OTHER)
    return Course(folder)


@pytest.fixture(scope="module")
def farm(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    settings = read_settings(course.root)
    packed = [
        Packed(
            pack(course.assignment(name), released_in(course)),
            Identity.of(course.assignment(name), settings),
            course.drift_memory,
        )
        for name in (MINI, OTHER)
    ]
    scratch = tmp_path_factory.mktemp("farm") / "workers"
    assignments = [course.assignment(name) for name in (MINI, OTHER)]
    with (
        pytest.MonkeyPatch.context() as patch,
        warming(assignments, scratch) as lent,
    ):
        patch.setenv(SET, "somewhere")
        with local_farm(1, packed, scratch, lent) as opened:
            opened.warm([OTHER])
            yield opened


def notebook(course: Course, **answers: str) -> bytes:
    return json.dumps(answer(course.assignment(MINI), **answers)).encode()


@pytest.mark.parametrize("assignment", [MINI, OTHER])
def test_each_assignment_is_judged_by_its_own_checks(
    farm: Farm, course: Course, assignment: str
) -> None:
    wrong = notebook(course, double="def double(x):\n    return x")
    found = farm.checked(assignment, "double", NOTHING, wrong, "x").question
    right = farm.checked(assignment, "triple", NOTHING, wrong, "x").question
    assert found is not None
    assert right is not None
    assert (found.status, right.status) == ("wrong", "ok")
    assert (course.drift_memory / _state(course, assignment)).is_file()


def test_a_worker_grades_whole_submissions_too(farm: Farm, course: Course) -> None:
    text = notebook(course)

    class Handed:
        notebook = text
        name = "demo"

    ((_, outcome),) = farm.outcomes(MINI, [Handed()])
    assert (outcome.kind, bool(outcome.data), outcome.question) == ("graded", True, None)


def test_a_worker_has_the_environment_of_the_head_but_for_threads(farm: Farm) -> None:
    there = farm._client.submit(lambda: dict(os.environ), pure=False).result()
    assert there == {**there, SET: "somewhere", "HOME": os.environ["HOME"], "OMP_NUM_THREADS": "1"}
    assert template.ADDRESS not in there


def test_what_cannot_be_checked_is_said(farm: Farm, course: Course) -> None:
    assert farm.checked(MINI, "double", NOTHING, b"{", "x.ipynb").kind == "unreadable"
    unknown = farm.checked(MINI, "double", frozenset({"walues"}), notebook(course), "x")
    assert (unknown.kind, "walues" in unknown.reason) == ("ungraded", True)
    assert farm.checked("nowhere", "double", NOTHING, notebook(course), "x").kind == "ungraded"


def test_a_worker_that_dies_loses_no_question(farm: Farm, course: Course) -> None:
    """Another one answers it."""
    slow = notebook(course, double="import time\ntime.sleep(1)\ndef double(x):\n    return 2 * x")
    client = farm._client
    with ThreadPoolExecutor(1) as thread:
        future = thread.submit(farm.checked, MINI, "double", NOTHING, slow, "x")
        while not any(client.processing().values()):
            time.sleep(0.01)
        (worker,) = client.run(os.getpid).values()
        os.kill(worker, signal.SIGKILL)
        question = future.result().question
    assert question is not None
    assert question.status == "ok"
    assert worker not in client.run(os.getpid).values()


class FullDisk:
    """A grader on a machine whose disk is full."""

    def check_repaired(self, *asked: object) -> NoReturn:
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    ("grader", "kind"), [(FullDisk.check_repaired, "unready"), (lambda *_: FullDisk(), "ungraded")]
)
def test_a_full_disk_of_a_worker_is_told_as_its_own(
    course: Course,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    grader: Callable[..., object],
    kind: str,
) -> None:
    assignment = course.assignment(MINI)
    bundle = pack(assignment, released_in(course))
    identity = Identity.of(assignment, read_settings(course.root))
    there = AssignmentOnWorker(bundle, identity, lender="of this machine")
    there.setup(SimpleNamespace(address="here", local_directory=tmp_path))
    monkeypatch.setattr(readiness, "ready_grader", grader)
    there.warm()
    outcome = there.check("double", NOTHING, notebook(course), "x")
    assert (outcome.kind, "No space left" in outcome.reason) == (kind, True)


def test_what_makes_a_worker_unready_is_looked_for_now_and_then(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment = course.assignment(MINI)
    bundle = pack(assignment, released_in(course))
    identity = Identity.of(assignment, read_settings(course.root))
    there = AssignmentOnWorker(bundle, identity, lender="of this machine")
    there.setup(SimpleNamespace(address="here", local_directory=tmp_path))
    started = Mock(side_effect=Unready("another torch"))
    monkeypatch.setattr(readiness, "ready_grader", started)
    for looked_for, wait in ((1, 60.0), (1, 0.0), (2, 0.0)):
        outcome = there.check("double", NOTHING, notebook(course), "x")
        assert (outcome.kind, outcome.reason) == ("unready", "another torch")
        assert started.call_count == looked_for
        monkeypatch.setattr(there, "_next_try", time.monotonic() + wait)


@pytest.fixture
def workerless() -> Iterator[Farm]:
    """Behind a scheduler whose workers have gone."""
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield Farm(client)


def test_without_workers_there_is_room_for_none(workerless: Farm) -> None:
    assert workerless.room() == 0


def test_a_question_waits_for_no_worker_for_ever(
    workerless: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "COUNT_SECONDS", 0.01)
    monkeypatch.setattr(workers, "WORKERLESS_SECONDS", 0.05)
    with pytest.raises(Ungraded, match="there was no worker"):
        workerless.checked(MINI, "double", NOTHING, b"", "x")


def test_what_a_farm_leaves_behind_when_it_is_closed_is_not_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with local_farm(1, [], tmp_path / "workers", {}):
        loop = Client.current().loop.asyncio_loop
        left = loop.create_future()
        loop.call_soon_threadsafe(left.set_exception, CommClosedError("a message to all workers"))
        while not left.done():
            time.sleep(0.01)
    del left
    gc.collect()
    assert not [one for one in caplog.records if one.name == "asyncio"]


def _state(course: Course, assignment: str) -> str:
    return Identity.of(course.assignment(assignment), read_settings(course.root)).state

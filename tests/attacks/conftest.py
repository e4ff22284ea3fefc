"""One hostile world, a warm grader, and the invariants around every attack."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from attacks import harness
from attacks.harness import Arena, Traces, World
from autograder.box import isolation
from autograder.grading import Grader


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with harness.world(tmp_path_factory.mktemp("course")) as made:
        yield made


@pytest.fixture(scope="session")
def warm(world: World) -> Iterator[Arena]:
    """The arena that all attacks share, after a first submission."""
    with Grader(world.assignment, harness.LIMITS) as grader:
        arena = Arena(world, grader, isolation.TIER)
        arena.clean()
        yield arena


@pytest.fixture(scope="session")
def clean(warm: Arena) -> bytes:
    """What the grader says of a right submission before any attack."""
    return warm.clean()


@pytest.fixture
def arena(warm: Arena, clean: bytes) -> Iterator[Arena]:
    """The arena; afterwards nothing may be left of the attack, and no secret may be out."""
    warm.forget()
    before = Traces.now()
    resident = harness.resident_bytes()
    harness.forget_peak()
    with harness.recorded(warm):
        yield warm
        assert warm.clean() == clean
    assert harness.traces_like(before) == before
    assert harness.peak_bytes() - resident < harness.PEAK_BYTES
    assert not warm.leaked()
    warm.forget()
    assert harness.resident_bytes() - resident < harness.FLAT_BYTES

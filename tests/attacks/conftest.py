"""One hostile world, a warm grader for each tier, and the invariants around every attack."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from attacks import harness, traces
from attacks.harness import Arena
from attacks.traces import Traces
from attacks.world import World, build
from autograder import helper
from autograder.box.outside.zygotes import StartedZygote
from autograder.box.walls.policy import Tier
from autograder.grading.grader import Grader
from autograder.grading.names import imported_modules


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with build(tmp_path_factory.mktemp("course")) as made:
        yield made


@contextmanager
def opened(world: World, tier: Tier) -> Iterator[Arena]:
    """An arena of that very tier, after a first submission; in a lower one attacks do harm."""
    assert tier != "none", "without a sandbox these attacks change the machine that runs them"
    with Grader(world.assignment, harness.LIMITS) as grader:
        if tier != grader.zygote.tier:
            grader.zygote.close()
            assignment = world.assignment
            imports = imported_modules(assignment.release)
            grader.zygote = StartedZygote(imports, assignment.hidden_folders(), tier)
        assert grader.zygote.tier == tier, grader.zygote.reason
        arena = Arena(world, grader, tier)
        arena.clean()
        yield arena


@pytest.fixture(scope="session")
def warm(world: World) -> Iterator[Arena]:
    """The arena that all attacks share."""
    with opened(world, "full") as arena:
        yield arena


@pytest.fixture(scope="session")
def warm_restricted(world: World) -> Iterator[Arena]:
    with opened(world, "restricted") as arena:
        yield arena


@pytest.fixture(scope="session")
def clean(warm: Arena) -> bytes:
    """What the grader says of a right submission before any attack."""
    return warm.clean()


@pytest.fixture(scope="session")
def clean_restricted(warm_restricted: Arena) -> bytes:
    return warm_restricted.clean()


@pytest.fixture
def arena(warm: Arena, clean: bytes) -> Iterator[Arena]:
    """The arena; afterwards nothing may be left of the attack, and no secret may be out."""
    with unharmed(warm, clean):
        yield warm


@pytest.fixture
def restricted(warm_restricted: Arena, clean_restricted: bytes) -> Iterator[Arena]:
    """As `arena`, in the tier without namespaces."""
    with unharmed(warm_restricted, clean_restricted):
        yield warm_restricted


@contextmanager
def unharmed(arena: Arena, clean: bytes) -> Iterator[None]:
    arena.forget()
    helper.load("autograder.grading.names")  # it stays, and none of an earlier test may be left
    before = Traces.now()
    resident = traces.resident_bytes()
    traces.forget_peak()
    with harness.recorded(arena):
        yield
        assert arena.clean() == clean
    assert traces.left_since(before) == traces.NOTHING
    assert traces.peak_bytes() - resident < harness.PEAK_BYTES
    assert not arena.leaked()
    arena.forget()
    assert traces.resident_bytes() - resident < harness.FLAT_BYTES

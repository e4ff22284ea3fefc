"""Real boxes in each tier of this machine, and what the cells that run in them say."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import ROOT

from autograder.box.outside.client import Box, BoxLost
from autograder.box.outside.zygotes import StartedZygote, Zygote
from autograder.box.walls.policy import Tier
from autograder.course.limits import MIB, Limits

LIMITS = Limits(
    memory_bytes=1024 * MIB, processes=24, file_bytes=8 * MIB, disk_bytes=16 * MIB, files=256
)
SECONDS = 20.0
Run = Callable[[str], str]


@pytest.fixture(scope="module", params=["full", "restricted"])
def zygote(request: pytest.FixtureRequest) -> Iterator[Zygote]:
    """A zygote of the tier, or of the best that this machine has below it."""
    at_most: Tier = request.param
    with StartedZygote(["torch", "matplotlib.pyplot"], [ROOT], at_most) as warm:
        yield warm


@pytest.fixture
def box(zygote: Zygote, tmp_path: Path) -> Iterator[Box]:
    (tmp_path / "given.txt").write_text("given")
    opened = zygote.box(LIMITS, {"data/given.txt": tmp_path / "given.txt"}, seed=7)
    yield opened
    end(opened)


def end(box: Box) -> None:
    """Closes a box that the test has left open."""
    if box._socket.fileno() >= 0:
        box.close()


@pytest.fixture
def run(box: Box) -> Run:
    """Runs a cell in the box; what it printed, and the name of its error if it had one."""
    return lambda source: said(box, source)


def said(box: Box, source: str) -> str:
    reply = box.run_cell(source, time.monotonic() + SECONDS)
    printed = "".join(output.get("text", "") for output in reply.outputs)
    return printed + (reply.error or "")


def fate(box: Box, source: str) -> str:
    """As `said`; of a box that was lost, its status and why."""
    try:
        return said(box, source)
    except BoxLost as loss:
        return f"{loss.status}: {loss}"


def lost(box: Box, source: str, seconds: float = SECONDS) -> str:
    with pytest.raises(BoxLost) as caught:
        box.run_cell(source, time.monotonic() + seconds)
    return caught.value.status

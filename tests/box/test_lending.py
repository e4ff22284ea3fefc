"""One zygote is warmed for several graders: each is served by a fork of it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest

from autograder.box.outside.canaries import breaches
from autograder.box.outside.client import Box, BoxLost
from autograder.box.outside.lending import LONGEST_TMPDIR, Lender, LentZygote, start_zygote
from autograder.box.outside.zygotes import StartedZygote, Zygote
from autograder.box.walls.policy import Tier
from autograder.course.limits import Limits
from autograder.errors import Ungraded, UsageError, ZygoteGone
from autograder.farm import forkserver

LIMITS = Limits(cell_seconds=10)


@pytest.fixture(scope="module")
def lender() -> Iterator[Lender]:
    with Lender(["fractions"], [Path(__file__).parent]) as lender:
        yield lender


def said(zygote: Zygote, source: str) -> str:
    box = zygote.box(LIMITS, {}, seed=0)
    try:
        return told(box, source)
    finally:
        box.close()


def told(box: Box, source: str) -> str:
    reply = box.run_cell(source, time.monotonic() + LIMITS.cell_seconds)
    return "".join(output.get("text", "") for output in reply.outputs).strip()


def test_each_grader_has_a_zygote_of_its_own(lender: Lender) -> None:
    with LentZygote(lender.address) as one, LentZygote(lender.address) as other:
        mine, theirs = one.box(LIMITS, {}, seed=0), other.box(LIMITS, {}, seed=0)
        assert told(mine, "x = 1; print(x)") == "1"
        assert told(theirs, "print('x' in globals())") == "False"
        one.close()
        with pytest.raises(ZygoteGone):
            told(mine, "print(1)")
        with pytest.raises(ZygoteGone):
            one.box(LIMITS, {}, seed=0)
        assert told(theirs, "print(2)") == "2"
        theirs.close()
        assert said(other, "print(3)") == "3"


def test_it_is_warm_and_as_confined_as_one_of_its_own(lender: Lender) -> None:
    with StartedZygote() as own, LentZygote(lender.address) as lent:
        assert (lent.tier, lent.reason) == (own.tier, own.reason)
        assert said(lent, "import sys; print('fractions' in sys.modules)") == "True"
        assert [name for name, got in breaches(lent, Path.cwd(), LIMITS) if got] == []
        descriptors = "import os; print(len(os.listdir('/proc/self/fd')))"
        assert said(lent, descriptors) == said(own, descriptors)
        hidden = f"import os; print(os.path.exists({str(Path(__file__).parent)!r}))"
        assert said(lent, hidden) == "False"


CONNECTS = """
import socket
try:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.connect({address!r})
    print("connected")
except OSError:
    print("held")
"""


@pytest.mark.parametrize("tier", ["full", "restricted"])
def test_no_box_reaches_the_lender(lender: Lender, tier: Tier) -> None:
    with StartedZygote(at_most=tier) as zygote:
        assert zygote.tier == tier
        assert said(zygote, CONNECTS.format(address=lender.address)) == "held"


def test_a_box_that_takes_its_zygote_along_costs_nobody_else(lender: Lender) -> None:
    with LentZygote(lender.address) as one, LentZygote(lender.address) as other:
        box = one.box(LIMITS, {}, seed=0)
        with pytest.raises(BoxLost):
            told(box, "import os; os._exit(3)")
        assert said(one, "print(1)") == "1"
        assert said(other, "print(2)") == "2"


def test_who_connects_before_it_is_warm_waits() -> None:
    with Lender([], []) as lender, LentZygote(lender.address) as early:
        assert said(early, "print(1)") == "1"


def test_where_nothing_can_be_lent_an_own_one_is_started(lender: Lender) -> None:
    def fails(*_: object) -> Zygote:
        raise Ungraded("no zygote")

    with Lender([], [], start=fails) as broken, pytest.raises(Ungraded):
        LentZygote(broken.address)
    for address in ("", broken.address):
        with start_zygote([], [], address) as own:
            assert type(own) is StartedZygote
    with start_zygote([], [], lender.address) as lent:
        assert type(lent) is LentZygote


@pytest.mark.parametrize("tier", ["full", "restricted"])
def test_a_lender_that_ends_leaves_nothing_behind_and_takes_nothing_away(tier: Tier) -> None:
    with Lender([], [], start=partial(StartedZygote, at_most=tier)) as lender:
        lent = LentZygote(lender.address)
    assert not Path(lender.address).parent.exists()
    assert said(lent, "print(1)") == "1"
    lent.close()


@pytest.mark.parametrize("opened", [partial(Lender, [], []), forkserver.running])
def test_temporary_files_that_lie_too_deep_for_a_socket_are_told(
    opened: Callable[[], AbstractContextManager[object]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deep = tmp_path / ("d" * LONGEST_TMPDIR)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with pytest.raises(UsageError, match="set TMPDIR to another one"), opened():
        pass
    assert not list(deep.iterdir())

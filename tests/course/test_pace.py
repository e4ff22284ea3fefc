"""How long answers may take, by how long the instructor's solution takes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course.pace import SMALLEST_PROBE_SECONDS, SMALLEST_SECONDS, TIMES, Pace
from autograder.errors import UsageError

PACE = Pace(cells={"quick": 0.1, "slow": 2.0}, probes={"quick": 0.01, "slow": 0.5}, seconds=3.0)
LEAST, LEAST_OF_PROBES = TIMES * SMALLEST_SECONDS, TIMES * SMALLEST_PROBE_SECONDS


def test_an_answer_may_take_many_times_as_long_and_always_that_of_the_smallest_time() -> None:
    assert (PACE.of_cell("quick"), PACE.of_cell("slow")) == (LEAST, 2.0 * TIMES)
    assert (PACE.of_probe("quick"), PACE.of_probe("slow")) == (LEAST_OF_PROBES, 0.5 * TIMES)


def test_cells_that_a_student_added_and_courses_without_times_have_only_the_clock() -> None:
    assert PACE.of_cell("added-1") is None
    assert Pace().of_cell("quick") is None
    assert Pace().of_probe("quick") is None


def test_a_slower_machine_allows_more() -> None:
    slow = replace(PACE, slowness=4.0)
    assert slow.of_cell("quick") == 4.0 * LEAST
    assert slow.of_probe("slow") == 4.0 * 0.5 * TIMES


@pytest.mark.parametrize(
    ("seconds", "slowness"), [(3.0, 1.0), (4.0, 4.5 / 3.5), (0.1, 1.0), (13.5, 4.0)]
)
def test_a_machine_is_as_slow_as_the_solution_is_there_and_never_fast(
    seconds: float, slowness: float
) -> None:
    assert PACE.slower_by(Pace(seconds=seconds)) == slowness


@pytest.mark.parametrize(
    ("seconds", "stored"),
    [(0.0, 0.1), (0.1, 0.1), (0.11, 0.2), (0.4, 0.4), (1.1, 2.0), (2.0, 2.0), (31.0, 40.0)],
)
def test_times_are_stored_in_round_numbers(seconds: float, stored: float) -> None:
    assert Pace(cells={"one": seconds}).settled(Pace()).cells == {"one": stored}


def test_a_stored_time_changes_only_when_it_changed_a_lot() -> None:
    measured = Pace(cells={"quick": 0.19, "slow": 1.2, "new": 0.3}, probes={"slow": 1.4}, seconds=4)
    settled = measured.settled(PACE)
    assert settled.cells == {"quick": 0.1, "slow": 2.0, "new": 0.3}
    assert settled.probes == {"slow": 2.0}
    assert settled.seconds == PACE.seconds


def test_what_is_stored_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "pace.json"
    assert Pace.load(path) == Pace()
    path.write_text(PACE.as_text())
    assert Pace.load(path) == PACE
    assert "slowness" not in json.loads(path.read_text())


@pytest.mark.parametrize("damaged", ["", "{", "[]", '{"seconds_of_old": 1}'])
def test_a_damaged_file_is_told_with_what_makes_it_again(tmp_path: Path, damaged: str) -> None:
    path = tmp_path / "pace.json"
    path.write_text(damaged)
    with pytest.raises(UsageError, match=r"pace\.json is damaged: delete it, and run `autograder"):
        Pace.load(path)

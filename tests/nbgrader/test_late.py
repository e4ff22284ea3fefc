"""What being late costs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import ROOT
from nbgrader.api import Gradebook
from ordinary_course import RIGHT, hand_in, make_course, nbgrader, source_notebook

from autograder.nbgrader.late import DAY_SECONDS, PercentPerDay


@pytest.mark.parametrize(
    ("days_late", "penalty"),
    [(0.01, 5.0), (1.0, 5.0), (1.01, 10.0), (3.5, 20.0), (30.0, 25.0)],
)
def test_each_day_begun_costs_some_percent_of_the_score(days_late: float, penalty: float) -> None:
    policy = PercentPerDay(percent=10, at_most=50)
    assert policy.late_submission_penalty("alice", 50.0, days_late * DAY_SECONDS) == penalty


def test_grace_and_extra_days_cost_nothing() -> None:
    policy = PercentPerDay(percent=10, grace_hours=1, extra_days={"bob": 2})
    assert policy.late_submission_penalty("alice", 50.0, 3600) is None
    assert policy.late_submission_penalty("alice", 50.0, 3601) == 5.0
    assert policy.late_submission_penalty("bob", 50.0, 2 * DAY_SECONDS + 3600) is None
    assert policy.late_submission_penalty("bob", 50.0, 3 * DAY_SECONDS) == 5.0


def test_the_lines_in_the_configuration_switch_it_on(tmp_path: Path) -> None:
    folder = make_course(tmp_path, {"ps1": {"p1": source_notebook()}})
    text = (ROOT / "nbgrader_config.py").read_text()
    lines = [line for line in text.splitlines() if "PercentPerDay" in line]
    assert all(line.startswith("# c.") for line in lines)
    with (folder / "nbgrader_config.py").open("a") as config:
        config.write("\n".join(line.removeprefix("# ") for line in lines))
    due = "--duedate=2026-11-04 12:00:00 UTC"
    assert nbgrader(folder, "db", "assignment", "add", "ps1", due).returncode == 0
    for student, time in (("late", "2026-11-05 14:00:00 UTC"), ("punctual", "2026-11-04 11:59:00")):
        (hand_in(folder, student, RIGHT) / "timestamp.txt").write_text(time)
    shutil.copytree(folder / "submitted" / "late", folder / "submitted" / "unknown")
    (folder / "submitted" / "unknown" / "ps1" / "timestamp.txt").unlink()
    done = nbgrader(folder, "autograde", "ps1")
    assert done.returncode == 0, done.stderr
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        found = {s: gradebook.find_submission("ps1", s) for s in ("late", "punctual", "unknown")}
        full = found["punctual"].score
        assert full == 10.0
        penalties = {s: submission.late_submission_penalty for s, submission in found.items()}
    assert penalties == {"late": 2.0, "punctual": 0.0, "unknown": 0.0}

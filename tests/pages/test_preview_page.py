"""The page of a preview: what it shows, and that nothing of a student runs in it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from html_page import Page, expect_inert, expect_usable_without_sight

from autograder.course.gradebook import Entry, Grade
from autograder.pages.preview.changes import Preview, Recorded, preview_of
from autograder.pages.preview.page import LARGEST_RADIUS, dots, page
from autograder.results.model import CheckResult, QuestionResult, SubmissionResult

HOSTILE = ["<script>alert(1)", '" onmouseover="alert(2)', "x' & y", "\N{RIGHT-TO-LEFT OVERRIDE}z"]
MADE = datetime(2026, 5, 1, tzinfo=UTC)


def recorded(
    score: float, by_hand: float | None = None, *, flag: bool = False, penalty: float = 0.0
) -> Recorded:
    """One question of ten points with a check that `score` passes from five points on."""
    grade = Grade("p1", "check_softmax", score, by_hand, None, flag, 10.0)
    title = "No `nan` is <b>left</b>."
    check = CheckResult("check_nan", title, 5.0, passed=score >= 5)
    question = QuestionResult("softmax", "wrong", score, 10.0, [check])
    result = SubmissionResult("ps1", "s", "graded", score, 10.0, "full", 1.0, [], [question])
    return Recorded(Entry(None, penalty, "", [grade], []), result)


@pytest.fixture
def found() -> Preview:
    before = {name: recorded(8.0) for name in HOSTILE}
    after = {name: recorded(3.0) for name in HOSTILE}
    before |= {
        "demo-up": recorded(2.0),
        "demo-hand": recorded(2.0, 6.0),
        "demo-as-it-was": recorded(9.0),
        "demo-again": recorded(4.0, 6.0),
    }
    after |= {
        "demo-up": recorded(7.0, penalty=0.7),
        "demo-hand": recorded(7.0, 6.0, flag=True),
        "demo-as-it-was": recorded(9.0),
        "demo-again": recorded(4.0, 6.0, flag=True),
        "demo-new": recorded(5.0),
    }
    return preview_of("ps1", before, after, {"demo-<i>": "it is <i>no</i> notebook"}, {})


@pytest.fixture
def shown(found: Preview, tmp_path: Path) -> Page:
    path = tmp_path / "page.html"
    path.write_text(page(found, MADE), encoding="utf-8")
    return Page(path)


def test_nothing_of_a_student_becomes_markup(shown: Page) -> None:
    expect_inert(shown)
    assert shown.all("b") == shown.all("i") == []
    for name in HOSTILE:
        assert name in shown.text
    assert "refused: it is <i>no</i> notebook" in shown.said


def test_the_page_is_usable_without_sight(shown: Page) -> None:
    expect_usable_without_sight(shown)
    assert "2 students above the diagonal" not in shown.said
    assert "1 student above the diagonal gain, 4 beneath it lose, 3 stay on it" in shown.said


def test_every_part_of_the_page_says_what_would_change(shown: Page) -> None:
    said = shown.said
    assert "Nothing has been recorded." in said
    assert "Would gain 1 Would lose 4 Keep their total 3 Would be new 1" in said
    assert "4 lose, 2 gain" in said
    assert "No nan is <b>left</b>. now failed: 4, now passed: 2" in said
    assert "demo-up 2 → 7 2 → 6.3 ▲ +4.3 softmax 2 → 7 now passed" in said
    assert "late penalty 0 → 0.7" in said
    assert "2 → 7, but 6 by hand counts" in said
    assert "demo-hand softmax 6 2 → 7" in said
    assert "demo-again softmax 6 other work 4" in said
    assert "1 student more would stay as they are" in said
    assert "demo-as-it-was" not in said


def test_a_dot_stands_for_all_who_share_its_place_and_stays_small(found: Preview) -> None:
    placed = {(dot.before, dot.after): (dot.students, dot.way) for dot in dots(found)}
    assert placed == {
        (80, 30): (4, "lose"),
        (20, 63): (1, "gain"),
        (60, 60): (2, "stay"),
        (90, 90): (1, "stay"),
    }
    many = {f"demo-{place}": recorded(8.0) for place in range(1000)}
    [dot] = dots(preview_of("ps1", many, many, {}, {}))
    assert dot.radius == LARGEST_RADIUS


def test_a_preview_without_any_change_says_so(tmp_path: Path) -> None:
    same = {"demo-a": recorded(8.0)}
    path = tmp_path / "page.html"
    path.write_text(page(preview_of("ps1", same, same, {}, {}), MADE), encoding="utf-8")
    said = Page(path).said
    assert "Nothing would change." in said
    assert "The mean total would stay at 80" in said

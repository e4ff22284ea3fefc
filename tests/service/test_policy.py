"""What the instructor may choose of the check service, and how often a student may ask."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mini_course import MINI, make_course

from autograder.course.assignments import CONFIG_NAME, Course
from autograder.errors import UsageError
from autograder.service.policy import CheckService, Policy, policy_of, read_policy

DEFAULT = Policy.of(CheckService())
NOW = 1_800_000_000.0


def course_that_says(folder: Path, *lines: str) -> Course:
    make_course(folder)
    with (folder / CONFIG_NAME).open("a") as file:
        file.writelines(f"c.CheckService.{line}\n" for line in lines)
    return Course(folder)


def test_a_course_that_says_nothing_has_the_defaults(tmp_path: Path) -> None:
    policy = read_policy(course_that_says(tmp_path))
    assert policy == DEFAULT
    assert (policy.reveal, policy.show_points, policy.url) == ("diagnoses", False, "")
    assert (policy.attempts_an_hour, policy.free_attempts, policy.queue_length) == (12, 3, 500)
    assert (policy.first_wait_seconds, policy.longest_wait_seconds) == (5, 300)


def test_what_a_course_says_is_read(tmp_path: Path) -> None:
    course = course_that_says(
        tmp_path,
        "reveal = 'titles'",
        f"reserved = {{'{MINI}': ['double', 'triple/values', 'triple/negative_values']}}",
        f"open_until = {{'{MINI}': '2027-02-01T12:00+01:00'}}",
        "instructors = ['demo-teacher']",
    )
    policy = read_policy(course)
    assert policy.reveal == "titles"
    assert policy.is_reserved(MINI, "double")
    assert not policy.is_reserved(MINI, "triple")
    assert policy.reserved_checks(MINI, "triple") == {"values", "negative_values"}
    assert policy.reserved_checks(MINI, "double") == frozenset()
    at = policy.open_until[MINI]
    assert at is not None
    until = at.timestamp()
    assert policy.is_open(MINI, until - 1)
    assert not policy.is_open(MINI, until)
    assert policy.is_open("another", until)
    assert policy.instructors == {"demo-teacher"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("reveal = 'everything'", "sets a wrong value: .*reveal"),
        ("attempts_an_hour = 0", "sets a wrong value: .*attempts_an_hour"),
        ("first_wait_seconds = -1", "sets a wrong value: .*first_wait_seconds"),
        ("instructors = 5", "sets a wrong value: .*instructors"),
        ("reserve = {}", "unknown option c.CheckService.reserve: use .*reserved"),
        ("reserved = {'minni': ['double']}", f"reserved names minni: this course has {MINI}"),
        ("reserved = {'mini': ['doubel']}", "names doubel of mini, .* double, triple"),
        ("reserved = {'mini': ['doubel/values']}", "names doubel/values of mini"),
        ("reserved = {'mini': ['double/']}", "names double/ of mini, and no check"),
        ("reserved = {'mini': 'double'}", "sets a wrong value: .*reserved"),
        ("open_until = {'minni': ''}", "open_until names minni"),
        ("open_until = {'mini': 'tomorrow'}", "'tomorrow': give a time with a zone"),
        ("open_until = {'mini': '2027-02-01T12:00'}", "give a time with a zone"),
        ("show_points, c.CheckService.reveal = True, 'passed'", "show_points tells more"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        read_policy(course_that_says(tmp_path, line))
    assert "\n" not in str(caught.value)


def test_the_first_attempts_wait_for_nothing_and_then_the_wait_doubles() -> None:
    policy = replace(DEFAULT, attempts_an_hour=20)
    waits = [policy.allowance([NOW] * count, NOW).next_in_seconds for count in range(14)]
    assert waits == [0, 0, 0, 5, 10, 20, 40, 80, 160, 300, 300, 300, 300, 300]


def test_what_is_waited_for_passes() -> None:
    asked = [NOW - 4] * 3
    assert DEFAULT.allowance(asked, NOW) == (9, 1)
    assert DEFAULT.allowance(asked, NOW + 1) == (9, 0)


def test_after_an_hours_attempts_the_oldest_must_be_an_hour_ago() -> None:
    asked = [NOW - 3600 + 100 * n for n in range(1, 13)]
    assert DEFAULT.allowance(asked, NOW) == (0, 100)
    assert DEFAULT.allowance(asked, NOW + 100).attempts_left == 1


@given(st.lists(st.floats(0, 3 * 3600), max_size=60), st.integers(1, 20))
def test_who_asks_whenever_it_is_allowed_never_asks_more_in_any_hour(
    pauses: list[float], most: int
) -> None:
    policy, now, asked = replace(DEFAULT, attempts_an_hour=most), NOW, list[float]()
    for pause in pauses:
        now += pause
        left, wait = policy.allowance(asked, now)
        now += wait
        assert policy.allowance(asked, now).next_in_seconds < 1e-5
        asked.append(now)
        assert sum(now - at < 3600 - 1e-5 for at in asked) <= most
        assert left >= 0


def test_an_option_of_the_command_line_is_no_option_of_the_service() -> None:
    from traitlets.config import Config

    with pytest.raises(UsageError, match="unknown option"):
        policy_of(Config(CheckService={"raveal": "passed"}))

"""Replies that several checks look at: asked for once, noted in every check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest
import torch

from autograder.checking import CheckFailure, Reply, Student, shared


class Asked:
    """A student who counts what was asked, and keeps what was noted."""

    def __init__(self, raises: str = "") -> None:
        self.cases: list[str] = []
        self.noted: list[tuple[dict[str, torch.Tensor], Mapping[str, Any]]] = []
        self._raises = raises

    def answer(self, case: str) -> Reply:
        self.cases.append(case)
        if self._raises:
            raise CheckFailure(self._raises, "error")
        return Reply.of({case: torch.ones(len(self.cases))})

    def note(self, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
        self.noted.append((dict(tensors), facts))


@shared
def reply(student: Student, case: str) -> Reply:
    return cast(Asked, student).answer(case)


def asked(student: Asked, case: str) -> Reply:
    return reply(cast(Student, student), case)


def test_each_case_is_asked_once_for_each_student() -> None:
    one, other = Asked(), Asked()
    first = asked(one, "a")
    assert asked(one, "a") is first
    asked(one, "b")
    assert asked(other, "a") is not first
    assert (one.cases, other.cases) == (["a", "b"], ["a"])


def test_every_check_notes_what_it_looks_at() -> None:
    student = Asked()
    for case in "aba":
        asked(student, case)
    assert [list(tensors) for tensors, _ in student.noted] == [["a"], ["b"], ["a"]]


def test_what_raises_is_asked_again_and_noted_without_the_students_lines() -> None:
    student = Asked("Your code raised ValueError: no\n  in your cell, line 3: raise ValueError")
    for _ in range(2):
        with pytest.raises(CheckFailure):
            asked(student, "a")
    assert student.cases == ["a", "a"]
    assert student.noted == [({}, {"failure": "Your code raised ValueError: no"})] * 2

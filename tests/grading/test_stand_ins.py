"""What stands in for a student's answer is like it for those who call it and look into it."""

from __future__ import annotations

import pytest

from autograder.errors import NotDone
from autograder.grading.stand_ins import stand_in
from autograder.helper import Allowance

BLOCK = """class Block:
    def __init__(self):
        self.{} = Layer()

    def forward(self, x{}):
        return x"""
THEIRS = BLOCK.format("layer", "")


def test_it_has_the_students_names_and_takes_what_theirs_takes() -> None:
    found = stand_in(BLOCK.format("mine", ", mask=None"), THEIRS, Allowance(5))
    assert found.startswith(f"{THEIRS}\n\nBlock.mine = ")
    assert "\n\nBlock.forward = " in found


def test_where_both_are_alike_nothing_is_added() -> None:
    assert stand_in(THEIRS, THEIRS, Allowance(5)) == THEIRS


def test_what_cannot_be_read_in_time_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object, **__: object) -> None:
        raise NotDone("it took longer than 5 s")

    monkeypatch.setattr("autograder.helper.run", late)
    assert stand_in(BLOCK.format("mine", ", mask=None"), THEIRS, Allowance(5)) == THEIRS


def test_where_no_time_is_left_nothing_is_read() -> None:
    assert stand_in(BLOCK.format("mine", ", mask=None"), THEIRS, Allowance(0)) == THEIRS

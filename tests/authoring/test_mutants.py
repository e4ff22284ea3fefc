"""`autograder mutants` tries out all questions of all assignments in processes of their own."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from autograder.authoring import mutants
from autograder.authoring.strength import Strength
from autograder.course.assignments import Question
from autograder.grading.change_library import RepliesOfChange
from autograder.grading.prints import Print


def test_no_tensor_travels_back_where_each_costs_an_open_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = RepliesOfChange(
        frozenset([("constant", "")]), {"values": Print(b"abcd", torch.zeros(3))}
    )
    kept = Strength(Question("triple", 1.0), killed={"x": ["values"]}, changes={"x": found})
    monkeypatch.setattr(mutants, "measured", lambda *_, **__: kept)
    monkeypatch.setitem(mutants._warm, "mini", SimpleNamespace())
    back = mutants._measured_here(tmp_path, "mini", "triple", "", store=False)
    assert back.changes == {}
    assert back.killed == kept.killed


def test_a_check_that_fails_for_nobody_is_told_from_one_that_others_make_needless() -> None:
    killed = {"x": ["values", "sizes"], "y": ["values"]}
    strength = Strength(Question("triple", 1.0), ["values", "sizes", "care"], killed=killed)
    said = mutants.summary([strength])
    assert "  no wrong answer fails it: care\n  kills nothing alone: sizes" in said
    assert "values" not in said


def test_a_misconception_that_hangs_is_no_fault_of_the_checks_that_have_no_name_for_it() -> None:
    strength = Strength(
        Question("triple", 1.0),
        killed={"endless": ["values"]},
        named={"endless": set()},
        hanging=["endless"],
    )
    assert mutants.faults([strength]) == []
    assert "  hangs or breaks off, which has no name: endless" in mutants.summary([strength])
    strength.hanging = []
    assert mutants.faults([strength]) == ["only 0 of 1 misconceptions are named"]

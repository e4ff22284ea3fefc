"""What matches an expected tensor, and how far stored tensors may differ."""

from __future__ import annotations

import math

import pytest
import torch

from autograder.box.probes import ProbeRun, Scalar
from autograder.checking.asking import Reply
from autograder.checking.comparing import ATOL, RTOL
from autograder.checking.expected import Expected, Recorder
from autograder.checking.failures import CheckFailure
from autograder.errors import Ungraded, UsageError

STORED = Expected({"case.y": torch.tensor([1.0, 2.0])})


def reply(**tensors: object) -> Reply:
    kept = {name: t for name, t in tensors.items() if isinstance(t, torch.Tensor)}
    return Reply(ProbeRun(tensors=kept))


def test_equal_values_within_tolerance_match() -> None:
    STORED.match("case", reply(y=torch.tensor([1.0, 2.00001])))


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (torch.ones(3), r"`y` has shape \(3,\); expected \(2,\)"),
        (torch.tensor(1.0), r"`y` has shape \(\); expected \(2,\)"),
        (torch.zeros(0), r"`y` has shape \(0,\)"),
        (torch.tensor([1.0, 2.0], dtype=torch.float64), "dtype float64; expected float32"),
        (torch.tensor([True, True]), "dtype bool; expected float32"),
        (torch.tensor([1.0, float("nan")]), "NaN or infinite"),
        (torch.tensor([1.0, float("inf")]), "NaN or infinite"),
        (torch.tensor([1.0, 1e38]), r"50\.0% of its values are wrong"),
        (torch.tensor([1.0, 2.01]), r"50\.0% of its values are wrong"),
    ],
)
def test_anything_else_fails_and_says_how_without_the_value(
    found: torch.Tensor, sentence: str
) -> None:
    with pytest.raises(CheckFailure, match=sentence):
        STORED.match("case", reply(y=found))
    assert not STORED.accepts("case", reply(y=found))


def test_a_missing_tensor_fails() -> None:
    with pytest.raises(CheckFailure, match="returned no `y`"):
        STORED.match("case", reply(z=torch.ones(2)))


def test_an_unknown_case_is_the_graders_fault() -> None:
    with pytest.raises(Ungraded, match="run `autograder expected`"):
        STORED.match("other", reply(y=torch.ones(2)))


def test_a_recorder_writes_the_same_bytes_in_any_order() -> None:
    first, second = Recorder({}), Recorder({})
    a, b = reply(y=torch.ones(2)), reply(y=torch.zeros(3))
    first.match("a", a), first.match("b", b)
    second.match("b", b), second.match("a", a)
    assert first.as_bytes() == second.as_bytes()


def test_two_checks_that_share_a_case_must_agree() -> None:
    recorder = Recorder({})
    recorder.match("case", reply(y=torch.ones(2)))
    recorder.match("case", reply(y=torch.ones(2)))
    with pytest.raises(CheckFailure):
        recorder.match("case", reply(y=torch.zeros(2)))


@pytest.mark.parametrize("value", [3, 0.5, True, "wide", None])
def test_what_is_no_tensor_is_not_matched_without_a_word(value: Scalar) -> None:
    mixed = Reply(ProbeRun({"y": torch.ones(2)}, {"plain": value}))
    said = rf"compares tensors alone, and `plain` is of type {type(value).__name__}"
    with pytest.raises(UsageError, match=said):
        Recorder({}).match("case", mixed)


def test_some_numbers_may_be_infinite_as_hidden_scores_are() -> None:
    recorder, scores = Recorder({}), torch.tensor([1.0, -math.inf])
    recorder.match_one("example.scores", "scores", scores)
    Expected(recorder.tensors).match_one("example.scores", "scores", scores.clone())


def test_stored_tensors_may_differ_as_far_as_the_most_generous_check_allows() -> None:
    recorder = Recorder({})
    recorder.match_one("distant", "y", torch.tensor([1.0]), atol=1e-6)
    recorder.of("").match_one("distant", "y", torch.tensor([1.0]), atol=0.1, rtol=0.01)
    recorder.of("part").match_one("y", "y", torch.tensor([1.0]), atol=0.2)
    assert recorder.tolerances("distant") == (0.1, 0.01)
    assert recorder.tolerances("part:y")[0] == 0.2


def test_stored_tensors_may_differ_by_rounding_but_whole_numbers_never_more_than_else() -> None:
    recorder = Recorder({})
    kinds = {"half": torch.bfloat16, "whole": torch.int64, "single": torch.float32}
    for key, dtype in kinds.items():
        recorder.match_one(key, "y", torch.ones(2, dtype=dtype))
    found = {key: recorder.tolerances(key) for key in kinds}
    assert found["whole"] == found["single"] == (ATOL, RTOL)
    assert found["half"] == (ATOL, 8 * torch.finfo(torch.bfloat16).eps)

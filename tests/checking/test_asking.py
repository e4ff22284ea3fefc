"""What a check may be given, and what it says of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from autograder.box.probes import run_probe
from autograder.checking.asking import Reply, reply_or_failure
from autograder.checking.comparing import compare, comparisons, expect_close
from autograder.checking.failures import CheckFailure
from autograder.checking.properties import expect_dropped

PROBE = "def run(answers):\n    return {'y': answers.f()}"
SUMS = "def run(answers):\n    return {'y': answers.f().sum()}"


def answered(value: Any, source: str = PROBE) -> Reply:
    """The reply to a probe that asks an answer which gives `value` back."""
    return reply_or_failure(run_probe(source, "run", {"f": lambda: value}, {}))


@pytest.mark.parametrize("number", [np.float64(2.5), np.float32(2.5), 2.5])
def test_a_number_of_numpys_is_a_number(number: Any) -> None:
    assert answered(number)["y"] == 2.5


def test_an_integer_or_boolean_of_numpys_keeps_its_kind() -> None:
    assert answered(np.int32(3))["y"] == 3
    assert answered(np.bool_(True))["y"] is True


@pytest.mark.parametrize(
    ("value", "kind"), [([1.0], "list"), (np.ones(2), "ndarray"), ((1, 2), "tuple")]
)
def test_a_list_or_array_is_refused_by_what_the_answer_gave(value: Any, kind: str) -> None:
    with pytest.raises(CheckFailure, match=f"`y` is of type {kind}; expected a torch.Tensor"):
        expect_close(answered(value), "y", torch.ones(2))


def test_what_a_probe_cannot_use_is_a_fault_of_the_answer() -> None:
    with pytest.raises(CheckFailure) as failed:
        answered([1.0], SUMS)
    assert "cannot be used as the question says" in str(failed.value)
    assert "'list' object has no attribute 'sum'" in str(failed.value)
    assert "Your code raised" not in str(failed.value)
    assert failed.value.status == "error"


def test_what_a_probe_meets_in_torch_is_no_error_of_the_students_code() -> None:
    source = "def run(answers):\n    return {'y': torch.bincount(answers.f())}"
    with pytest.raises(CheckFailure) as failed:
        answered(torch.ones(3, 1, dtype=torch.long), source)
    assert "cannot be used as the question says" in str(failed.value)
    assert "Using it raised RuntimeError: bincount only supports 1-d" in str(failed.value)
    assert failed.value.status == "error"


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int32, torch.int64])
def test_an_integer_of_another_width_is_right_unless_the_check_says_so(dtype: torch.dtype) -> None:
    reply, wanted = Reply.of({"y": torch.tensor([1, 2], dtype=dtype)}), torch.tensor([1, 2])
    expect_close(reply, "y", wanted)
    with pytest.raises(CheckFailure, match="all of its values are wrong"):
        expect_close(reply, "y", wanted + 1)
    if dtype != torch.int64:
        with pytest.raises(CheckFailure, match="expected int64"):
            expect_close(reply, "y", wanted, exact_dtype=True)


@pytest.mark.parametrize("found", [torch.ones(2), torch.tensor(1), torch.tensor(1j)])
def test_a_number_is_one_and_real(found: torch.Tensor) -> None:
    with pytest.raises(CheckFailure, match="`y` has"):
        Reply.of({"y": found}).number("y")
    assert Reply.of({"y": torch.tensor([2.5])}).number("y") == 2.5


@pytest.mark.parametrize("found", [torch.tensor([1.0, 0.0]), torch.tensor([True, False])])
def test_neither_floats_nor_booleans_are_integers(found: torch.Tensor) -> None:
    with pytest.raises(CheckFailure, match="expected int64"):
        expect_close(Reply.of({"y": found}), "y", torch.tensor([1, 0]))


@pytest.mark.parametrize("wanted", [[1.0, 2.5], np.array([1.0, 2.5]), (1.0, 2.5)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_is_wanted_may_be_a_list_or_an_array(wanted: Any, dtype: torch.dtype) -> None:
    expect_close(Reply.of({"y": torch.tensor([1.0, 2.5], dtype=dtype)}), "y", wanted)
    with pytest.raises(CheckFailure, match="values are wrong"):
        expect_close(Reply.of({"y": torch.tensor([1.0, 2.0], dtype=dtype)}), "y", wanted)


@pytest.mark.parametrize("number", [0.5, float("inf"), float("nan")])
def test_what_is_wanted_to_the_last_bit_is_right_and_counts_as_compared(number: float) -> None:
    comparisons.clear()
    wanted = torch.tensor([1.0, number])
    compare("y", wanted.clone(), wanted, atol=0, rtol=0)
    assert [one.right for one in comparisons] == [None]
    with pytest.raises(CheckFailure):
        compare("y", wanted.double(), wanted, atol=0, rtol=0)


def test_only_an_empty_stub_is_called_not_written_yet() -> None:
    def stub() -> None:
        raise NotImplementedError()

    def torchs_own() -> torch.Tensor:
        return torch.ones(2, device="meta").to("cpu")

    for answer, said in ((stub, "not written yet"), (torchs_own, "Using it raised")):
        with pytest.raises(CheckFailure, match=said):
            reply_or_failure(run_probe(PROBE, "run", {"f": answer}, {}))


def dropped(p: float, *, scaled: bool = True) -> tuple[torch.Tensor, torch.Tensor]:
    """Numbers, and what dropout leaves of them."""
    generator = torch.Generator().manual_seed(3)
    whole = 1 + torch.rand(4000, dtype=torch.float64, generator=generator)
    kept = torch.rand(4000, generator=generator) >= p
    return whole * kept / (1 - p if scaled else 1), whole


def test_what_dropout_does_is_told_from_what_it_does_not() -> None:
    expect_dropped(*dropped(0.3), p=0.3)
    for (found, whole), said in (
        (dropped(0.0), "wants to be dropped is zero"),
        (dropped(0.1), "numbers are not dropped one by one"),
        (dropped(0.3, scaled=False), "is not made larger"),
    ):
        with pytest.raises(CheckFailure, match=said):
            expect_dropped(found, whole, p=0.3)

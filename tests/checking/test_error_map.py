"""The picture of an error says where it is, and nothing of the values."""

from __future__ import annotations

import pytest
import torch

from autograder.checking.comparing import compare
from autograder.checking.failures import CheckFailure
from autograder.results.model import ErrorMap


def found_map(found: torch.Tensor, wanted: torch.Tensor) -> ErrorMap:
    with pytest.raises(CheckFailure) as caught:
        compare("x", found, wanted, atol=1e-5, rtol=1e-4)
    assert caught.value.error_map is not None
    return caught.value.error_map


def test_the_wrong_half_is_shown_and_the_right_half_is_blank() -> None:
    wanted = torch.ones(2, 3)
    found = wanted.clone()
    found[:, 2] = torch.tensor([5.0, 1.5])
    drawn = found_map(found, wanted)
    assert drawn.shape == [2, 3]
    assert drawn.levels == [[0, 0, 4], [0, 0, 4]]


def test_a_large_tensor_becomes_a_small_table_that_loses_no_error() -> None:
    wanted = torch.zeros(3, 40, 500)
    found = wanted.clone()
    found[2, 39, 499] = 1.0
    levels = found_map(found, wanted).levels
    assert (len(levels), len(levels[0])) == (16, 32)
    assert levels[-1][-1] == 1
    assert sum(map(sum, levels)) == 1


def test_fields_of_many_numbers_are_the_darker_the_more_are_wrong() -> None:
    wanted, found = torch.zeros(16, 64), torch.zeros(16, 64)
    found[:, 2], found[:, 4:6] = 1.0, 1.0
    assert found_map(found, wanted).levels == [[0, 2, 4, *[0] * 29]] * 16


def test_numbers_vectors_and_integers_have_a_map_too() -> None:
    assert found_map(torch.tensor(1.0), torch.tensor(2.0)).levels == [[4]]
    assert found_map(torch.tensor([1, 2]), torch.tensor([1, 3])).levels == [[0, 4]]
    assert found_map(torch.tensor([True, True]), torch.tensor([True, False])).levels == [[0, 4]]


@pytest.mark.parametrize("error", [torch.randn(4, 4), torch.full((4, 4), 1e30)])
def test_how_far_off_numbers_are_is_not_drawn(error: torch.Tensor) -> None:
    wanted, found = torch.zeros(4, 4), torch.zeros(4, 4)
    found[1:] = error[1:]
    assert found_map(found, wanted).levels == [[0] * 4] + [[4] * 4] * 3

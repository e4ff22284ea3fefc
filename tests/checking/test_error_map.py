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
    assert drawn.levels == [[0, 0, 4], [0, 0, 1]]


def test_a_large_tensor_becomes_a_small_table_that_loses_no_error() -> None:
    wanted = torch.zeros(3, 40, 500)
    found = wanted.clone()
    found[2, 39, 499] = 1.0
    levels = found_map(found, wanted).levels
    assert (len(levels), len(levels[0])) == (16, 32)
    assert levels[-1][-1] == 4
    assert sum(map(sum, levels)) == 4


def test_numbers_vectors_and_integers_have_a_map_too() -> None:
    assert found_map(torch.tensor(1.0), torch.tensor(2.0)).levels == [[4]]
    assert found_map(torch.tensor([1, 2]), torch.tensor([1, 3])).levels == [[0, 4]]
    assert found_map(torch.tensor([True, True]), torch.tensor([True, False])).levels == [[0, 4]]


def test_scaling_an_error_draws_the_same_picture() -> None:
    wanted, error = torch.zeros(4, 4), torch.randn(4, 4)
    assert found_map(error, wanted).levels == found_map(1000 * error, wanted).levels


def test_where_one_error_is_infinite_the_others_keep_their_shades() -> None:
    wanted, found = torch.zeros(2, 4), torch.zeros(2, 4)
    wanted[0, 0], found[0, 0], found[1] = -torch.inf, -1e9, torch.arange(1.0, 5)
    assert found_map(found, wanted).levels == [[4, 0, 0, 0], [1, 2, 3, 4]]

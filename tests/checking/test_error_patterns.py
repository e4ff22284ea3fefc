"""Wrong numbers tell what kind of error they show."""

from __future__ import annotations

from unittest.mock import Mock

import pytest
import torch

from autograder.checking import numbers
from autograder.checking.comparing import compare
from autograder.checking.error_patterns import kind_of_error
from autograder.checking.failures import CheckFailure
from autograder.results import sentences

RIGHT = numbers(1, 2, 4, 4)
MASK = numbers(2, 2, 4, 4) > 0


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (8 * RIGHT, sentences.off_by_a_factor(8.0)),
        (-RIGHT, sentences.off_by_a_factor(-1.0)),
        (RIGHT / 2**0.5, sentences.off_by_a_factor(0.71)),
        (RIGHT + 0.3, sentences.OFF_BY_A_CONSTANT),
        (RIGHT.transpose(1, 2), sentences.TRANSPOSED),
        (RIGHT[:, [2, 0, 3, 1]], sentences.REORDERED),
        (RIGHT.flip(0), sentences.REORDERED),
        (RIGHT * MASK, sentences.RIGHT_BUT_ZEROS),
        (RIGHT.mean(1, keepdim=True).expand_as(RIGHT), sentences.constant_along(1)),
        (torch.zeros_like(RIGHT), sentences.ALL_ZERO),
        (RIGHT + torch.tensor([0, 1.0, 0.5, 0])[:, None], sentences.wrong_along(1, range(1, 3))),
        (
            RIGHT + RIGHT.abs() * torch.tensor([0, 1.0, 0, 1]),
            sentences.wrong_along(2, range(1, 4, 2)),
        ),
        (torch.stack([RIGHT[0], RIGHT[1] ** 2]), sentences.wrong_along(0, range(1, 2))),
        (RIGHT + 0.01 * numbers(3, 2, 4, 4), sentences.NEARLY),
    ],
)
def test_the_kind_is_told(found: torch.Tensor, said: str) -> None:
    assert kind_of_error(found, RIGHT) == said


@pytest.mark.parametrize(
    "found",
    [
        *(numbers(5, 2, 4, 4), RIGHT.flip(2), RIGHT**2, torch.full_like(RIGHT, torch.nan)),
        RIGHT + RIGHT.abs() * (torch.arange(32).reshape(2, 4, 4) % 3 == 0),
    ],
)
def test_nothing_is_told_where_no_kind_fits(found: torch.Tensor) -> None:
    assert kind_of_error(found, RIGHT) == ""


def test_another_order_of_very_many_rows_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each would be compared with each."""
    wanted = numbers(20_000).reshape(-1, 1)
    monkeypatch.setattr(torch, "cdist", Mock(side_effect=AssertionError("all with all")))
    assert kind_of_error(wanted.roll(1, dims=0), wanted) != sentences.NEARLY


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ([2], "index 2"),
        ([4, 5], "the indices 4 and 5"),
        ([1, 3], "the indices 1 and 3"),
        ([3, 4, 5], "the indices 3 to 5"),
        ([1, 3, 5], "every second index from 1 to 5"),
        ([0, 1, 4], ""),
        ([0, 3], ""),
    ],
)
def test_places_along_an_axis_are_told_in_few_words(places: list[int], said: str) -> None:
    right = numbers(1, 4, 9)
    found = right.index_add(1, torch.tensor(places), 1 + numbers(2, 4, len(places)).abs())
    sentence = f"Along axis 1 they are wrong at {said}, and right at the others."
    assert kind_of_error(found, right) == (sentence if said else "")


def test_neither_ids_nor_long_axes_are_told_by_their_places() -> None:
    """By which who may ask often would learn what is expected."""
    ids = torch.arange(12).reshape(3, 4) * 7 % 5
    assert kind_of_error(torch.cat([ids[:1], ids[1:] ** 2 + 6]), ids) == ""
    long = numbers(1, 1, 200)
    assert kind_of_error(torch.cat([long[:, :90], long[:, 90:].exp()], dim=1), long) == ""


def test_infinite_numbers_in_wrong_places_are_not_said_to_be_wrong_at_all() -> None:
    """Where the right answer holds some, as a bias that hides does."""
    bias = torch.zeros(3, 3).masked_fill(torch.ones(3, 3).triu(1).bool(), -torch.inf)
    with pytest.raises(CheckFailure, match=sentences.INFINITE_ELSEWHERE) as caught:
        compare("bias", bias.T, bias, atol=1e-5, rtol=1e-4)
    assert caught.value.observed == ""
    with pytest.raises(CheckFailure) as caught:
        compare("bias", bias.T * 0, bias, atol=1e-5, rtol=1e-4)
    assert caught.value.observed == "not_finite"


def test_a_pattern_needs_more_than_two_numbers() -> None:
    assert kind_of_error(torch.tensor([2.0, 4.0]), torch.tensor([1.0, 2.0])) == ""


@pytest.mark.parametrize("wrong", [6.5, 0.0])
def test_one_wrong_number_shows_no_pattern(wrong: float) -> None:
    right = torch.tensor([0.0, 0.0, 0.0, 0.0, 1.0])
    assert kind_of_error(torch.where(right == 1, wrong, right), right) == ""


def test_integers_and_booleans_are_numbers_too() -> None:
    ids = torch.arange(6)
    assert kind_of_error(ids + 1, ids) == sentences.OFF_BY_A_CONSTANT
    kept = torch.tensor([[True, False], [True, True]])
    assert kind_of_error(kept.T, kept) == sentences.TRANSPOSED


def test_an_id_or_truth_value_is_not_called_nearly_right_or_a_multiple() -> None:
    ids = torch.tensor([[400, 400, 400, 401], [400, 403, 400, 400]])
    assert kind_of_error(ids.sort().values, ids) == ""
    assert kind_of_error(2 * ids, ids) == ""
    triangle = torch.ones(4, 4, dtype=torch.bool).tril()
    assert kind_of_error(triangle.tril(-1), triangle) == ""


def test_numbers_that_differ_by_little_are_not_called_a_multiple() -> None:
    wanted = numbers(3, 4, 6, scale=100)
    found = wanted.clone()
    found[:, 0] += 0.01
    assert kind_of_error(found, wanted) == sentences.NEARLY
    assert kind_of_error(1.01 * wanted, wanted) == sentences.NEARLY

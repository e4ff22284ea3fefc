"""What a domain makes of the sizes and kinds that its author declares."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch

from autograder.checking import Domain, Floats, Integers, Masks, Probe, Tokens, Weights
from autograder.checking.inputs import Data

DOMAIN = Domain(
    answer="answer",
    sizes={"N": 2, "L": 3, "heads": 2, "head_dim": 3, "width": 5},
    derived={"dim": "heads*head_dim"},
    more={"where width and dim are equal": {"width": 6}},
    inputs={"x": "N L dim"},
    returns={"output": "N L width"},
)


def test_derived_sizes_follow_the_others_in_every_case() -> None:
    for case in DOMAIN.cases():
        assert case.sizes["dim"] == case.sizes["heads"] * case.sizes["head_dim"], case.id
        assert DOMAIN.made.tensors(case)[f"{case.source}/x"].shape[-1] == case.sizes["dim"]


def test_an_author_may_add_sizes_that_coincide() -> None:
    (case,) = [case for case in DOMAIN.cases() if case.id in DOMAIN.more]
    assert case.aspect == "sizes"
    assert case.sizes["width"] == case.sizes["dim"]


def test_a_random_answer_has_results_of_its_own_in_evaluation() -> None:
    for random in (False, True):
        domain = Domain("A", {"N": 2}, {"x": "N"}, {"y": "N"}, (), random=random)
        (case,) = [case for case in domain.cases() if case.id == "evaluation"]
        assert case.source == ("evaluation" if random else "example")


def test_where_results_have_kinks_no_gradient_of_zeros_is_asked() -> None:
    for kinks in (False, True):
        domain = Domain("largest", {"N": 2, "d": 3}, {"x": "N d"}, {"y": "N"}, kinks=kinks)
        asked = {case.id for case in domain.cases() if case.gradients}
        assert {"example", "other"} <= asked
        assert ("zeros" in asked) is not kinks


def test_rows_of_attention_sum_to_one_unless_dropout_left_them_otherwise() -> None:
    shape = (2, 3, 4, 4)
    kinds: tuple[Data, ...] = ("ordinary", "zeros", "large", "alike")
    for data in kinds:
        sums = Weights("N H L L").made(1, shape, data).sum(dim=-1)
        assert torch.allclose(sums, torch.ones(2, 3, 4)), data
    dropped = Weights("N H L L", dropped=True).made(1, shape, "ordinary")
    assert (dropped == 0).any()
    assert not torch.allclose(dropped.sum(dim=-1), torch.ones(2, 3, 4))


def test_the_first_key_may_be_kept_from_having_all_weight() -> None:
    large = [Weights("N L L", first=first).made(1, (9, 4, 4), "large") for first in (True, False)]
    assert [bool((weights[..., 0] == 1).any()) for weights in large] == [True, False]
    assert (large[1].sum(dim=-1) == 1).all()


def test_a_padded_input_ends_with_a_row_of_zeros_and_has_others() -> None:
    made = Floats("N L d", padded=True).made(1, (2, 3, 4), "ordinary")
    assert (made != 0).any(dim=-1).tolist() == [[True, True, False]] * 2
    assert (Floats("N L d", padded=True).made(1, (2, 1, 4), "ordinary") != 0).all()


def test_some_rows_of_numbers_are_zero_in_gaps_and_what_else_is_given_is_as_ever() -> None:
    made = Floats("N L d").made(1, (2, 5, 4), "gaps")
    assert (made != 0).any(dim=-1).tolist() == [[True, False, True, True, False]] * 2
    for kind in (Weights("N L L"), Masks("N L L"), Floats("L")):
        ordinary = kind.made(1, (2, 5, 5)[-len(kind.shape.split()) :], "ordinary")
        gaps = kind.made(1, (2, 5, 5)[-len(kind.shape.split()) :], "gaps")
        assert torch.equal(gaps, ordinary)
    assert (Tokens("N L", 9).made(1, (2, 5), "gaps", 9) > 0).all()


def test_a_mask_leaves_every_query_a_key() -> None:
    kinds: tuple[Data, ...] = ("ordinary", "zeros", "large")
    for data in kinds:
        assert Masks("L L").made(3, (9, 9), data).any(dim=-1).all(), data
    assert (Masks("L L").made(3, (9, 9), "large").sum(dim=-1) == 1).all()


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"optional": ["masks"]}, "`optional` names the input `masks`, and there are mask, x"),
        ({"optional": "mask"}, "`optional` is one string: give a tuple of names"),
        ({"lists": ("y",)}, "`lists` names the input `y`"),
        ({"unmasked": ("x",)}, "`unmasked` names the result `x`, and there are y"),
        ({"multiples": {"D": 2}}, "`multiples` names the size `D`, and there are N, d"),
        ({"more": {"wide": {"D": 9}}}, "`more['wide']` names the size `D`"),
        ({"inputs": {"x": "N head"}}, "`inputs` names the size `head`"),
        ({"inputs": {"x": Integers("N", 0, "C")}}, "`inputs` names the size `C`"),
        ({"inputs": {"x": ["N", "d"]}}, "the sizes of `x` in `inputs` are no string: write them"),
        ({"inputs": {"x": Masks(("N", "d"))}}, "the sizes of `x` in `inputs` are no string"),  # type: ignore[arg-type]
        ({"returns": {"y": ("N", "d")}}, "the sizes of `y` in `returns` are no string"),
        ({"derived": {"D": 6}}, "the sizes of `D` in `derived` are no string"),
        ({"attributes": ["d"]}, "`attributes` is no dictionary"),
        ({"inputs": ["x"]}, "`inputs` is no dictionary"),
        ({"returns": {"y": "N*kv d"}}, "`returns` names the size `kv`"),
        ({"returns": {"y": "N (d"}}, "`returns` names the size `(d`"),
        ({"only": ("exampel",)}, "`only` names the case `exampel`"),
        ({"without": ("zeroes",)}, "`without` names the case `zeroes`"),
        ({"without": ("example",)}, "`without` names the case `example`, which is always asked"),
        ({"without": "zeros"}, "`without` is one string: give a tuple of names"),
        ({"settings": {"graph": ({1: [2]},)}}, "the setting `graph` has a value of type dict"),
        ({"settings": {"edges": ("", [(0, 1)])}}, "the setting `edges` has a value of type list"),
        ({"settings": {"at": [(0, 1)]}}, "the setting `at` has a value of type tuple"),
        ({"settings": {"kind": (torch.float32,)}}, "the setting `kind` has a value of type dtype"),
        ({"call": len}, "`call` is no Probe: write `call=Probe(...)`"),
    ],
)
def test_what_would_switch_cases_off_without_a_word_is_told(
    wrong: dict[str, Any], why: str
) -> None:
    given = {"inputs": {"x": "N d", "mask": Masks("N d")}, "returns": {"y": "N d"}, **wrong}
    with pytest.raises(ValueError, match=re.escape(f"the domain of `double` is wrong: {why}")):
        Domain("double", {"N": 2, "d": 3}, **given)


def test_what_is_left_out_is_not_asked_nor_what_shares_its_results() -> None:
    whole = Domain("f", {"N": 2, "d": 3}, {"x": "N d", "y": "N d"}, {"z": "N d"}, optional=("y",))
    left = replace(whole, without=("distant", "bare"))
    gone = {case.id for case in whole.cases()} - {case.id for case in left.cases()}
    assert gone == {"distant", "bare", "bare_device"}


LARGE = 1000


def beside(answers: Any, x: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"y": answers.double(x)}
    return {name: [LARGE * one for one in [y]] for name, y in found.items()}


def test_a_probe_that_rests_on_its_module_is_refused() -> None:
    with pytest.raises(ValueError, match="the probe beside uses LARGE of its module"):
        Probe(beside)


@pytest.mark.parametrize("function", [lambda answer, x: answer(x), len, partial(int, base=2)])
def test_a_probe_without_a_source_of_its_own_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="write it as a `def`"):
        Probe(function)
    with pytest.raises(ValueError, match="write it as a `def`"):
        Probe(test_a_probe_without_a_source_of_its_own_is_refused, uses=(function,))

"""Errors that students make happen are explained, in the words in which torch reports them."""

from __future__ import annotations

import sys

import numpy as np  # noqa: F401  the snippets use it
import pandas as pd  # noqa: F401
import pytest
import torch
from torch import nn  # noqa: F401

from autograder.checking.error_hints import ERRORS, explained
from autograder.checking.kinds import CLAUSES, OBSERVED
from autograder.grading.broad import BY_USE
from autograder.results import sentences

LEARNS = "x = torch.ones(2, requires_grad=True)\n"
RAISED = {
    "torch.ones(2, 3) + torch.ones(4)": "sizes_meet",
    "torch.ones(2, 3).expand(4, 3)": "spread_too_far",
    "torch.einsum('ij,jk->ik', torch.ones(2, 3), torch.ones(4, 5))": "sizes_meet",
    "nn.LayerNorm(4)(torch.ones(2, 3))": "sizes_meet",
    "torch.einsum('ij,jk->ik', torch.ones(2, 3), torch.ones(4, 2))": "sizes_meet",
    "torch.ones(3).add_(torch.ones(2, 3))": "result_too_large",
    "nn.Linear(2, 3).load_state_dict(nn.Linear(3, 3).state_dict())": "weights_of_another",
    "torch.ones(2, 3) @ torch.ones(2, 3)": "sizes_of_a_product",
    "torch.ones(2, 3, 4) @ torch.ones(2, 3, 4)": "sizes_of_a_product",
    "nn.Linear(3, 4)(torch.ones(2, 5))": "sizes_of_a_product",
    "torch.ones(3) @ torch.ones(4)": "sizes_of_a_product",
    "torch.ones(3, 4) @ torch.ones(3)": "sizes_of_a_product",
    "torch.ones(2, 3).reshape(4, -1)": "sizes_of_a_reshape",
    "torch.ones(2, 7).unflatten(-1, (2, 3))": "sizes_of_a_reshape",
    "torch.ones(2, 3).t().view(6)": "view_of_what_is_out_of_order",
    "torch.ones(2, 3).transpose(1, 2)": "fewer_axes",
    "torch.ones(2)[0, 1]": "fewer_axes",
    "torch.ones(2, 3).permute(0, 2, 1)": "fewer_axes",
    "torch.einsum('ijk,jk->ik', torch.ones(2, 3), torch.ones(4, 5))": "fewer_axes",
    "torch.tril(torch.ones(3))": "fewer_axes",
    "torch.ones(2, 3).repeat(2)": "fewer_numbers_than_axes",
    "nn.functional.interpolate(torch.ones(2, 3), size=(2, 2), mode='bilinear')": "fewer_axes",
    "torch.ones(2, 3).permute(0, 0)": "axis_twice",
    "a, b, c = torch.ones(2, 3).shape": "other_number_of_parts",
    "a, b = torch.ones(3, 3)": "other_number_of_parts",
    "nn.Embedding(3, 2)(torch.tensor([3]))": "index_too_large",
    "torch.ones(2)[5]": "index_too_large",
    "[1, 2][3]": "index_too_large",
    "nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([5, 1]))": "index_too_large",
    "torch.ones(3).topk(5)": "index_too_large",
    "torch.ones(3).narrow(0, 2, 3)": "index_too_large",
    "nn.functional.one_hot(torch.tensor([5]), 3)": "index_too_large",
    "torch.ones(5).split([2, 2])": "sizes_of_parts",
    "torch.cat([torch.ones(2, 3), torch.ones(3, 4)])": "sizes_of_parts",
    "torch.stack([torch.ones(2), torch.ones(3)])": "sizes_of_parts",
    "torch.cat([torch.ones(2, 3), torch.ones(3)])": "sizes_of_parts",
    "nn.Linear(2, 2)(torch.ones(1, 2).double())": "dtypes_meet",
    "torch.ones(2, 2) @ torch.ones(2, 2).double()": "dtypes_meet",
    "nn.Embedding(3, 2)(torch.ones(2))": "dtypes_meet",
    "torch.tensor([1, 2]).mean()": "dtypes_meet",
    "torch.tensor([1, 2]).softmax(0)": "dtypes_meet",
    "x = torch.ones(2, dtype=torch.long)\nx /= 2.5": "dtypes_meet",
    "~torch.ones(2)": "dtypes_meet",
    "torch.ones(2, 3).gather(1, torch.ones(2))": "dtypes_meet",
    "nn.functional.one_hot(torch.tensor([1.0]))": "dtypes_meet",
    "torch.ones(2, 3)[torch.ones(2, 1).bool()]": "mask_of_another_shape",
    "torch.ones(2, 3)[torch.ones(3, 3).bool()] = 0": "mask_of_another_shape",
    "nn.functional.cross_entropy(torch.ones(2, 3), torch.ones(3).long())": "targets_do_not_fit",
    "nn.functional.cross_entropy(torch.ones(2, 3, 4), torch.ones(2, 5).long())": (
        "targets_do_not_fit"
    ),
    "torch.stack([])": "nothing_inside",
    "torch.cat([])": "nothing_inside",
    "max([])": "nothing_inside",
    "[].pop()": "nothing_inside",
    "next(iter([]))": "nothing_inside",
    "torch.ones(2, 0).max(-1)": "nothing_inside",
    "torch.optim.SGD([])": "nothing_inside",
    "torch.tensor([[1, 2], [3]])": "lists_of_unequal_length",
    "torch.zeros(-1, 2)": "size_below_zero",
    "nn.Conv2d(1, 1, 9)(torch.ones(1, 1, 3, 3))": "window_too_large",
    "torch.ones(2).masked_fill(torch.tensor([1, 0]), 0.0)": "mask_not_boolean",
    "torch.where(torch.ones(2), 1, 2)": "mask_not_boolean",
    "torch.ones(2, device='meta') + torch.ones(2)": "devices_meet",
    LEARNS + "x += 1": "written_over",
    LEARNS + "y = x.exp()\ny += 1\ny.sum().backward()": "written_over",
    "torch.ones(2).sum().backward()": "nothing_to_follow",
    LEARNS + "y = (x**2).sum()\ny.backward()\ny.backward()": "graph_used_twice",
    LEARNS + "(2 * x).backward()": "gradient_of_many",
    "if torch.ones(2) > 0:\n    pass": "truth_of_many",
    "if np.ones(2) > 0: pass": "truth_of_many",
    "pd.Series([1, 2]) > 0 and 1": "truth_of_many",
    "not pd.DataFrame([1])": "truth_of_many",
    "torch.ones(2).item()": "number_of_many",
    "float(torch.ones(2))": "number_of_many",
    LEARNS + "x.numpy()": "numpy_of_what_learns",
    "x = None\nx.shape": "nothing_there",
    "x = None\nx(3)": "nothing_there",
    "a, b = None": "nothing_there",
    "class A(nn.Module):\n    def __init__(self):\n        self.a = nn.Linear(2, 2)\nA()": (
        "super_forgotten"
    ),
    "x = nn.Linear(2, 2)\nx.weight = torch.ones(2, 2)": "not_a_parameter",
    "x = nn.Linear(2, 2)\nx.extra = 1\nx.register_buffer('extra', torch.ones(2))": "name_taken",
    "(lambda a: a)(1, 2)": "other_signature",
    "(lambda a: a)(b=1)": "other_signature",
    "nn.Linear(3)": "other_signature",
    "torch.linspace(0, 1)": "other_arguments",
    "torch.ones(2, 6).view(4 / 2, 6)": "not_a_whole_number",
    "torch.ones(2, 6).mean(2 / 2)": "not_a_whole_number",
    "import einopss": "unknown_module",
    "from torch.nn import Linearr": "unknown_part_of_a_module",
    "of_another_cell": "unknown_name",
    "def f():\n    x = x + 1\nf()": "used_before_it_is_set",
    "torch.ones(2).size_of_it": "unknown_attribute",
    "torch.softmaxx": "unknown_attribute",
    "{}['a']": "unknown_key",
    "torch.softmax([1.0, 2.0], 0)": "not_a_tensor",
    "torch.stack([1, 2])": "not_a_tensor",
    "range(4 / 2)": "not_a_whole_number",
    "nn.Linear(4 / 2, 3)": "not_a_whole_number",
    "x = (i for i in [1])\nx[0]": "no_entries",
    "len(5)": "no_entries",
    "x = nn.Linear(2, 2)\nx.type['q'] = 1": "not_called",
    "x = torch.ones(2)\nlen(x.tolist)": "not_called",
    "x = torch.ones(2)\nx.sum.item()": "not_called",
    "for layer in nn.ModuleList().parameters:\n    pass": "not_called",
    "x = (1, 2)\nx[0] = 3": "no_entries",
    "def f(:": "no_python",
    "x\u00a0= 1": "invisible_character",
    "x = f(a=1, 2)": "no_python",
    "from typing import of_a_later_version": "unknown_part_of_a_module",
    "torch.ones(2)(3)": "not_callable",
    "[1] - [2]": "kinds_meet",
    "for x in 3:\n    pass": "kinds_meet",
    "nn.ModuleList([nn.Linear(2, 2)])(torch.ones(2))": "list_of_modules_called",
    "type('A', (nn.Module,), {})()(torch.ones(2))": "no_forward",
    "class A(nn.Module):\n    def __init__(self):\n        super.__init__()\nA()": (
        "super_forgotten"
    ),
    "def f():\nreturn 1": "no_block",
    "if True:\n    x = 1\n\tx = 2": "no_block",
    "f'{1 +}'": "quotes_in_quotes",
    "def f() return 1": "no_python",
    f"x = 1{' + 1' * 100_000}": "too_nested",
    "1 / 0": "divided_by_zero",
    "def f():\n    return f()\nf()": "calls_itself",
}


@pytest.mark.parametrize("source", RAISED)
def test_what_torch_says_is_explained(source: str) -> None:
    with pytest.raises(Exception) as raised:  # noqa: PT011  which one is the point
        exec(source, dict(globals()))
    message = sentences.raised(type(raised.value).__name__, str(raised.value), [])
    told = explained(message)
    assert told is not None
    assert told[0] == RAISED[source]


@pytest.mark.parametrize(
    "source",
    [
        "class A:\n    def _init_(self, size): ...",
        "class A(nn.Module):\n    def __int__(self, size): ...",
        "class A(nn.Module):\n    def __init__(size): ...",
        "class A:\n    def __init__(self, size, more): ...",
    ],
)
def test_a_class_that_is_made_otherwise_than_the_question_says(source: str) -> None:
    scope = dict(globals())
    exec(source, scope)
    with pytest.raises(TypeError) as raised:
        scope["A"](2)
    told = explained(sentences.unfit("TypeError", str(raised.value)), by_use=True)
    assert told is not None
    assert told[0] == "made_otherwise"


@pytest.mark.parametrize(
    "use",
    [
        "f(2).shape",
        "f(2)[0]",
        "len(f(2))",
        "first, second = f(2)",
        "1 + f(2)",
        "float(f(2))",
        "torch.as_tensor(f(2))",
    ],
)
def test_an_answer_that_is_used_and_returned_nothing_is_told_so(use: str) -> None:
    scope = {"torch": torch, "f": lambda x: None}
    with pytest.raises((AttributeError, TypeError, RuntimeError)) as raised:
        exec(use, scope)
    said = sentences.unfit(type(raised.value).__name__, str(raised.value))
    assert any(one in said for one in BY_USE)
    told = explained(said, by_use=True)
    assert told is not None
    assert told[0] == "returns_nothing"
    assert "without `return`" in told[1]


@pytest.mark.parametrize("source", ["f'{d['a']}' = (", "from typing import of_a_later_version"])
def test_what_a_later_python_may_know_is_told_with_the_version_that_runs(source: str) -> None:
    with pytest.raises((SyntaxError, ImportError)) as raised:
        exec(source, {})
    named = sentences.quoted(type(raised.value).__name__, str(raised.value))
    told = explained(f"Your cell raised {named}, and so `f` is not defined.")
    assert told is not None
    assert f"The grader runs Python {sys.version_info.major}.{sys.version_info.minor}" in told[1]


def test_every_explanation_is_of_an_error_that_happens() -> None:
    assert set(RAISED.values()) == set(ERRORS)


def test_explanations_are_told_apart() -> None:
    hints = [hint for _, hint in ERRORS.values()]
    assert len(set(hints)) == len(hints)
    assert set(ERRORS).isdisjoint({*CLAUSES, *OBSERVED})


@pytest.mark.parametrize("message", ["Your code raised AssertionError.", sentences.not_counted()])
def test_what_is_no_known_error_is_not_explained(message: str) -> None:
    assert explained(message) is None

"""Mechanical mutants: what is changed, each once, and nothing that is the same."""

from __future__ import annotations

import ast
import json
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

from autograder.authoring.strength import Wrong, why_harmless
from autograder.checking.kinds import CLAUSES, COMMON
from autograder.grading.mutations import Mutant, Mutations
from autograder.grading.mutations.kinds import KINDS
from autograder.grading.mutations.observing import (
    NOTES,
    PREPARATION,
    Observation,
    instrumented,
    observations,
)
from autograder.grading.mutations.places import Places
from autograder.grading.mutations.repairs import REPAIRS

SOLUTION = '''
def mean(x, dim=-1):
    """Adds 1 to nothing."""
    if x.dim() < 2:
        raise ValueError("1 dimension")
    y = x.sum(dim=dim, keepdim=True) / 4.0
    y += 1
    print(y)
    return y @ f(x, y)
'''
MODULE = '''
class Block(nn.Module):
    """Two layers and a dropout."""

    def __init__(self, size):
        super().__init__()
        self.first = nn.Linear(size, size)
        self.second = nn.Linear(size, size)
        self.more = nn.ModuleList([nn.Linear(size, size) for _ in range(2)])
        self.dropout = nn.Dropout(0.5)

    def forward(self, x, y):
        hidden = 4 * torch.relu(self.first(self.dropout(x)))
        hidden = hidden.masked_fill(x > 0, 0) * x.shape[-1]
        scores = torch.softmax(hidden, dim=-1)
        return x + self.second(scores)[:, 1:].sum(dim=1, keepdim=True) - y
'''


def seen_in(source: str, use: str) -> dict[int, Observation]:
    scope: dict[str, Any] = {"nn": nn, "torch": torch}
    for part in (PREPARATION, instrumented(source), use):
        exec(compile(part, "cell", "exec"), scope)
    return observations(json.dumps(scope[NOTES]))


def mutants(source: str) -> list[Mutant]:
    return Mutations(source).first_order


@pytest.fixture(scope="module")
def block() -> Mutations:
    use = "Block(3)(torch.randn(2, 4, 3), torch.randn(2, 4, 3))"
    return Mutations(MODULE, seen_in(MODULE, use))


@pytest.mark.parametrize(
    ("kind", "becomes"),
    [
        ("cut_gradient", "hidden = 4 * torch.relu(self.first(self.dropout(x.detach())))"),
        ("cut_gradient", "def forward(self, x, y):"),
        ("by_mode", "hidden = 4 * torch.relu(self.first(self.dropout(x) if self.training else x))"),
        ("by_mode", "hidden = 4 * torch.relu(self.first(x if self.training else self.dropout(x)))"),
        ("other_variable", "hidden = 4 * torch.relu(self.second(self.dropout(x)))"),
        ("other_variable", "hidden = 4 * torch.relu(self.first(self.dropout(y)))"),
        ("fixed_size", "hidden = hidden.masked_fill(x > 0, 0) * 3"),
        ("fixed_layer", "self.first = nn.Linear(3, size)"),
        ("other_end", "scores = torch.softmax(hidden, dim=0)"),
        (
            "extra_softmax",
            "return torch.softmax(x + self.second(scores)[:, 1:].sum(dim=1, keepdim=True) - y, "
            "dim=-1)",
        ),
        (
            "first_for_all",
            "scores = (lambda found: found[:1].expand_as(found))(torch.softmax(hidden, dim=-1))",
        ),
        ("squeezed", "scores = torch.softmax(hidden, dim=-1).squeeze()"),
        ("doubled_call", "hidden = 4 * torch.relu(torch.relu(self.first(self.dropout(x))))"),
        ("dropout_elsewhere", "def forward(self, x, y):"),
        ("no_bias", "self.first = nn.Linear(size, size, bias=False)"),
        ("shared", "self.second = self.first"),
        ("clamped", "hidden = (4 * torch.relu(self.first(self.dropout(x)))).clamp(-9, 9)"),
        ("inverted_mask", "hidden = hidden.masked_fill(~(x > 0), 0) * x.shape[-1]"),
        ("no_maximum", "scores = torch.exp(hidden) / torch.exp(hidden).sum(dim=-1, keepdim=True)"),
        ("kept", "scores = self.__dict__.setdefault('kept', torch.softmax(hidden, dim=-1))"),
        ("activated", "hidden = 4 * torch.relu(torch.tanh(self.first(self.dropout(x))))"),
        ("activated", "scores = torch.tanh(torch.softmax(hidden, dim=-1))"),
        (
            "normed",
            "scores = torch.nn.functional.normalize(torch.softmax(hidden, dim=-1), dim=-1)",
        ),
        ("reversed_order", "scores = torch.softmax(hidden, dim=-1).flip(1)"),
        ("extra_residual", "scores = torch.softmax(hidden, dim=-1) + y"),
    ],
)
def test_what_students_do_with_tensors_is_done(block: Mutations, kind: str, becomes: str) -> None:
    assert (kind, becomes) in {(one.kind, one.becomes) for one in block.first_order}


def test_no_step_is_added_that_changes_nothing_or_mixes_up_features(block: Mutations) -> None:
    becomes = {one.becomes for one in block.first_order}
    assert "scores = torch.relu(torch.softmax(hidden, dim=-1))" not in becomes
    assert "scores = torch.softmax(hidden, dim=-1).flip(2)" not in becomes
    source = "def shown(scores, mask):\n    return scores.masked_fill(~mask, 0)"
    use = "shown(torch.ones(2, 3), torch.ones(2, 3) > 0)"
    found = Mutations(source, seen_in(source, use)).first_order
    (added,) = [one.becomes for one in found if one.kind == "extra_residual"]
    assert added == "return scores.masked_fill(~mask, 0) + scores"


def test_every_layer_of_a_list_may_be_one(block: Mutations) -> None:
    (one,) = [one for one in block.first_order if "[nn.Linear(size, size)] * len" in one.becomes]
    assert one.kind == "shared"


def test_what_is_handed_in_is_overwritten() -> None:
    source = "def shifted(x):\n    return x + 1"
    found = Mutations(source, seen_in(source, "shifted(torch.ones(2))")).first_order
    assert ("in_place", "return x.add_(1)") in {(one.kind, one.becomes) for one in found}
    assert ("other_kind", "return (x + 1).float()") in {(one.kind, one.becomes) for one in found}


def test_axes_that_should_change_places_get_a_new_shape() -> None:
    source = "def turned(x):\n    return x.transpose(1, 2) @ x.mT.mT"
    found = Mutations(source, seen_in(source, "turned(torch.ones(2, 3, 4))")).first_order
    becomes = {one.becomes for one in found if one.kind == "reshaped"}
    assert "return x.reshape(x.transpose(1, 2).shape) @ x.mT.mT" in becomes
    assert "return x.transpose(1, 2) @ x.reshape(x.mT.shape).mT" in becomes


def test_any_two_neighbours_are_exchanged() -> None:
    changed = {one.becomes for one in mutants("y = f(a, b, c)") if "swapped" in one.kind}
    assert changed == {"y = f(b, a, c)", "y = f(a, c, b)"}


def test_slices_begin_and_end_elsewhere(block: Mutations) -> None:
    changed = [one.becomes for one in block.first_order if one.kind == "slice_ends"]
    assert any("[1:, 1:]" in text for text in changed)
    assert any("[:, 1:-1]" in text for text in changed)


def test_of_two_equal_operators_each_is_changed() -> None:
    changed = {one.becomes for one in mutants("y = a + b + c") if one.kind == "operator"}
    assert changed == {"y = a - b + c", "y = a + b - c"}


def test_pairs_are_two_changes_apart_and_the_same_at_every_time(block: Mutations) -> None:
    pairs = block.second_order(20, seed=1)
    assert len(pairs) == 20
    assert pairs == block.second_order(20, seed=1)
    assert pairs != block.second_order(20, seed=2)
    single = {one.source for one in block.first_order}
    assert not single & {one.source for one in pairs}
    for one in pairs:
        assert set(one.kind.split("+")) <= KINDS.keys()
        compile(one.source, "mutant", "exec")


def test_every_kind_has_a_clause_without_code() -> None:
    assert KINDS.keys() == CLAUSES.keys()
    for clause in [*CLAUSES.values(), *(clause for _, clause in COMMON.values())]:
        assert not set("`_()=.") & set(clause), clause
    assert all(members <= KINDS.keys() for members, _ in COMMON.values())


def test_the_words_of_a_place_begin_with_the_nearest_call() -> None:
    source = "def f(q, k):\n    scores = softmax(mask(q @ k, 2), dim=-1)\n    return scores"
    (axis,) = [one for one in mutants(source) if "softmax(mask(q @ k, 2), dim=-0)" in one.becomes]
    assert axis.words == ("softmax", "scores")
    (number,) = [one for one in mutants(source) if "mask(q @ k, 3)" in one.becomes]
    assert number.words == ("mask", "softmax", "scores")
    (operator,) = [one for one in mutants(source) if "q * k" in one.becomes]
    assert operator.words == ("mask", "softmax", "q", "k", "scores")


@pytest.mark.parametrize(
    "becomes",
    [
        "def mean(x, dim=-2):",
        "def mean(x, dim=1):",
        "if x.dim() <= 2:",
        "if x.dim() >= 2:",
        "if x < 2:",
        "if x.dim() < 1:",
        "if not x.dim() < 2:",
        "y = x.sum(dim=dim, keepdim=True) * 4.0",
        "y = x.sum(dim=dim, keepdim=True) / 8.0",
        "y = x.sum(dim=dim, keepdim=False) / 4.0",
        "y = x.sum(keepdim=True) / 4.0",
        "y = x / 4.0",
        "y -= 1",
        "",
        "return y * f(x, y)",
        "return y @ f(y, x)",
        "return y @ x",
    ],
)
def test_every_kind_of_change_is_made(becomes: str) -> None:
    assert becomes in {mutant.becomes for mutant in mutants(SOLUTION)}


def test_every_mutant_is_another_program_and_compiles() -> None:
    sources = [mutant.source for mutant in mutants(SOLUTION)]
    assert len(set(sources)) == len(sources)
    assert ast.unparse(ast.parse(SOLUTION)) not in sources
    for source in sources:
        compile(source, "mutant", "exec")


def test_docstrings_and_messages_stay() -> None:
    for mutant in mutants(SOLUTION):
        assert "Adds 1 to nothing." in mutant.source
        assert "1 dimension" in mutant.source or "ValueError" in mutant.was


def test_a_dropped_statement_says_so() -> None:
    dropped = {mutant.was for mutant in mutants(SOLUTION) if not mutant.becomes}
    assert dropped == {"print(y)", "y += 1"}


HARMLESS = {("x.sum(-1)", "x.sum(1)"): "two axes", "cut_gradient": "no gradients"}


@pytest.mark.parametrize(
    ("kind", "was", "becomes", "why"),
    [
        ("other_end", "x.sum(-1)", "x.sum(1)", "two axes"),
        ("cut_gradient", "x", "x.detach()", "no gradients"),
        ("operator", "x + y", "x - y", ""),
        (
            "other_end+cut_gradient",
            "x.sum(-1) & x",
            "x.sum(1) & x.detach()",
            "two axes, and no gradients",
        ),
        ("operator+cut_gradient", "x + y & x", "x - y & x.detach()", ""),
    ],
)
def test_mutants_are_harmless_by_change_by_kind_or_in_both_parts(
    kind: str, was: str, becomes: str, why: str
) -> None:
    one = Wrong("", "", kind=kind, was=was, becomes=becomes)
    assert why_harmless(one, HARMLESS) == why


@pytest.mark.parametrize("one", ["s.a", "s", "s.a()"])
def test_code_that_is_twice_as_long_is_looked_through_in_twice_the_steps(
    monkeypatch: pytest.MonkeyPatch, one: str
) -> None:
    walk, steps = ast.walk, 0

    def counted(node: ast.AST) -> Iterator[ast.AST]:
        nonlocal steps
        for inner in walk(node):
            steps += 1
            yield inner

    def steps_of(count: int) -> int:
        nonlocal steps
        source = f"class A:\n    def f(s):\n        {';'.join([one] * count)}"
        places = [*Places(ast.parse(source), {})]
        steps = 0
        for kind in REPAIRS.values():
            for place in places:
                deque(kind.changes(place), maxlen=0)
        return steps

    monkeypatch.setattr(ast, "walk", counted)
    assert steps_of(200) < 3 * steps_of(100)

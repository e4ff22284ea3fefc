"""The solution's weights find their places in a module of many layers, however it is built."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch
from torch import nn

from autograder.authoring.live import LiveStudent
from autograder.box.inside.tracing import Traced, trace
from autograder.checking import Battery, Domain, Expected, Tracing
from autograder.checking.expected import Recorder
from checking.answers import Judge, names

MIXING = """
class Mixing(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.last = (nn.Linear(size, size) for _ in range(4))

    def forward(self, asks, offers, says):
        parts = self.query(asks), self.key(offers), self.value(says)
        q, k, v = (p.unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in parts)
        mixed = torch.softmax(q @ k.mT, dim=-1) @ v
        return self.last(mixed.transpose(1, 2).flatten(2))
"""
STACK = """
class Stack(nn.Module):
    def __init__(self, size, heads, depth):
        super().__init__()
        self.parts = nn.ModuleList(Mixing(size, heads) for _ in range(2 * depth))
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(depth))

    def forward(self, x, y):
        for own, other, norm in zip(self.parts[::2], self.parts[1::2], self.norms):
            x = own(x, x, x)
            x = norm(x + other(x, y, y))
        return x
"""
BACKWARDS = """
class Stack(nn.Module):
    def __init__(self, size, heads, depth):
        super().__init__()
        self.a = nn.ModuleList(nn.LayerNorm(size) for _ in range(depth))
        self.b = nn.ModuleList(Mixing(size, heads) for _ in range(2 * depth))

    def forward(self, x, y):
        *parts, norms = *self.b, iter(self.a)
        while parts:
            x = parts.pop()(asks=x, offers=x, says=x)
            x = next(norms)(parts.pop()(x, offers=y, says=y) + x)
        return x
"""
STACKED = """
class Mixing(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads, self.size = heads, size
        self.last = nn.Linear(size, size)
        self.all = nn.Linear(size, 3 * size)

    def forward(self, asks, offers, says):
        shape = (self.heads, -1)
        parts = enumerate((asks, offers, says))
        q, k, v = (SPLIT for n, x in parts)
        mixed = torch.softmax(q @ k.mT, dim=-1) @ v
        return self.last(mixed.transpose(1, 2).flatten(2))
"""
BY_ROLE = "self.all(x).chunk(3, -1)[(n + 1) % 3].unflatten(-1, shape).transpose(1, 2)"
BY_HEAD = "self.all(x).unflatten(-1, shape).transpose(1, 2).chunk(3, -1)[n]"
BY_WEIGHT = (
    "nn.functional.linear(x, self.all.weight.chunk(3)[n], self.all.bias.chunk(3)[n])"
    ".unflatten(-1, shape).transpose(1, 2)"
)
BY_PRODUCT = (
    "(x @ self.all.weight.mT[:, n * self.size : (n + 1) * self.size]"
    " + self.all.bias[n * self.size :][: self.size]).unflatten(-1, shape).transpose(1, 2)"
)
ONE_LAYER_BY_EINSUM = (
    MIXING.replace("self.last(mixed.transpose(1, 2).flatten(2))", "WORKED_OUT")
    .replace("WORKED_OUT", 'torch.einsum("nli,oi->nlo", JOINED, self.last.weight) + self.last.bias')
    .replace("JOINED", "mixed.transpose(1, 2).flatten(2)")
)
HEAD_BY_HEAD = """
class Mixing(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        kinds = "abc"
        self.heads = nn.ModuleList(
            nn.ModuleDict({kind: nn.Linear(size, size // heads) for kind in kinds})
            for _ in range(heads)
        )
        self.last = nn.Linear(size, size)

    def forward(self, asks, offers, says):
        found = [
            torch.softmax(h["a"](asks) @ h["c"](offers).mT, dim=-1) @ h["b"](says)
            for h in self.heads
        ]
        return self.last(torch.cat(found, dim=-1))
"""
DOMAIN = Domain(
    answer="Stack",
    sizes={"N": 2, "L_x": 3, "L_y": 5, "heads": 2, "width": 4, "depth": 2},
    largest={"depth": 2},
    arguments=("heads*width", "heads", "depth"),
    inputs={"x": "N L_x heads*width", "y": "N L_y heads*width"},
    returns={"output": "N L_x heads*width"},
    traced=Tracing("Mixing", ("query", "key", "value"), "heads"),
)


@cache
def judge() -> Judge:
    return Judge(DOMAIN, MIXING + STACK)


RIGHT = {
    "parts made last to first and called by name": MIXING + BACKWARDS,
    "three roles in one layer": STACKED.replace("SPLIT", BY_ROLE) + STACK,
    "three roles in one layer, head by head": STACKED.replace("SPLIT", BY_HEAD) + STACK,
    "three roles in one layer that is not called": STACKED.replace("SPLIT", BY_WEIGHT) + STACK,
    "three roles in one matrix product": STACKED.replace("SPLIT", BY_PRODUCT) + STACK,
    "one layer that is not called": ONE_LAYER_BY_EINSUM + BACKWARDS,
    "layers of its own for each head": HEAD_BY_HEAD + BACKWARDS,
    "left-over layers that no call uses": (MIXING + STACK)
    .replace("= heads\n", "= heads\n        self.attempt = nn.Linear(size, size)\n")
    .replace(
        "        self.norms =", "        self.attempt = nn.LayerNorm(size)\n        self.norms ="
    ),
    "a constant among the parameters": (MIXING + STACK)
    .replace("= heads\n", "= heads\n        self.one = nn.Parameter(torch.ones(()), False)\n")
    .replace("(q @ k.mT,", "(q @ k.mT / self.one,"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_built_otherwise_loses_nothing(name: str) -> None:
    assert judge().failures(RIGHT[name]) == {}


@pytest.mark.parametrize("name", RIGHT)
def test_weights_find_their_place_where_no_aspect_compares_values(name: str) -> None:
    (check,) = Battery(DOMAIN, care=1).checks().values()
    recorder = Recorder({})
    check(LiveStudent(names(MIXING + STACK)), recorder)
    check(LiveStudent(names(RIGHT[name])), Expected(recorder.tensors))


OTHER = "x = norm(x + other(x, y, y))"
WRONG = {
    "values from the first input": ({"values"}, ("self.value(says)", "self.value(offers * 1.1)")),
    "one part for both": ({"values", "sizes"}, ("other(x, y, y)", "own(x, y, y)")),
    "no sum": ({"values", "gradients"}, (OTHER, "x = norm(other(x, y, y))")),
    "one norm for all": (
        {"gradients", "parts"},
        (
            "nn.ModuleList(nn.LayerNorm(size) for _ in range(depth))",
            "nn.ModuleList([nn.LayerNorm(size)] * depth)",
        ),
    ),
    "no gradient to the memory": ({"gradients"}, (OTHER, OTHER.replace("y, y", "y.detach(), y"))),
    "no gradient to one layer": (
        {"gradients"},
        (
            "self.key(offers)",
            "nn.functional.linear(offers, self.key.weight.detach(), self.key.bias)",
        ),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_loses_what_it_should(name: str) -> None:
    aspects, (old, new) = WRONG[name]
    source = MIXING + STACK
    assert old in source
    assert aspects <= judge().failures(source.replace(old, new)).keys()


def test_roles_in_one_layer_lie_in_the_order_of_the_inputs_first() -> None:
    scope: dict[str, Any] = {"nn": nn, "torch": torch}
    exec(STACKED.replace("SPLIT", BY_HEAD), scope)
    mixing, reads = scope["Mixing"], ("query", "key", "value")
    part, x = mixing(size=4, heads=2), torch.ones(1, 2, 4)
    found = trace(nn.Sequential(part), lambda: part(x, x, x), mixing, reads, 2, 0)
    assert [role for role, _, _ in found.places["0.all.weight"]] == [
        f"part_0.{one}.weight" for one in reads
    ]


def test_cases_of_the_same_sizes_are_traced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(module: Any, *how: Any) -> Traced:
        asked.append(sum(parameter.numel() for parameter in module.parameters()))
        return trace(module, *how)

    asking = judge()  # before: it has the solution answer, too
    monkeypatch.setattr("autograder.box.inside.answer.trace", counted)
    assert asking.failures(MIXING + STACK) == {}
    assert len(asked) < len(DOMAIN.cases())  # with what the grader asks of layers beforehand


def test_a_gradient_that_is_cut_off_is_told_by_the_name_of_the_students_layer() -> None:
    source = (MIXING + STACK).replace("self.last(mixed", "self.last(mixed.detach()")
    said = judge().failures(source)["gradients"]
    assert "`parts.0.query.weight`" in said or "`x`" in said

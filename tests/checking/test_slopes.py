"""A solution whose gradients are not those of its results is told so while it is recorded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autograder.authoring.live import LiveStudent
from autograder.checking import Domain
from autograder.checking.expected import Recorder
from autograder.checking.failures import CheckFailure
from autograder.checking.inputs import Integers
from checking.answers import battery_of, names

FUNCTION = Domain("f", {"N": 3, "d": 4}, {"x": "N d"}, {"y": "N d"})
MODULE = replace(FUNCTION, answer="F", arguments=("d",))
TABLE = Domain(
    answer="F",
    sizes={"N": 2, "L": 3, "d": 4},
    arguments=("d",),
    inputs={"ids": Integers("N L", 0, 5)},
    returns={"y": "N L d"},
    extremes=False,
)


def gradients_of(solution: str, domain: Domain) -> str:
    """What is said of a solution's gradients; empty where they are as they should be."""
    check = battery_of(domain).checks()["check_gradients"]
    try:
        check(LiveStudent(names(solution)), Recorder({}))
    except CheckFailure as failure:
        return str(failure)
    return ""


def module(parts: str, forward: str) -> str:
    return f"""
class F(nn.Module):
    def __init__(self, d):
        super().__init__()
        {parts}

    def forward(self, x):
        return {forward}
"""


LAYER = "self.layer = nn.Linear(d, d)"


@pytest.mark.parametrize(
    ("solution", "domain", "by"),
    [
        ("def f(x):\n    return x.softmax(-1) * x.detach()", FUNCTION, "x"),
        (
            "def f(x):\n    ids = torch.zeros(len(x), 2, dtype=torch.long)\n"
            "    return x.scatter(-1, ids, 2 * x.gather(-1, ids))",
            FUNCTION,
            "x",
        ),
        ("def f(x):\n    x += 0\n    return x.softmax(-1) * x.detach()", FUNCTION, "x"),
        (module(LAYER, "self.layer(x) * self.layer.bias.detach()"), MODULE, "its parameters"),
    ],
)
def test_gradients_that_are_not_those_of_the_results_are_told(
    solution: str, domain: Domain, by: str
) -> None:
    assert f"The solution's gradient with respect to {by} is not that" in gradients_of(
        solution, domain
    )


@pytest.mark.parametrize(
    ("solution", "domain"),
    [
        ("def f(x):\n    return x.relu() - x.amax(-1, keepdim=True)", FUNCTION),
        ("def f(x):\n    return (x - x.amax(-1, keepdim=True).detach()).softmax(-1)", FUNCTION),
        ("def f(x):\n    return x.masked_fill(x < 0, -torch.inf)", FUNCTION),
        ("def f(x):\n    return x.to(torch.float32).exp().to(x.dtype)", FUNCTION),
        (module(LAYER, "torch.tanh(self.layer(x))"), MODULE),
        (module("self.table = nn.Embedding(9, d, padding_idx=0)", "self.table(x)"), TABLE),
    ],
)
def test_right_gradients_are_not(solution: str, domain: Domain) -> None:
    assert gradients_of(solution, domain) == ""

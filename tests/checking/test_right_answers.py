"""A battery refuses no right answer, however it is written."""

from __future__ import annotations

from functools import wraps

import pytest
import torch

from autograder.box.inside.surroundings import Functions
from autograder.checking import Domain
from checking.answers import Judge
from checking.questions import (
    ATTENTION,
    DOMAINS,
    FORWARD,
    PROJECTION,
    ROOT,
    SCORES,
    WEIGHTS,
    changed,
    judge,
)

RIGHT = {
    "loops": """
def attention(q, k, v):
    rows = []
    for n in range(q.shape[0]):
        rows.append(torch.stack([torch.stack([(a * b).sum() for b in k[n]]) for a in q[n]]))
    weights = (torch.stack(rows) * q.shape[-1] ** -0.5).softmax(-1)
    return torch.einsum("nqk,nkd->nqd", weights, v), weights
""",
    "a list": ATTENTION.replace(
        "return weights @ v, weights", "return [torch.bmm(weights, v), weights]"
    ),
    "scaled queries": ATTENTION.replace(SCORES, "scores = (q / q.size(-1) ** 0.5) @ k.mT"),
    "maximum taken off": ATTENTION.replace(
        WEIGHTS,
        "e = (scores - scores.amax(-1, keepdim=True)).exp()\n"
        "    weights = e / e.sum(-1, keepdim=True)",
    ),
    "looks at numbers": ATTENTION.replace(
        WEIGHTS,
        f"assert scores.max().item() < 1e9\n    scores[scores > 1e9].tolist()\n    {WEIGHTS}",
    ),
    "other order and names": PROJECTION.replace("self.query =", "self.a =")
    .replace("self.value =", "self.query =")
    .replace("self.a = nn.Linear(input_dim, key_dim)", "self.zz = nn.Linear(input_dim, key_dim)")
    .replace(
        "self.query = nn.Linear(input_dim, output_dim)",
        "self.aa = nn.Linear(input_dim, output_dim)",
    )
    .replace("self.query(x)", "self.zz(x)")
    .replace("self.value(x)", "self.aa(x)"),
    "names exchanged": PROJECTION.replace(
        FORWARD, "q, k, v = self.key(x), self.query(x), self.value(x)"
    ),
    "one layer for all": """
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim, self.sizes = output_dim, [output_dim, key_dim, key_dim]
        self.all = nn.Linear(input_dim, 2 * key_dim + output_dim)

    def forward(self, x):
        v, k, q = self.all(x).split(self.sizes, dim=-1)
        return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1) @ v
""",
    "parameters by hand": """
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.w_q = nn.Parameter(torch.randn(input_dim, key_dim))
        self.w_k = nn.Parameter(torch.randn(input_dim, key_dim))
        self.w_v = nn.Parameter(torch.randn(input_dim, output_dim))
        self.b_q = nn.Parameter(torch.zeros(key_dim))
        self.b_k = nn.Parameter(torch.zeros(key_dim))
        self.b_v = nn.Parameter(torch.zeros(output_dim))

    def forward(self, x):
        q, k, v = x @ self.w_q + self.b_q, x @ self.w_k + self.b_k, x @ self.w_v + self.b_v
        return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1) @ v
""",
    "lazy": PROJECTION.replace("nn.Linear(input_dim, ", "nn.LazyLinear("),
    "a bias that the softmax cancels left out of the scores": changed(
        "SelfAttention", ("self.key(x)", "F.linear(x, self.key.weight)")
    ),
    "a constant among the parameters": changed("SelfAttention", *ROOT),
    "left-over layers that no call uses": changed(
        "SelfAttention",
        (
            "self.key = nn",
            "self.attempt = nn.Linear(input_dim, key_dim)\n"
            "        self.gain = nn.Parameter(torch.ones(1))\n        self.key = nn",
        ),
    ),
    "a constant and a left-over layer": changed(
        "SelfAttention",
        *ROOT,
        ("self.key = nn", "self.norm = nn.LayerNorm(3)\n        self.key = nn"),
    ),
}


@pytest.mark.parametrize("style", RIGHT)
def test_a_right_answer_passes_however_it_is_written(style: str) -> None:
    source = RIGHT[style]
    answer = "attention" if "def attention" in source else "SelfAttention"
    assert judge(answer).failures(source) == {}


def test_layers_that_are_registered_and_listed_too_are_as_good() -> None:
    source = changed(
        "SelfAttention", (FORWARD, f"self.all = [self.query, (self.key,)]\n        {FORWARD}")
    )
    assert judge("SelfAttention").failures(source) == {}


def test_what_torch_wraps_by_itself_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it does with `manual_seed` when the first optimizer of a process steps."""
    watched = Functions({})
    monkeypatch.setattr(torch, "relu", wraps(torch.relu)(lambda *given: None))
    assert watched.replaced() == []
    monkeypatch.setattr(torch, "relu", torch.tanh)
    assert watched.replaced() == ["torch.relu"]


def test_a_gradient_that_the_solution_does_not_have_ungrades_nothing() -> None:
    cut = Judge(DOMAINS["attention"], changed("attention", ("k.transpose", "k.detach().transpose")))
    assert cut.failures(ATTENTION) == {}


GAIN = """
class Norm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gain = nn.Parameter(GAINS)

    def forward(self, x):
        return self.gain * x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt()
"""


def test_gains_that_begin_at_one_are_no_sign_of_a_seed() -> None:
    domain = Domain("Norm", {"N": 2, "L": 3, "d": 5}, {"x": "N L d"}, {"y": "N L d"}, ("d",))
    judged = Judge(domain, GAIN.replace("GAINS", "torch.ones(d)"))
    assert "care" not in judged.failures(GAIN.replace("GAINS", "torch.ones(1, d)"))
    biased = GAIN.replace(
        "self.gain = nn.Parameter(GAINS)",
        "self.gain = nn.Parameter(torch.ones(d)); self.bias = nn.Parameter(torch.zeros(d))",
    ).replace("self.gain * x", "self.bias + self.gain * x")
    assert set(judged.observed(biased).values()) <= {"more_layers", ""}


def test_an_answer_need_not_use_what_no_gradient_flows_to() -> None:
    domain = Domain("last", {"L": 3, "d": 4}, {"q": "d", "k": "L d"}, {"weights": "L"})
    solution = "def last(q, k):\n    return torch.softmax(k @ q, dim=-1)"
    single = f"{solution} if len(k) > 1 else k.new_ones(1) + 0 * k.sum()"
    assert Judge(domain, solution).failures(single) == {}
    cut = solution.replace("@ q,", "@ q.detach(),")
    assert set(Judge(domain, solution).failures(cut)) == {"gradients"}


STEP = """
class Step(nn.Module):
    def __init__(self, input_dim, size):
        super().__init__()
        self.read = nn.Linear(input_dim, size, bias=False)
        self.keep = nn.Linear(size, size)

    def forward(self, x, h):
        return torch.tanh(self.read(x) + self.keep(h))
"""
BARE_STEP = """
class Step(nn.Module):
    def __init__(self, input_dim, size):
        super().__init__()
        self.W = nn.Parameter(torch.randn({shape}))
        self.U = nn.Parameter(torch.randn(size, size))
        self.b = nn.Parameter(torch.zeros(size))

    def forward(self, x, h):
        return torch.tanh({x} + {h} + self.b)
"""
WAYS = {
    "from the left": ("input_dim, size", "x @ self.W", "h @ self.U"),
    "from the right": ("size, input_dim", "x @ self.W.T", "h @ self.U.mT"),
    "either way": ("size, input_dim", "F.linear(x, self.W)", "h @ self.U"),
    "either way as well": ("input_dim, size", "x @ self.W", "h @ self.U.T"),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_square_matrix_of_ones_own_may_lie_either_way(way: str) -> None:
    domain = Domain(
        answer="Step",
        sizes={"N": 2, "input_dim": 3, "size": 4},
        arguments=("input_dim", "size"),
        inputs={"x": "N input_dim", "h": "N size"},
        returns={"state": "N size"},
    )
    shape, x, h = WAYS[way]
    step = Judge(domain, STEP)
    assert step.failures(BARE_STEP.format(shape=shape, x=x, h=h)) == {}
    assert "values" in step.failures(BARE_STEP.format(shape=shape, x=x, h=f"(-1) * ({h})"))

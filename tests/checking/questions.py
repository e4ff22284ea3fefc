"""Questions as a battery asks them, the solution of each, and lines of it that tests change."""

from __future__ import annotations

from functools import cache
from typing import Any

from torch import nn

from autograder.checking import Domain, Integers, Masks, Probe, Weights
from checking.answers import Judge

ATTENTION = """
def attention(q, k, v):
    scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights
"""
PROJECTION = """
class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1) @ v
"""


def of_length(triangle: Any, places: Any) -> Any:
    return triangle(len(places))


def mixing(answers: Any, heads: int, output_dim: int, **sizes: int) -> Any:
    own = [nn.Tanh() for _ in range(heads)]
    return answers.Mix(own, output_dim), own


DOMAINS = {
    "attention": Domain(
        answer="attention",
        sizes={"N": 2, "L_q": 3, "L_k": 5, "d_k": 4, "d_v": 6},
        inputs={"q": "N L_q d_k", "k": "N L_k d_k", "v": "N L_k d_v"},
        returns={"output": "N L_q d_v", "weights": "N L_q L_k"},
        forbidden=("scaled_dot_product_attention",),
        ready_made=("attention",),
    ),
    "strongest": Domain(
        answer="strongest",
        sizes={"count": 3, "N": 2, "L": 4},
        inputs={"tables": Weights("count N L")},
        returns={"peak": "count N"},
        lists=("tables",),
    ),
    "three": Domain(
        answer="three",
        sizes={"N": 2, "L": 3, "d": 4},
        inputs={"q": "N L d", "k": "N L d", "v": "N L d"},
        returns={"output": "N L d"},
    ),
    "SelfAttention": Domain(
        answer="SelfAttention",
        sizes={"N": 2, "L": 3, "input_dim": 6, "key_dim": 4, "output_dim": 5},
        arguments=("input_dim", "key_dim", "output_dim"),
        attributes={"output_dim": "output_dim"},
        inputs={"x": "N L input_dim"},
        returns={"output": "N L output_dim"},
    ),
    "masked_attention": Domain(
        answer="masked_attention",
        sizes={"N": 2, "L_q": 3, "L_k": 5, "d_k": 4, "d_v": 6},
        inputs={
            **{"q": "N L_q d_k", "k": "N L_k d_k", "v": "N L_k d_v"},
            "mask": Masks("N L_q L_k"),
        },
        returns={"output": "N L_q d_v"},
    ),
    "Scaled": Domain(
        answer="Scaled",
        sizes={"N": 2, "d": 3},
        arguments=("d",),
        inputs={"x": "N d"},
        returns={"output": "N d"},
    ),
    "triangle": Domain(
        answer="triangle",
        sizes={"L": 4},
        inputs={"places": Integers("L", 0, 9)},
        returns={"mask": "L L"},
        call=Probe(of_length),
        only=("example", "ones", "long"),  # a mask of its own is on the CPU
        **{"differentiable": False, "extremes": False, "doubles": False},
    ),
    "Mix": Domain(
        answer="Mix",
        sizes={"N": 2, "L": 3, "heads": 4, "output_dim": 5},
        make=Probe(mixing),
        inputs={"x": "N L 6"},
        returns={"output": "N L output_dim"},
    ),
}
MASKED = """
def masked_attention(q, k, v, mask):
    scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(~mask, -math.inf)
    return torch.softmax(scores, dim=-1) @ v
"""
MIX = """
class Mix(nn.Module):
    def __init__(self, heads, output_dim):
        super().__init__()
        self.heads = nn.ModuleList(heads)
        self.mix = nn.Linear(len(heads), output_dim)

    def forward(self, x):
        return self.mix(torch.stack([head(x).sum(-1) for head in self.heads], dim=-1))
"""
THREE = """
def three(q, k, v):
    return torch.softmax(q @ k.mT, dim=-1) @ v
"""
STRONGEST = """
def strongest(tables):
    return torch.stack([table.amax(-1) for table in tables])
"""
SCALED = """
class Scaled(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.register_buffer("scales", torch.arange(1.0, d + 1))

    def forward(self, x):
        return x * self.scales
"""
TRIANGLE = """
def triangle(length):
    return torch.ones(length, length).tril() > 0
"""
SOLUTIONS = {
    **{"triangle": TRIANGLE, "Scaled": SCALED, "three": THREE},
    **{"attention": ATTENTION, "SelfAttention": PROJECTION, "strongest": STRONGEST},
    **{"masked_attention": MASKED, "Mix": MIX},
}


@cache
def judge(answer: str) -> Judge:
    return Judge(DOMAINS[answer], SOLUTIONS[answer])


def changed(answer: str, *changes: tuple[str, str]) -> str:
    source = SOLUTIONS[answer]
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    return source


SCORES = "scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])"
FORWARD = "q, k, v = self.query(x), self.key(x), self.value(x)"
WEIGHTS = "weights = torch.softmax(scores, dim=-1)"
LAST = "return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1) @ v"
CONSTANT = (
    "super().__init__()",
    """super().__init__()
        root = torch.tensor(float(key_dim)).sqrt()
        self.root = nn.Parameter(root, requires_grad=False)""",
)
ROOT = [CONSTANT, ("math.sqrt(q.shape[-1])", "self.root")]

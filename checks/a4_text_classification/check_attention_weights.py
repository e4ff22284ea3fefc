"""Checks of `attention_weights(layer, x, num_heads, padding_mask=None)`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Battery,
    Domain,
    Masks,
    Probe,
    Student,
    expect,
    expect_floats,
    points,
    probe,
    same,
)

from . import wording


class Layer(nn.Module):
    """A layer of self-attention that was trained elsewhere; it would drop weights."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.to_queries, self.to_keys = (nn.Linear(size, size, bias=False) for _ in range(2))
        self.to_values = nn.Linear(size, size, bias=False)
        self.unify_heads = nn.Linear(size, size)
        self.dropout = nn.Dropout(0.5)
        self.heads = self.num_heads = 1  # whatever a layer says of itself, the argument decides


class Adapted(nn.Linear):
    """A layer of which a part was added after it was trained."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) + 2 * x


class AdaptedLayer(Layer):
    """A layer of self-attention that is more than its matrices."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.to_queries, self.to_keys = (Adapted(size, size, bias=False) for _ in range(2))


class Weighed(nn.Module):
    """Asks for the weights of a layer."""

    def __init__(self, layer: nn.Module, weigh: Any, heads: int) -> None:
        super().__init__()
        self.layer, self.weigh, self.heads = layer, weigh, heads

    def forward(self, x: torch.Tensor, padding_mask: Any = None) -> Any:
        if padding_mask is None:
            return self.weigh(self.layer, x, self.heads)
        return self.weigh(self.layer, x, self.heads, padding_mask)


def weighed(answers: Any, heads: int, embed_dim: int, **sizes: int) -> Any:
    return Weighed(Layer(embed_dim), answers.attention_weights, heads)


def adapted(answers: Any, heads: int, embed_dim: int, **sizes: int) -> Any:
    return Weighed(AdaptedLayer(embed_dim), answers.attention_weights, heads)


domain = Domain(
    answer="attention_weights",
    sizes={"B": 2, "L": 5, "heads": 3, "head_dim": 4},
    derived={"embed_dim": "heads*head_dim"},
    make=Probe(weighed, uses=(Layer, Weighed)),
    inputs={"x": "B L embed_dim", "padding_mask": Masks("B L")},
    optional=("padding_mask",),
    named=True,
    more={"where the length is D": {"L": 12}},
    returns={"weights": "B heads L L"},
    differentiable=False,
)
battery = Battery(
    domain,
    **{"values": 0.5, "bare": 0.5, "sizes": 1, "extremes": 0.75},
    **{"modes": 0.5, "kind": 0.5, "care": 0.5},
)
called = Battery(
    replace(
        domain,
        part="called",
        about="where the two layers do more than multiply by their weights",
        make=Probe(adapted, uses=(Adapted, Layer, AdaptedLayer, Weighed)),
        only=("example", "other"),
    ),
    everywhere=0.5,
)


@probe(uses=(Layer,))
def opposed(answers: Any, x: Any, heads: int, mask: Any) -> dict[str, Any]:
    # Queries are keys turned round, so that every score is far below zero.
    layer = Layer(x.shape[-1])
    with torch.no_grad():
        layer.to_keys.weight.copy_(torch.eye(x.shape[-1]))
        layer.to_queries.weight.copy_(-layer.to_keys.weight)
    return {"weights": answers.attention_weights(layer, x, heads, mask)}


@points(0.25, text="Weights on padding are exactly zero, and every row sums to 1.")
def check_padding_is_left_out_whatever_the_scores(student: Student) -> None:
    """Where every score is far below zero, padding has no weight, and the real token has all."""
    mask = torch.tensor([[False, True, False, False, False], [False, False, False, True, False]])
    for size in (4.0, 2.0**16):  # scores down to -8.6e9, at padding as elsewhere
        x = torch.full((2, 5, 8), size)
        reply = student.run(opposed, x=x, heads=2, mask=mask)
        weights = expect_floats(reply, "weights", B=2, heads=2, L=5, keys=5)
        wanted = mask.double()[:, None, None].expand(2, 2, 5, 5)
        expect(same(weights, wanted), wording.WEIGHT_ON_PADDING)

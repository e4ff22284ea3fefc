"""What the box makes for the explanations: a model of attention layers, and modules that ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from autograder.checking import Domain, Probe


class Given(nn.Module):
    """Attention layers; `past` is how much of a layer's input goes past it.

    Its logits lie around 20, or as far `below` zero, and are as far apart as it is `steep`.
    """

    def __init__(
        self,
        layers: int,
        heads: int,
        size: int,
        classes: int,
        rate: int,
        below: int,
        steep: int,
        past: float = 1.0,
        **others: int,
    ) -> None:
        super().__init__()
        shape = (layers, heads, size, size)
        self.query, self.key = (nn.Parameter(torch.zeros(shape)) for _ in range(2))
        self.value = nn.Parameter(torch.zeros(shape))
        self.out = nn.Parameter(torch.zeros(classes, size))
        self.dropout = nn.Sequential(nn.Dropout(0.5 * rate))  # so that it is no child of the model
        self.input_dim, self.past, self.level = size, past, -20 if below else 20
        self.steep = steep

    def get_attention_maps(
        self,
        x: Any,
        mask: Any = None,
        add_positional_encoding: bool = True,
        return_outputs: bool = False,
    ) -> Any:
        maps = []
        if add_positional_encoding:
            x = x + torch.arange(x.shape[1]).to(x).cos()[:, None]
        for query, key, value in zip(self.query, self.key, self.value, strict=True):
            q, k, v = (torch.einsum("bld,hed->bhle", x, part) for part in (query, key, value))
            scores = q @ k.transpose(-2, -1)
            if mask is not None:
                scores = torch.where(mask, scores, -torch.inf)
            maps.append(scores.softmax(dim=-1))
            x = torch.tanh(self.past * x + self.dropout((maps[-1] @ v).sum(dim=1)))
        apart = 0.37 * self.past * torch.arange(len(self.out)).to(x)  # so that no two are equal
        outputs = (
            self.steep * (x @ self.out.T + apart) + self.level
        )  # whoever bounds them explains nothing
        return (maps, outputs) if return_outputs else maps

    def forward(self, x: Any, mask: Any = None, add_positional_encoding: bool = True) -> Any:
        return self.get_attention_maps(x, mask, add_positional_encoding, return_outputs=True)[1]


class AtTwoPositions(nn.Module):
    """Asks a function that explains the answer at one position."""

    def __init__(self, model: nn.Module, explain: Callable[..., Any]) -> None:
        super().__init__()
        self.model, self.explain = model, explain

    def forward(self, x: Any) -> Any:
        last = x.shape[1] - 1
        with torch.enable_grad():
            found = [self.explain(self.model, x, place) for place in (last // 3, last)]
        return tuple(found)


class Hidden(nn.Module):
    """Asks what a model answers when a position is hidden from each query."""

    def __init__(self, model: nn.Module, answer: Callable[..., Any]) -> None:
        super().__init__()
        self.model, self.answer = model, answer

    def forward(self, x: Any, explanation: Any) -> Any:
        return self.answer(self.model, x, explanation)


def by_attention(answers: Any, **sizes: int) -> Any:
    return AtTwoPositions(Given(**sizes), answers.attention_gradient)


def by_input(answers: Any, **sizes: int) -> Any:
    return AtTwoPositions(Given(**sizes), answers.gradient_times_input)


def hidden(answers: Any, **sizes: int) -> Any:
    """A model that lives more on attention, whose answers change when a position is hidden."""
    return Hidden(Given(**sizes, past=0.5), answers.answers_when_hidden)


ATTENTION_GRADIENT = Probe(by_attention, uses=(Given, AtTwoPositions))
GRADIENT_TIMES_INPUT = Probe(by_input, uses=(Given, AtTwoPositions))
HIDDEN = Probe(hidden, uses=(Given, Hidden))


def with_dropout(domain: Domain) -> Domain:
    """The same question for a model with dropout, which has to rest."""
    return replace(
        domain,
        part="dropout",
        about="for a model with dropout",
        sizes={**domain.sizes, "rate": 1},
        smallest={**domain.smallest, "rate": 1},
        largest={"rate": 1},
        only=("example",),
    )

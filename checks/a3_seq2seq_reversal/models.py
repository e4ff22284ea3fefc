"""Models of our own, which travel with probes: whether an answer trains or decodes right depends on
no other answer."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Small(nn.Module):
    """Scores the next token by one table for each of source, target and result.

    `read` is what the decoder got, `modes` its mode at each call.
    """

    def __init__(self, source: Any, target: Any, last: Any) -> None:
        super().__init__()
        self.source, self.target, self.last = (
            nn.Parameter(table.detach().clone()) for table in (source, target, last)
        )
        self.quiet = nn.Dropout(0.0)
        self.read: list[Any] = []
        self.modes: list[bool] = []

    def encode(self, src: Any) -> Any:
        return self.source[src].mean(dim=1, keepdim=True)

    def decode(self, tgt: Any, memory: Any, src: Any) -> Any:
        self.read.append(tgt.clone())
        self.modes.append(self.training and self.quiet.training)
        return torch.tanh(self.target[tgt] + memory) @ self.last

    def forward(self, src: Any, tgt: Any) -> Any:
        return self.decode(tgt, self.encode(src), src)


class Walk(nn.Module):
    """Its next token follows from the source and from all tokens so far, in their order.

    `table` holds the tokens that it may say.
    """

    def __init__(self, table: Any) -> None:
        super().__init__()
        self.table = table
        self.one = nn.Parameter(torch.ones(1))
        self.quiet = nn.Dropout(0.0)
        self.encoded = self.decoded = 0
        self.modes: list[bool] = []
        self.gradients: list[bool] = []

    def encode(self, src: Any) -> Any:
        self.encoded += 1
        self.note()
        return self.one * src.sum(dim=1, keepdim=True)

    def decode(self, tgt: Any, memory: Any, src: Any) -> Any:
        self.decoded += 1
        self.note()
        places = torch.arange(1, tgt.shape[1] + 1, device=tgt.device)
        walked = (tgt * places).cumsum(dim=1) + memory.long()
        following = self.table[walked % len(self.table)]
        return self.one * nn.functional.one_hot(following, 20).float()

    def note(self) -> None:
        self.modes.append(self.training or self.quiet.training)
        self.gradients.append(torch.is_grad_enabled())

    def forward(self, src: Any, tgt: Any) -> Any:
        return self.decode(tgt, self.encode(src), src)

"""What runs beside `train_step`: a model of our own, so that whether an answer trains right depends
on no other answer."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import numbers, probe


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
        self.passed_by = 0  # how often `forward` ran without a call
        self.register_forward_hook(lambda *_: setattr(self, "passed_by", self.passed_by - 1))

    def encode(self, src: Any) -> Any:
        return self.source[src].mean(dim=1, keepdim=True)

    def decode(self, tgt: Any, memory: Any, src: Any) -> Any:
        self.read.append(tgt.clone())
        self.modes.append(self.training and self.quiet.training)
        return torch.tanh(self.target[tgt] + memory) @ self.last

    def forward(self, src: Any, tgt: Any) -> Any:
        self.passed_by += 1
        return self.decode(tgt, self.encode(src), src)


def stepped(train_step: Any, src: Any, tgt: Any, source: Any, target: Any, last: Any) -> Any:
    model = Small(source, target, last)
    for parameter in model.parameters():  # gradients that a batch before may have left
        parameter.grad = torch.ones_like(parameter)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.5)
    with torch.enable_grad():
        said = [train_step(model, src, tgt, optimizer, 1) for _ in range(3)]
    losses = torch.tensor([float(one) for one in said], dtype=source.dtype)
    return losses, *(table.detach() for table in (model.source, model.target, model.last))


def stepped_in_groups(
    train_step: Any, src: Any, tgt: Any, source: Any, target: Any, last: Any
) -> Any:
    model = Small(source, target, 100 * last)
    groups = [{"params": [one]} for one in model.parameters()]
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer = torch.optim.SGD(groups, lr=3e-3)
    with torch.enable_grad():
        said = [train_step(model, src, tgt, optimizer, 1) for _ in range(3)]
    losses = torch.tensor([float(one) for one in said], dtype=source.dtype)
    return losses, *(table.detach() for table in (model.source, model.target, model.last))


@probe(uses=[Small])
def trained(
    answers: Any, src: Any, tgt: Any, bos_id: int, pad_id: int | None, table: Any
) -> dict[str, Any]:
    model = Small(table, table.flip(0), table.T).eval()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    given = [] if pad_id is None else [pad_id]
    said = answers.train_step(model, src, tgt, optimizer, bos_id, *given)
    left = all(part.training for part in model.modules())
    model.train().quiet.eval()  # a part alone
    answers.train_step(model, src, tgt, optimizer, bos_id, *given)
    plain = isinstance(said, (int, float)) and not isinstance(said, bool)
    return {
        "loss": torch.tensor([float(said)]) if plain else None,
        "decoder input": model.read[0] if model.read else None,
        "training": bool(model.modes) and all(model.modes),
        "left": left and all(part.training for part in model.modules()),
        "called": model.passed_by == 0,
        "table after": model.target,
    }


# The second case has another padding id, and then id 0 is a token; and a batch of one.
CASES: dict[str, dict[str, Any]] = {
    "plain": {
        "src": torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0], [5, 3, 3, 0]]),
        "tgt": torch.tensor([[6, 5, 4, 3, 2], [8, 7, 2, 0, 0], [3, 3, 5, 2, 0]]),
        **{"bos_id": 1, "pad_id": None, "table": numbers(10, 9, 6)},
    },
    "other_padding": {
        "src": torch.tensor([[3, 0, 5]]),
        "tgt": torch.tensor([[6, 0, 3, 2, 4, 4]]),
        **{"bos_id": 7, "pad_id": 4, "table": numbers(20, 8, 6)},
    },
}

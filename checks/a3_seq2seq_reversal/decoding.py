"""What runs beside `greedy_decode`: a model of our own, so that whether an answer decodes right
depends on no other answer, and what it is asked to say."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import probe, sizes_of

NOTHING = -1


class Walk(nn.Module):
    """Its next token follows from the source and all tokens so far, each in its order.

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
        return self.one * src

    def decode(self, tgt: Any, memory: Any, src: Any) -> Any:
        self.decoded += 1
        self.note()
        places = torch.arange(1, tgt.shape[1] + 1, device=tgt.device)
        read = memory.long()
        astray = (read != src).sum(dim=1, keepdim=True)
        walked = (tgt * places).cumsum(dim=1) + read.sum(dim=1, keepdim=True) + astray
        following = self.table[walked % len(self.table)]
        return self.one * nn.functional.one_hot(following, 20).float()

    def note(self) -> None:
        self.modes.append(self.training or self.quiet.training)
        self.gradients.append(torch.is_grad_enabled())

    def forward(self, src: Any, tgt: Any) -> Any:
        return self.decode(tgt, self.encode(src), src)


def walked(inputs: dict[str, Any], steps: int) -> torch.Tensor:
    """What the model says by itself in so many steps, (N, steps)."""
    model, src = Walk(inputs["table"]), inputs["src"]
    said = torch.full((len(src), 1), inputs["bos_id"])
    for _ in range(steps):
        scores = model.decode(said, model.encode(src), src)
        said = torch.cat([said, scores[:, -1:].argmax(dim=-1)], dim=1)
    return said[:, 1:]


def written(greedy_decode: Any, src: Any, table: Any, limit: Any) -> Any:
    found = greedy_decode(Walk(table), src, 1, 2, len(limit))
    if not isinstance(found, list) or not all(isinstance(row, list) for row in found):
        raise TypeError("what it returns is no list of lists")
    rows = [[*row, *[-1] * len(limit)][: max(len(limit), len(row))] for row in found]
    return torch.tensor(rows)


def tokens_of(found: Any, width: int) -> Any:
    whole = [isinstance(row, (list, tuple)) or getattr(row, "ndim", 0) > 0 for row in found]
    rows = [row if many else [row] for row, many in zip(found, whole, strict=True)]
    rows = [[int(token) for token in row] for row in rows]
    width = max([width, *[len(row) for row in rows]])
    return torch.tensor([row + [-1] * (width - len(row)) for row in rows])


@probe(uses=[Walk, tokens_of])
def decoded(
    answers: Any, src: Any, table: Any, bos_id: int, eos_id: int, max_len: int
) -> dict[str, Any]:
    model = Walk(table)
    found = answers.greedy_decode(model, src, bos_id, eos_id, max_len)
    lists = isinstance(found, list) and all(isinstance(row, list) for row in found)
    encoded, decoded = model.encoded, model.decoded
    model.eval().quiet.train()  # a part alone
    answers.greedy_decode(model, src, bos_id, eos_id, max_len)
    return {
        "lists": lists and all(isinstance(one, int) for row in found for one in row),
        "tokens": tokens_of(found, 1),
        "encoded": encoded,
        "decoded": decoded,
        "evaluating": not any(model.modes),
        "gradients": any(model.gradients),
        "trainable": model.one.requires_grad and torch.is_grad_enabled(),
    }


@probe(uses=[tokens_of])
def with_own(answers: Any, kind: str, sizes: Any, src: Any, max_len: int) -> dict[str, Any]:
    model = getattr(answers, kind)(*sizes.tolist())
    for one in model.parameters():  # the same in whichever order they were made
        torch.manual_seed(2394 + one.numel())  # two of the rows say EOS then
        nn.init.normal_(one, std=0.5)
    for given in (src.flip(0), src):  # the second call knows nothing of the first
        found = answers.greedy_decode(model, given, 1, 2, max_len)
    wanted = torch.ones(len(src), 1, dtype=torch.int64)
    with torch.no_grad():
        for _ in range(max_len):
            best = model(src, wanted)[:, -1:].argmax(dim=-1)
            wanted = torch.cat([wanted, best], dim=1)
    return {"tokens": tokens_of(found, max_len), "wanted": wanted[:, 1:]}


# Rows that end after eight, no, eight and three tokens; the first says BOS on its way.
TABLE = sizes_of(7, 3, 14, 5, 1, 4, 7, 13, 8, 11, 10, 9, 5, 3, 2, 6, 2)
ENDLESS = sizes_of(5, 7, 3, 9, 4, 11, 8, 0, 6, 13)  # 0 is a token like others
BATCH: dict[str, Any] = {
    "src": torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0], [5, 3, 3, 0], [9, 11, 4, 3]]),
    "table": TABLE,
    "bos_id": 1,
    "eos_id": 2,
    "max_len": 12,
}
# Another BOS and another EOS.
ALONE: dict[str, Any] = {
    "src": torch.tensor([[4, 9, 6]]),
    "table": TABLE,
    "bos_id": 15,
    "eos_id": 6,
    "max_len": 15,
}
LIMITED: dict[str, Any] = {**BATCH, "table": ENDLESS, "eos_id": 16, "max_len": 7}
CASES = {"batch": BATCH, "alone": ALONE}
OWN: dict[str, Any] = {
    "sizes": sizes_of(10, 16, 2, 32, 1),
    "src": torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0], [9, 9, 4, 0]]),
    "max_len": 8,
}

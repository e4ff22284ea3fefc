"""Checks of `greedy_decode(model, src, bos_id, eos_id, max_len)`, on two models."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_count,
    points,
    probe,
    sizes_of,
)

from . import wording

NOTHING = -1


@probe
def decoded(
    answers: Any, src: Any, table: Any, bos_id: int, eos_id: int, max_len: int
) -> dict[str, Any]:
    class Walk(nn.Module):
        """Its next token follows from the source and from all tokens so far, in their order."""

        def __init__(self) -> None:
            super().__init__()
            self.one = nn.Parameter(torch.ones(1))
            self.encoded = self.decoded = 0
            self.modes: list[bool] = []
            self.gradients: list[bool] = []

        def encode(self, src: Any) -> Any:
            self.encoded += 1
            self.gradients.append(torch.is_grad_enabled())
            return self.one * src.sum(dim=1, keepdim=True)

        def decode(self, tgt: Any, memory: Any, src: Any) -> Any:
            self.decoded += 1
            self.modes.append(self.training)
            self.gradients.append(torch.is_grad_enabled())
            places = torch.arange(1, tgt.shape[1] + 1)
            walked = (tgt * places).cumsum(dim=1) + memory.long()
            following = table[walked % len(table)]
            return self.one * nn.functional.one_hot(following, 20).float()

        def forward(self, src: Any, tgt: Any) -> Any:
            return self.decode(tgt, self.encode(src), src)

    model = Walk()
    found = answers.greedy_decode(model, src, bos_id, eos_id, max_len)
    lists = isinstance(found, list) and all(isinstance(row, list) for row in found)
    kinds = [isinstance(row, (list, tuple)) or getattr(row, "ndim", 0) > 0 for row in found]
    rows = [row if whole else [row] for row, whole in zip(found, kinds, strict=True)]
    rows = [[int(token) for token in row] for row in rows]
    longest = max([1, *[len(row) for row in rows]])
    return {
        "lists": lists and all(type(token) is int for row in found for token in row),
        "tokens": torch.tensor([row + [-1] * (longest - len(row)) for row in rows]),
        "encoded": model.encoded,
        "decoded": model.decoded,
        "evaluating": not any(model.modes),
        "gradients": any(model.gradients),
        "src": src,
    }


@probe
def with_transformer(answers: Any, sizes: Any, src: Any, max_len: int) -> dict[str, Any]:
    torch.manual_seed(5)
    model = answers.Transformer(*sizes.tolist())
    found = answers.greedy_decode(model, src, 1, 2, max_len)
    kinds = [isinstance(row, (list, tuple)) or getattr(row, "ndim", 0) > 0 for row in found]
    rows = [row if whole else [row] for row, whole in zip(found, kinds, strict=True)]
    rows = [[int(token) for token in row] for row in rows]
    wanted = torch.ones(len(src), 1, dtype=torch.int64)
    with torch.no_grad():
        for _ in range(max_len):
            best = model(src, wanted)[:, -1:].argmax(dim=-1)
            wanted = torch.cat([wanted, best], dim=1)
    return {
        "tokens": torch.tensor([row + [-1] * (max_len - len(row)) for row in rows]),
        "wanted": wanted[:, 1:],
    }


# Rows that end after five, no, eight and three tokens.
TABLE = sizes_of(7, 3, 14, 5, 12, 4, 7, 13, 8, 11, 10, 9, 5, 3, 2, 6, 2)
ENDLESS = sizes_of(5, 7, 3, 9, 4, 11, 8, 3, 6, 13)
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
LIMITED: dict[str, Any] = {**BATCH, "table": ENDLESS, "max_len": 7}
CASES = {"batch": BATCH, "alone": ALONE}


def _tokens(student: Student, inputs: dict[str, Any]) -> torch.Tensor:
    """One row for each sequence, filled up with NOTHING after its last token."""
    found = student.run(decoded, **inputs).tensor("tokens")
    whole = found.dtype == torch.int64 and found.dim() == 2 and len(found) == len(inputs["src"])
    expect(whole, wording.NOT_LISTS)
    return found


@points(1)
def check_returns_lists_of_ints(student: Student, expected: Expected) -> None:
    """The answer is a list with one list of Python ints for each sequence."""
    for inputs in CASES.values():
        reply = student.run(decoded, **inputs)
        _tokens(student, inputs)
        expect(reply["lists"] is True, wording.NOT_LISTS)


@points(3)
def check_tokens_are_right(student: Student, expected: Expected) -> None:
    """The tokens are those that the model scores highest, each after all those before it."""
    for case, inputs in CASES.items():
        expected.match(case, Reply.of({"tokens": _tokens(student, inputs)}))


@points(2)
def check_each_sequence_ends_at_its_eos(student: Student, expected: Expected) -> None:
    """Every list ends before the EOS of its own sequence, and holds no BOS."""
    for case, inputs in CASES.items():
        tokens = _tokens(student, inputs)
        framed = (tokens == inputs["bos_id"]) | (tokens == inputs["eos_id"])
        expect(not framed.any(), wording.FRAMED)
        lengths = (tokens != NOTHING).sum(dim=1)
        expected.match(f"lengths_{case}", Reply.of({"lengths": lengths}))


@points(1)
def check_stops_at_the_limit(student: Student, expected: Expected) -> None:
    """A model that never says EOS is stopped after max_len tokens."""
    for max_len in (7, 1):
        tokens = _tokens(student, {**LIMITED, "max_len": max_len})
        expect(tokens.shape[1] <= max_len, wording.TOO_LONG)
        expect(tokens.shape[1] == max_len and (tokens != NOTHING).all(), wording.TOO_SHORT)


@points(1)
def check_encodes_once_and_stops_early(student: Student, expected: Expected) -> None:
    """The source is encoded once; the decoder rests when all sequences have said EOS."""
    for inputs in (*CASES.values(), LIMITED):
        reply = student.run(decoded, **inputs)
        lengths = (_tokens(student, inputs) != NOTHING).sum(dim=1)
        expect_count(reply, "encoded", 1, wording.ENCODED_AGAIN)
        steps = min(int(lengths.max()) + 1, inputs["max_len"])
        expect_count(reply, "decoded", steps, wording.DECODED_ON)


@points(1)
def check_runs_without_gradients_or_dropout(student: Student, expected: Expected) -> None:
    """While it writes, the model is in evaluation mode and no gradients are kept."""
    reply = student.run(decoded, **BATCH)
    expect(reply["evaluating"] is True, wording.NOT_EVALUATING)
    expect(reply["gradients"] is False, wording.WITH_GRADIENTS)


@points(1)
def check_works_with_your_transformer(student: Student, expected: Expected) -> None:
    """With your own `Transformer` it writes what that scores highest, step by step."""
    src = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0], [9, 9, 4, 0]])
    reply = student.run(with_transformer, sizes=sizes_of(10, 16, 2, 32, 1), src=src, max_len=8)
    tokens, wanted = reply.tensor("tokens"), reply.tensor("wanted")
    for found in (tokens, wanted):
        expect(found.shape == (3, 8) and found.dtype == torch.int64, wording.NOT_GREEDY)
    ended = (wanted == 2).cumsum(dim=1) > 0
    expect(torch.equal(tokens, wanted.masked_fill(ended, NOTHING)), wording.NOT_GREEDY)

"""Checks of `greedy_decode(model, src, bos_id, eos_id, max_len)`, on two models."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Integers,
    Probe,
    Reply,
    Student,
    Tokens,
    expect,
    expect_count,
    points,
    probe,
    sizes_of,
)

from . import wording
from .models import Walk

NOTHING = -1


def written(greedy_decode: Any, src: Any, table: Any, limit: Any) -> Any:
    found = greedy_decode(Walk(table), src, 1, 2, len(limit))
    if not isinstance(found, list) or not all(isinstance(row, list) for row in found):
        raise TypeError("what it returns is no list of lists")
    rows = [[*row, *[-1] * len(limit)][: max(len(limit), len(row))] for row in found]
    return torch.tensor(rows)


battery = Battery(
    Domain(
        answer="greedy_decode",
        sizes={"N": 4, "L_src": 5, "max_len": 11, "words": 17},
        smallest={"words": 5},
        inputs={
            "src": Tokens("N L_src", 12),
            "table": Integers("words", 2, 14),
            "limit": Integers("max_len", 0, 2),
        },
        returns={"tokens, filled up with -1": "N max_len"},
        call=Probe(written, uses=[Walk]),
        differentiable=False,
        more={"for a large batch": {"N": 40}},
        extremes=False,
        doubles=False,
    ),
    **{"values": 1.5, "sizes": 1, "care": 1},
)


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
    return {
        "lists": lists and all(isinstance(one, int) for row in found for one in row),
        "tokens": tokens_of(found, 1),
        "encoded": model.encoded,
        "decoded": model.decoded,
        "evaluating": not any(model.modes),
        "gradients": any(model.gradients),
    }


@probe(uses=[tokens_of])
def with_transformer(answers: Any, sizes: Any, src: Any, max_len: int) -> dict[str, Any]:
    torch.manual_seed(5)
    model = answers.Transformer(*sizes.tolist())
    found = answers.greedy_decode(model, src, 1, 2, max_len)
    wanted = torch.ones(len(src), 1, dtype=torch.int64)
    with torch.no_grad():
        for _ in range(max_len):
            best = model(src, wanted)[:, -1:].argmax(dim=-1)
            wanted = torch.cat([wanted, best], dim=1)
    return {"tokens": tokens_of(found, max_len), "wanted": wanted[:, 1:]}


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


@points(0.5, text="It returns a list of N lists of Python ints")
def check_returns_lists_of_ints(student: Student, expected: Expected) -> None:
    """The answer is a list with one list of Python ints for each sequence."""
    for inputs in CASES.values():
        reply = student.run(decoded, **inputs)
        _tokens(student, inputs)
        expect(reply["lists"] is True, wording.NOT_LISTS)


@points(1, text="takes the token that it finds most likely, appends it to its own input")
def check_tokens_are_right(student: Student, expected: Expected) -> None:
    """The tokens are those that the model scores highest, each after all those before it."""
    for case, inputs in CASES.items():
        expected.match(case, Reply.of({"tokens": _tokens(student, inputs)}))


@points(1, text="without EOS, and without anything after EOS")
def check_each_sequence_ends_at_its_eos(student: Student, expected: Expected) -> None:
    """Every list ends before the EOS of its own sequence, and holds no BOS."""
    for case, inputs in CASES.items():
        tokens = _tokens(student, inputs)
        framed = (tokens == inputs["bos_id"]) | (tokens == inputs["eos_id"])
        expect(not framed.any(), wording.FRAMED)
        lengths = (tokens != NOTHING).sum(dim=1)
        expected.match(f"lengths_{case}", Reply.of({"lengths": lengths}))


@points(1, text="A sequence that never says EOS has max_len tokens.")
def check_stops_at_the_limit(student: Student, expected: Expected) -> None:
    """A model that never says EOS is stopped after max_len tokens."""
    for max_len in (7, 1):
        tokens = _tokens(student, {**LIMITED, "max_len": max_len})
        expect(tokens.shape[1] <= max_len, wording.TOO_LONG)
        expect(tokens.shape[1] == max_len and (tokens != NOTHING).all(), wording.TOO_SHORT)


@points(1, text="stops early when all sequences have said EOS")
def check_encodes_once_and_stops_early(student: Student, expected: Expected) -> None:
    """The source is encoded once; the decoder rests when all sequences have said EOS."""
    for inputs in (*CASES.values(), LIMITED):
        reply = student.run(decoded, **inputs)
        lengths = (_tokens(student, inputs) != NOTHING).sum(dim=1)
        expect_count(reply, "encoded", 1, wording.ENCODED_AGAIN)
        steps = min(int(lengths.max()) + 1, inputs["max_len"])
        fewer = isinstance(reply["decoded"], int) and reply["decoded"] < steps
        expect_count(
            reply, "decoded", steps, wording.TOO_FEW_STEPS if fewer else wording.DECODED_ON
        )


@points(1, text="It puts the model into evaluation mode, computes no gradients")
def check_runs_without_gradients_or_dropout(student: Student, expected: Expected) -> None:
    """While it writes, the model is in evaluation mode and no gradients are kept."""
    reply = student.run(decoded, **BATCH)
    expect(reply["evaluating"] is True, wording.NOT_EVALUATING)
    expect(reply["gradients"] is False, wording.WITH_GRADIENTS)


@points(1, text="and asks itself again, until it says EOS")
def check_works_with_your_transformer(student: Student, expected: Expected) -> None:
    """With your own `Transformer` it writes what that scores highest, step by step."""
    src = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0], [9, 9, 4, 0]])
    reply = student.run(with_transformer, sizes=sizes_of(10, 16, 2, 32, 1), src=src, max_len=8)
    tokens, wanted = reply.tensor("tokens"), reply.tensor("wanted")
    for found in (tokens, wanted):
        expect(found.shape == (3, 8) and found.dtype == torch.int64, wording.NOT_GREEDY)
    ended = (wanted == 2).cumsum(dim=1) > 0
    expect(torch.equal(tokens, wanted.masked_fill(ended, NOTHING)), wording.NOT_GREEDY)

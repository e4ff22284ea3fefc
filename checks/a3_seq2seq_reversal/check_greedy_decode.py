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
)

from . import wording
from .decoding import (
    BATCH,
    CASES,
    LIMITED,
    NOTHING,
    OWN,
    Walk,
    decoded,
    walked,
    with_own,
    written,
)

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


def _tokens(student: Student, inputs: dict[str, Any]) -> torch.Tensor:
    """One row for each sequence, filled up with NOTHING after its last token."""
    found = student.run(decoded, **inputs).tensor("tokens")
    whole = found.dtype == torch.int64 and found.dim() == 2 and len(found) == len(inputs["src"])
    expect(whole, wording.NOT_LISTS)
    return found


@points(0.5, text="It returns a list of N lists of Python ints")
def check_returns_lists_of_ints(student: Student) -> None:
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
    """Every list begins behind the BOS that was put in front, and ends before its own EOS."""
    for case, inputs in CASES.items():
        tokens = _tokens(student, inputs)
        begun = tokens[:, :1] == inputs["bos_id"]  # further on the model itself may say it
        expect(not begun.any() and not (tokens == inputs["eos_id"]).any(), wording.FRAMED)
        lengths = (tokens != NOTHING).sum(dim=1)
        expected.match(f"lengths_{case}", Reply.of({"lengths": lengths}))


@points(1, text="A sequence that never says EOS has max_len tokens.")
def check_stops_at_the_limit(student: Student) -> None:
    """A model that never says EOS is stopped after max_len tokens, which are all its own."""
    for max_len in (7, 1, 30):
        tokens = _tokens(student, {**LIMITED, "max_len": max_len})
        expect(tokens.shape[1] <= max_len, wording.TOO_LONG)
        expect(tokens.shape[1] == max_len and (tokens != NOTHING).all(), wording.TOO_SHORT)
        expect(torch.equal(tokens, walked(LIMITED, max_len)), wording.OTHER_TOKENS)


@points(1, text="stops early when all sequences have said EOS")
def check_encodes_once_and_stops_early(student: Student) -> None:
    """The source is encoded once; the decoder rests when all sequences have said EOS."""
    for inputs in (*CASES.values(), LIMITED):
        reply = student.run(decoded, **inputs)
        lengths = (_tokens(student, inputs) != NOTHING).sum(dim=1)
        expect_count(reply, "encoded", 1, wording.ENCODED_AGAIN)
        steps = min(int(lengths.max()) + 1, inputs["max_len"])
        fewer = isinstance(reply["decoded"], int) and reply["decoded"] < steps
        said = wording.TOO_FEW_STEPS if fewer else wording.DECODED_ON
        expect_count(reply, "decoded", steps, said)


@points(1, text="It puts the model into evaluation mode, computes no gradients")
def check_runs_without_gradients_or_dropout(student: Student) -> None:
    """While it writes, and then only, gradients are off; the model is in evaluation mode."""
    reply = student.run(decoded, **BATCH)
    expect(reply["evaluating"] is True, wording.NOT_EVALUATING)
    expect(reply["gradients"] is False, wording.WITH_GRADIENTS)
    expect(reply["trainable"] is True, wording.LEFT_FROZEN)


@points(1, text="and asks itself again, until it says EOS")
def check_works_with_your_transformer(student: Student) -> None:
    """Your own `Transformer` writes what it scores highest, step by step, in a second call, too."""
    reply = student.run(with_own, kind="Transformer", **OWN)
    tokens, wanted = reply.tensor("tokens"), reply.tensor("wanted")
    for found in (tokens, wanted):
        expect(found.shape == (3, 8) and found.dtype == torch.int64, wording.NOT_GREEDY)
    ended = (wanted == 2).cumsum(dim=1) > 0
    expect(torch.equal(tokens, wanted.masked_fill(ended, NOTHING)), wording.NOT_GREEDY)

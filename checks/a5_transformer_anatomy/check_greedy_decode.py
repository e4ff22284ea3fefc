"""Checks of `greedy_decode(model, input_ids, attention_mask, max_length)`, on models of ours."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Integers,
    Masks,
    Probe,
    Reply,
    Student,
    expect,
    points,
)

from . import wording
from .writing import BATCH, ENDLESS, OTHER, STARTS_WITH_END, ZEROS, Walk, decoded, written

battery = Battery(
    Domain(
        answer="greedy_decode",
        sizes={"N": 4, "L_s": 5, "max_length": 11, "words": 17},
        smallest={"max_length": 2, "words": 5},
        inputs={
            "input_ids": Integers("N L_s", 3, 12),
            "attention_mask": Masks("N L_s", integers=True),
            "table": Integers("words", 1, 14),
            "limit": Integers("max_length", 0, 2),
        },
        returns={"ids, padded up to max_length": "N max_length"},
        make=Probe(written, uses=[Walk]),
        dropout=True,  # a model in evaluation mode drops nothing
        differentiable=False,
        more={"for a large batch": {"N": 30}},
        extremes=False,
        doubles=False,
    ),
    **{"values": 0.75, "sizes": 0.75, "care": 0.5},
)


def _ids(student: Student, inputs: dict[str, Any]) -> tuple[torch.Tensor, Reply]:
    """The ids, (N, L), and the whole reply."""
    reply = student.run(decoded, **inputs)
    ids = reply.tensor("ids")
    whole = ids.dtype in (torch.int64, torch.int32) and ids.dim() == 2 and ids.numel() > 0
    expect(whole and len(ids) == len(inputs["input_ids"]), wording.NOT_IDS)
    return ids.long(), reply


def _real(ids: torch.Tensor, pad: torch.Tensor) -> torch.Tensor:
    """The ids without columns of padding at the end: when it stops is another check's matter."""
    return ids[:, : 1 + int((ids != pad).any(dim=0).nonzero().max())]


@points(1, text="What follows is model.config.pad_token_id.")
def check_each_row_is_padded_after_its_end(student: Student, expected: Expected) -> None:
    """Every row holds the end token of its own sentence, and then padding."""
    ids, _ = _ids(student, BATCH)
    ended = ids == BATCH["special"][1]
    expect(ended.any(dim=1).all(), wording.NO_END)
    after = (ended.cumsum(dim=1) > 0) & ~((ended.cumsum(dim=1) == 1) & ended)
    expect((ids[after] == BATCH["special"][2]).all(), wording.NOT_PADDED)
    expected.match("ends", Reply.of({"ends": ended.int().argmax(dim=1)}))


@points(0.75, text="at the latest when the rows have max_length tokens, start token included")
def check_stops_at_max_length(student: Student) -> None:
    """A model that never writes an end token is stopped after max_length tokens."""
    for max_length in (7, 2):
        ids, _ = _ids(student, {**ENDLESS, "max_length": max_length})
        expect(ids.shape[1] <= max_length, wording.LONGER_THAN_ALLOWED)
        expect(ids.shape[1] == max_length, wording.SHORTER_THAN_ALLOWED)


@points(0.75, text="It stops as soon as all sentences have ended")
def check_stops_when_all_have_ended(student: Student) -> None:
    """When the last sentence has ended, nothing more is written and no model is asked."""
    ids, reply = _ids(student, BATCH)
    ended = (ids == BATCH["special"][1]).any(dim=0)
    last = int(ended.nonzero().max()) + 1 if ended.any() else 0
    expect(ids.shape[1] == last, wording.WROTE_ON)
    calls = reply["calls"]
    expect(type(calls) is int and calls <= len(ids) * (last - 1), wording.ASKED_ON)


@points(0.75, text="which begins with model.config.decoder_start_token_id")
def check_special_ids_are_those_of_the_model(student: Student, expected: Expected) -> None:
    """Start, end and padding have the ids that the model's config gives them."""
    ids, _ = _ids(student, OTHER)
    start, _, pad = OTHER["special"].tolist()
    expect((ids[:, 0] == start).all(), wording.OTHER_START_TOKEN)
    expected.match("special_ids", Reply.of({"ids": _real(ids, pad)}))
    for name, inputs in ZEROS.items():
        ids, _ = _ids(student, inputs)
        expect((ids[:, 0] == inputs["special"][0]).all(), wording.OTHER_START_TOKEN)
        expected.match(name, Reply.of({"ids": _real(ids, inputs["special"][2])}))
    ids, _ = _ids(student, STARTS_WITH_END)
    ended = ids[:, 1:] == STARTS_WITH_END["special"][1]
    expect(ended.any(dim=1).all(), wording.ENDED_BY_ITS_START)


@points(0.25, text="The model has to know which tokens of the source are real.")
def check_the_mask_reaches_the_model(student: Student) -> None:
    """What is padding in the source does not change what is written."""
    other, _ = _ids(student, OTHER)
    changed = OTHER["input_ids"].where(OTHER["attention_mask"] == 1, 11)
    again, _ = _ids(student, {**OTHER, "input_ids": changed})
    expect(other.shape == again.shape, wording.PADDING_READ)
    expect(torch.equal(other, again), wording.PADDING_READ)


@points(0.25, text="Call it as `model(input_ids=..., attention_mask=..., decoder_input_ids=...)`")
def check_the_model_is_called_as_the_text_says(student: Student) -> None:
    """The model gets the source, its mask, and what has been written so far, no more."""
    for inputs in (BATCH, OTHER, ENDLESS):
        _, reply = _ids(student, inputs)
        expect(reply["plain"] is True, wording.OTHER_CALL)
        expect(reply["steps"] is True, wording.NOT_IN_STEPS)


@points(0.25, text="Inputs, lists and models that are handed in")
def check_the_model_keeps_its_config(student: Student) -> None:
    """The config of the model is after a call what it was before."""
    for inputs in (BATCH, OTHER, ENDLESS):
        _, reply = _ids(student, inputs)
        expect(reply["kept"] is True, wording.CONFIG_CHANGED)

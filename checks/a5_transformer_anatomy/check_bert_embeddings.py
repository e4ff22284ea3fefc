"""Checks of `bert_embeddings(model, input_ids)`, with small models that the probe makes."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    expect_shape,
    expect_unchanged,
    points,
    probe,
)
from autograder.results import sentences

from . import wording


@probe
def rebuilt(
    answers: Any, seed: int, hidden: int, input_ids: Any, zero: str, eps: float, plain: bool
) -> dict[str, Any]:
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=23,
        hidden_size=hidden,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=4,
        max_position_embeddings=16,
        layer_norm_eps=eps,
        pad_token_id=0,
    )
    model: Any = BertModel(config, add_pooling_layer=False)
    model.eval()
    parts = model.embeddings
    tables = ("word_embeddings", "position_embeddings", "token_type_embeddings")
    torch.manual_seed(seed)
    with torch.no_grad():
        for _, parameter in sorted(parts.named_parameters()):
            parameter.copy_(torch.randn(parameter.shape))
        for name in zero.split():
            getattr(parts, name).weight.zero_()
        if plain:  # rows of mean 0 and variance 1 pass a fresh norm, whoever computes it
            parts.LayerNorm.reset_parameters()
            for name in tables:
                weight = getattr(parts, name).weight
                weight.copy_(nn.functional.layer_norm(weight, (hidden,), eps=eps))
    calls: list[int] = []
    for part in (model, parts):
        part.register_forward_hook(lambda *_: calls.append(1))
    output = answers.bert_embeddings(model, input_ids)
    found = {"output": output, "calls": len(calls), "input_ids": input_ids}
    if isinstance(output, torch.Tensor) and output.requires_grad:
        (output**3).sum().backward()  # type: ignore[no-untyped-call]
    for name in tables:
        gradient = getattr(parts, name).weight.grad
        found[f"rows of {name}"] = (
            None if gradient is None else (gradient != 0).any(dim=-1).nonzero().flatten()
        )
    devices = []
    for name in tables:
        getattr(parts, name).register_forward_pre_hook(
            lambda _, given: devices.append(given[0].device.type)
        )
    try:  # the meta device stands in for any device that is not the CPU
        there = answers.bert_embeddings(model.to("meta"), input_ids.to("meta"))
        devices.append(there.device.type)
        device = "".join(sorted(set(devices)))
    except Exception as error:
        # A right answer may look at single numbers, which the meta device does not have.
        device = "meta" if "meta tensors" in str(error) else "mixed"
    return {**found, "device": device}


WORDS, PLACES, TYPES = "word_embeddings", "position_embeddings", "token_type_embeddings"
PADDING = 0
IDS = {
    "two_sentences": torch.tensor([[2, 7, 7, 1, 22], [3, 9, 5, 0, 0]]),
    "one_sentence": torch.tensor([[4, 22, 4, 4, 1, 8, 19, 6, 4]]),
}


def _rebuilt(
    student: Student, case: str, zero: str = "", eps: float = 1e-12, plain: bool = False
) -> Reply:
    """The reply on the ids of `case`; the tables in `zero` are zero, `plain`: the norm is idle."""
    reply = student.run(
        rebuilt, seed=3, hidden=12, input_ids=IDS[case], zero=zero, eps=eps, plain=plain
    )
    expect(reply["calls"] == 0, wording.WHOLE_CALLED)
    return reply


def _match_alone(student: Student, expected: Expected, name: str, *others: str) -> None:
    for case in IDS:
        reply = _rebuilt(student, case, zero=" ".join(others), plain=True)
        expected.match(f"{name}_{case}", Reply.of({"output": reply.tensor("output")}))


@points(1)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The first hidden state has the shape (N, L, D)."""
    for case, ids in IDS.items():
        n, length = ids.shape
        expect_shape(_rebuilt(student, case), "output", N=n, L=length, D=12)


@points(1)
def check_words_count(student: Student, expected: Expected) -> None:
    """Each token brings its word's vector."""
    _match_alone(student, expected, "words", PLACES, TYPES)


@points(2)
def check_positions_count(student: Student, expected: Expected) -> None:
    """Each token brings its position's vector, the same in every sentence."""
    _match_alone(student, expected, "positions", WORDS, TYPES)


@points(1)
def check_token_types_count(student: Student, expected: Expected) -> None:
    """Each token brings the vector of token type 0."""
    _match_alone(student, expected, "types", WORDS, PLACES)


@points(4)
def check_equals_the_first_hidden_state(student: Student, expected: Expected) -> None:
    """The sum goes through the model's own LayerNorm, and equals its first hidden state."""
    for case in IDS:
        for eps in (1e-12, 0.5):
            reply = _rebuilt(student, case, eps=eps)
            output = Reply.of({"output": reply.tensor("output")})
            expected.match(f"whole_{case}_{eps}", output, atol=1e-6, rtol=1e-6)


@points(1)
def check_gradients_flow_and_ids_stay(student: Student, expected: Expected) -> None:
    """The gradient reaches the rows that were used; ids and device stay as they are."""
    for case, ids in IDS.items():
        reply = _rebuilt(student, case)
        expect_floats(reply, "output", N=ids.shape[0], L=ids.shape[1], D=12)
        expect_unchanged(reply, {"input_ids": ids})
        expect(reply["device"] == "meta", sentences.other_device())
        for name, used in (
            (WORDS, torch.tensor(sorted(set(ids.flatten().tolist()) - {PADDING}))),
            (PLACES, torch.arange(ids.shape[1])),
            (TYPES, torch.zeros(1, dtype=torch.int64)),
        ):
            found = reply[f"rows of {name}"]
            expect(isinstance(found, torch.Tensor), sentences.no_gradient_at(name))
            assert isinstance(found, torch.Tensor)
            if name == WORDS:
                found = found[found != PADDING]  # nn.Embedding keeps it out of training
            expect(torch.equal(found, used), sentences.no_gradient_at(name))

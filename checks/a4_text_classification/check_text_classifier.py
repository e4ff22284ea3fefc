"""Checks of `TextClassifier(embed_dim, num_heads, depth, seq_length, num_tokens, num_classes)`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Battery,
    Domain,
    Integers,
    Masks,
    Student,
    expect,
    expect_floats,
    points,
    probe,
    same,
    sizes_of,
    values,
)

from . import wording

LIKELY = -10.0  # a log-probability above which no small number in the logarithm is seen

domain = Domain(
    answer="TextClassifier",
    sizes={
        **{"B": 3, "L": 6, "spare": 4, "heads": 2, "head_dim": 5, "depth": 2},
        **{"num_tokens": 13, "num_classes": 4},
    },
    smallest={"spare": 0, "num_tokens": 2},
    largest={"depth": 3, "spare": 8, "heads": 5},
    multiples={"head_dim": 2},
    arguments=("heads*head_dim", "heads", "depth", "L+spare", "num_tokens", "num_classes"),
    inputs={
        "input_ids": Integers("B L", 1, "num_tokens"),
        "attention_mask": Masks("B L", integers=True),
    },
    long=520,
    extremes=False,
    dropout=True,
    returns={"log-probabilities": "B num_classes"},
)
battery = Battery(
    domain,
    **{"values": 1.5, "sizes": 1.25, "gradients": 6, "modes": 2, "kind": 2, "parts": 1, "care": 2},
)

first_token = Battery(
    replace(
        domain,
        part="first_token",
        about="where token 0 stands among the real ones",
        inputs={**domain.inputs, "input_ids": Integers("B L", 0, 2)},
        only=("example",),
    ),
    values=0.15,
    gradients=0.1,
)


def weighted(answers: Any, sizes: Any) -> Any:
    """A model in evaluation, whose weights are the same in whichever order they were made."""
    model = answers.TextClassifier(*sizes.tolist())
    for one in model.parameters():
        torch.manual_seed(one.numel())
        nn.init.normal_(one, std=0.5)
    model.eval()
    return model


@probe(uses=[weighted])
def answered(answers: Any, sizes: Any, ids: Any, mask: Any) -> dict[str, Any]:
    return {"output": weighted(answers, sizes)(ids, mask)}


@probe(uses=[weighted])
def certain(answers: Any, sizes: Any, ids: Any, mask: Any, factor: float) -> dict[str, Any]:
    model = weighted(answers, sizes)
    heads = [one for one in model.modules() if isinstance(one, nn.Linear)]
    heads = [one for one in heads if one.out_features == sizes[-1]]
    with torch.no_grad():
        for number in [number for one in heads for number in one.parameters()]:
            number.mul_(factor)
    return {"output": model(ids, mask), "has_head": len(heads) == 1}


@probe
def started(answers: Any, sizes: Any) -> dict[str, Any]:
    torch.manual_seed(1)
    model = answers.TextClassifier(*sizes.tolist())
    tables = [part.weight for part in model.modules() if isinstance(part, nn.Embedding)]
    return {"table": tables[0] if len(tables) == 1 else None}


@probe
def dropping(answers: Any, ids: Any, depth: int) -> dict[str, Any]:
    # The student's own parts say how often they ask for dropout, and for how much.
    from autograder.box.inside.overriding import undropped

    parts = (answers.PositionalEncoding(8, max_len=ids.shape[1]), answers.SelfAttention(8, 2))
    model = answers.TextClassifier(8, 2, depth, ids.shape[1], 20, 3)
    rates = []
    for part in (*parts, model):
        given = (ids, torch.ones_like(ids)) if part is model else (torch.ones(*ids.shape, 8),)
        with undropped() as found:
            part.train()(*given)
        rates.append(found)
    own, found = sorted(rates[0] + depth * rates[1]), sorted(rates[2])
    blocks = sum(isinstance(part, answers.TransformerBlock) for part in model.modules())
    return {"own": torch.tensor(own), "found": torch.tensor(found), "blocks": blocks}


@points(1.5, text="returns the log-probabilities, shape (B, num_classes)")
@values
def check_answers_with_log_probabilities(student: Student) -> None:
    """The exponentials of the output sum to 1 over the classes, also where one is certain."""
    ids = torch.arange(24).reshape(4, 6) * 7 % 15
    mask = (torch.arange(6) < torch.tensor([6, 3, 5, 1])[:, None]).long()
    asked = {"sizes": sizes_of(8, 2, 2, 30, 15, 5), "ids": ids, "mask": mask}
    output = expect_floats(student.run(answered, **asked), "output", B=4, num_classes=5)
    sums = output.exp().sum(dim=-1)
    expect(same(sums, torch.ones_like(sums)), wording.NOT_LOG_PROBABILITIES)
    expect((output[1:] - output[0]).abs().max() > 1e-5, wording.NO_OPINION)
    for factor in (100.0, 1e5):
        reply = student.run(certain, **asked, factor=factor)
        sure = expect_floats(reply, "output", B=4, num_classes=5)
        expect(sure.isfinite().all(), wording.UNSAFE_LOGARITHM)
        if reply["has_head"] is True and factor < 1e3:  # beyond, rounding is as large as numbers
            wanted = (factor * output).log_softmax(dim=-1)
            likely = wanted > LIKELY
            cut_off = same(sure[likely], wanted[likely], 1e-2) and not same(sure, wanted, 1e-2)
            expect(not cut_off, wording.UNSAFE_LOGARITHM)


@points(2, text="start normally distributed with mean 0 and standard deviation")
def check_embedding_starts_small(student: Student) -> None:
    """The embedding starts with mean 0 and the standard deviation that the question gives."""
    for size in (64, 16):
        reply = student.run(started, sizes=sizes_of(size, 2, 1, 4, 2000, 3))
        expect(reply["table"] is not None, wording.ONE_TABLE)
        table = expect_floats(reply, "table", num_tokens=2000, embed_dim=size)[1:]
        spread = float(table.std()) * size**0.5
        expect(abs(spread - 1) < 0.03, wording.OTHER_START)
        expect(abs(float(table.mean())) < 0.03 * size**-0.5, wording.OTHER_START)
        beyond = float((table.abs() * size**0.5 > 2).double().mean())
        expect(0.02 < beyond < 0.08, wording.OTHER_SHAPE)


@points(
    0.5, text="your PositionalEncoding, for sequences of up to seq_length tokens, with its usual"
)
def check_is_made_of_its_parts(student: Student) -> None:
    """It owns `depth` blocks; in training its parts drop what they do alone, and nothing else."""
    for depth in (1, 3):
        reply = student.run(dropping, ids=torch.arange(10).reshape(2, 5), depth=depth)
        expect(reply["blocks"] == depth, wording.OTHER_BLOCKS)
        expect(torch.equal(reply.tensor("found"), reply.tensor("own")), wording.OTHER_DROPOUT)

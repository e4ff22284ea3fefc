"""Checks of `TransformerBlock(embed_dim, num_heads)`: battery, attention, and what is dropped."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Masks,
    Student,
    expect,
    expect_floats,
    numbers,
    points,
    probe,
    same,
)

from . import wording

domain = Domain(
    answer="TransformerBlock",
    sizes={"B": 2, "L": 5, "heads": 3, "head_dim": 4},
    arguments=("heads*head_dim", "heads"),
    inputs={"x": "B L heads*head_dim", "padding_mask": Masks("B L")},
    optional=("padding_mask",),
    dropout=True,
    more={"where the length is embed_dim": {"L": 12}},
    returns={"output": "B L heads*head_dim"},
)
battery = Battery(
    domain,
    **{"values": 1, "bare": 0.5, "sizes": 1, "extremes": 1, "gradients": 4.5},
    **{"modes": 1.5, "kind": 1.5, "parts": 0.5, "care": 1.5},
)


@probe
def fresh(answers: Any, x: Any) -> dict[str, Any]:
    block = answers.TransformerBlock(x.shape[-1], 2)
    block.eval()
    return {"output": block(x)}


@probe
def dropping(answers: Any, x: Any) -> dict[str, Any]:
    # The student's own attention says how often it asks for dropout, and with which probability.
    from autograder.box.inside.overriding import undropped

    size, rates = x.shape[-1], []
    for name in ("SelfAttention", "TransformerBlock"):
        module = getattr(answers, name)(size, 2)
        module.train()
        with undropped() as found:
            module(x)
        rates.append(torch.tensor(found))
    owned = any(isinstance(part, answers.SelfAttention) for part in module.modules())
    return {"attention": rates[0], "block": rates[1], "owned": owned}


@points(1.5, text="There is no dropout besides the one in the attention.")
def check_only_attention_drops_in_training(student: Student) -> None:
    """It owns its attention, whose weights are dropped in training, and nothing else is."""
    reply = student.run(dropping, x=numbers(5, 3, 5, 8))
    expect(reply["owned"] is True, wording.NO_SELF_ATTENTION)
    expect(torch.equal(reply.tensor("block"), reply.tensor("attention")), wording.OTHER_DROPOUT)


@points(0.5, text="brings every vector back to mean 0 and variance 1")
def check_a_fresh_block_normalises(student: Student) -> None:
    """A fresh block answers with vectors of mean 0 and variance 1."""
    reply = student.run(fresh, x=7 + numbers(6, 3, 5, 8, scale=3.0))
    output = expect_floats(reply, "output", B=3, L=5, embed_dim=8)
    means, spreads = output.mean(dim=-1), output.var(dim=-1, correction=0)
    right = same(means, torch.zeros_like(means), 1e-4)
    expect(right and same(spreads, torch.ones_like(spreads), 1e-3), wording.NOT_NORMALISED)

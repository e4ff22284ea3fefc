"""Probes of where an encoder layer drops, and with which probability."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch

from autograder.checking import expect, probe

from . import wording


@probe
def dropping(answers: Any, x: Any, p: float | None, drops: str, training: bool) -> dict[str, Any]:
    # The norms do nothing, blocks that `drops` names put out one number everywhere, others zeros.
    from autograder.box.inside.overriding import last_name, over

    def unnormed(func: Any, args: Any, kwargs: Any) -> Any:
        if last_name(func) == "layer_norm":
            return args[0] if args else kwargs["input"]
        return func(*args, **kwargs)

    given = {} if p is None else {"dropout": p}
    layer = answers.EncoderLayer(x.shape[-1], 2, 5, **given)
    layer.train(training)
    last = {"attention": layer.attention.W_o, "feed_forward": layer.feed_forward.linear2}
    with torch.no_grad():
        for name, part in last.items():
            part.weight.zero_()
            part.bias.fill_(2.0 if name in drops.split() else 0.0)
    torch.manual_seed(4)
    with torch.no_grad(), over(unnormed):  # dropping goes by the mode alone
        return {"output": layer(x)}


@probe
def rates(answers: Any, x: Any, p: float) -> dict[str, Any]:
    # The student's own parts say how often they ask for dropout, and with which probability.
    from autograder.box.inside.overriding import undropped

    size, found = x.shape[-1], {}
    layer = answers.EncoderLayer(size, 2, 5, dropout=p)
    layer.train()
    attention = answers.MultiHeadAttention(size, 2, p)
    attention.train()
    network = answers.PositionwiseFeedForward(size, 5, p)
    network.train()
    for name, modules, given in (
        ("attention", (attention, layer.attention), (x, x, x)),
        ("feed_forward", (network, layer.feed_forward), (x,)),
    ):
        for which, module in zip(("own", "inside"), modules, strict=True):
            with undropped() as asked:
                module(*given)
            found[f"{which} {name}"] = torch.tensor(asked)
    return found


def expect_each_alone(dropped: torch.Tensor) -> None:
    """What `dropped` marks, if anything, was drawn anew along every axis."""
    if not dropped.any():
        return
    for axis, size in enumerate(dropped.shape):
        for first, second in pairwise(range(size)):
            alike = torch.equal(dropped.select(axis, first), dropped.select(axis, second))
            expect(not alike, wording.DROPS_TOGETHER)

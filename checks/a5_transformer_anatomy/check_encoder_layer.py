"""Checks of `EncoderLayer(d_model, n_heads, d_ff, dropout=0.1)`, built of the student's parts."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Masks,
    Probe,
    Reply,
    Student,
    expect,
    expect_dropped,
    expect_floats,
    numbers,
    points,
    probe,
    same,
    values,
)

from . import wording
from .dropping import dropping, expect_each_alone, rates


def under_each(layer: Any, x: Any, mask: Any, table: Any) -> Any:
    return layer(x, mask), layer(x, table)


domain = Domain(
    answer="EncoderLayer",
    sizes={"N": 2, "L": 5, "heads": 3, "d_k": 4, "d_ff": 10},
    arguments=("heads*d_k", "heads", "d_ff"),
    inputs={"x": "N L heads*d_k", "mask": Masks("N 1 L L", mixed=True)},
    optional=("mask",),
    named=True,
    dropout=True,
    more={"where the length is d_model": {"L": 12}},
    returns={"output": "N L heads*d_k"},
)
battery = Battery(
    domain,
    **{"values": 1.5, "bare": 0.25, "sizes": 0.75, "extremes": 0.25, "gradients": 3.75},
    **{"modes": 0.25, "kind": 1.25, "care": 1},
)
one_mask = Battery(
    replace(
        domain,
        part="one_mask",
        about="with one mask for all sequences",
        inputs={**domain.inputs, "mask": Masks("L"), "table": Masks("L L")},
        optional=(),
        returns={"output (one row)": "N L heads*d_k", "output (a table)": "N L heads*d_k"},
        call=Probe(under_each),
        only=("example", "equal"),
    ),
    everywhere=0.25,
)
PARTS = ("attention", "feed_forward", "norm1", "norm2")
BLOCKS = {"attention": "the attention", "feed_forward": "the feed-forward network"}


@probe
def named(answers: Any, names: str) -> dict[str, Any]:
    layer = answers.EncoderLayer(12, 3, 7)
    parts = [getattr(layer, name, None) for name in names.split()]
    whole = all(isinstance(part, nn.Module) for part in parts)
    scaled = [getattr(part, name, None) for part in parts[2:] for name in ("weight", "bias")]
    return {"named": whole, "norms": all(isinstance(one, nn.Parameter) for one in scaled)}


@probe
def shrunk(answers: Any, x: Any, first: float) -> dict[str, Any]:
    # Both blocks put out zeros: what is left are the sums and the norms.
    layer = answers.EncoderLayer(x.shape[-1], 2, 5)
    layer.eval()
    with torch.no_grad():
        for part in (layer.attention.W_o, layer.feed_forward.linear2):
            part.weight.zero_()
            part.bias.zero_()
        layer.norm1.weight.fill_(first)
    return {"output": layer(x)}


@points(0.25, text="**named** attention (your MultiHeadAttention), feed_forward")
def check_has_the_four_parts(student: Student) -> None:
    """The parts `attention`, `feed_forward`, `norm1` and `norm2` are there."""
    reply = student.run(named, names=" ".join(PARTS))
    expect(reply["named"] is True, wording.FOUR_PARTS)
    expect(reply["norms"] is True, wording.NO_NORMS)


@points(1.25, text="two nn.LayerNorm with eps=1e-6")
def check_the_norms_have_their_eps(student: Student, expected: Expected) -> None:
    """Where blocks put out zeros the layer is two norms, with eps 1e-6 also for small numbers."""
    cases = [("usual", 1.0, 1.0), ("small", 1e-3, 1.0), ("shrunk", 1.0, 1e-3)]
    for case, scale, first in (*cases, ("small and shrunk", 1e-3, 1e-3)):
        x = numbers(3, 2, 4, 12, scale=scale)
        output = student.run(shrunk, x=x, first=first).tensor("output")
        expected.match(f"norms_{case}", Reply.of({"output": output}))


@values
@points(1.25, text="what each of them puts out is dropped with it before it is added to the input")
def check_drops_around_and_inside_the_blocks(student: Student) -> None:
    """In training what each block puts out is dropped before it is added, with one `dropout`."""
    x, dims = numbers(5, 40, 4, 24), {"N": 40, "L": 4, "d_model": 24}
    asked = list(product((0.4, None, 0.0), BLOCKS.items(), (False, True)))
    replies = [  # all of them first: what both blocks do tells a mistake from others
        student.run(dropping, x=x, p=p, drops=block, training=training)
        for p, (block, _), training in asked
    ]
    for (p, (_, told), training), reply in zip(asked, replies, strict=True):
        added = expect_floats(reply, "output", **dims) - x.double()
        added = added.where(added.abs() > 1e-5, 0)  # what rounding leaves of x - x
        two = torch.full_like(added, 2.0)
        if training:
            expect(p == 0 or (added == 0).any(), wording.not_dropped(told))
            expect_dropped(added, two, 0.1 if p is None else p)
            expect_each_alone(added == 0)
        else:
            expect(same(added, two), wording.NO_RESIDUAL)
    both = student.run(dropping, x=x, p=0.4, drops=" ".join(BLOCKS), training=True)
    added = expect_floats(both, "output", **dims) - x.double()
    lone = (added - 2 / 0.6).abs() < 0.1  # what one of them put out, where the other is dropped
    expect(lone.any(), wording.BLOCKS_DROP_TOGETHER)
    reply = student.run(rates, x=numbers(6, 2, 3, 8), p=0.3)
    for block in BLOCKS:
        own, inside = (reply.tensor(f"{which} {block}") for which in ("own", "inside"))
        expect(torch.equal(own, inside), wording.not_handed_on(block))

"""Checks of `EncoderBlock(d_model, num_heads, d_ff)`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autograder.checking import Battery, Domain, Masks, Probe

from .parts import BY_ATTENTION


def under_each(block: Any, x: Any, mask: Any, one_mask: Any) -> Any:
    return block(x, mask), block(x, one_mask)


domain = Domain(
    answer="EncoderBlock",
    sizes={"N": 2, "L": 5, "heads": 2, "d_head": 4, "d_ff": 6},
    arguments=("heads*d_head", "heads", "d_ff"),
    inputs={"x": "N L heads*d_head", "mask": Masks("N 1 L L", mixed=True, empty=True)},
    returns={"output": "N L heads*d_head"},
    optional=("mask",),
    traced=BY_ATTENTION,
)
battery = Battery(
    domain,
    **{"values": 1, "bare": 0.5, "sizes": 0.75, "extremes": 0.75, "gradients": 3},
    **{"modes": 0.5, "kind": 1, "parts": 1, "care": 1},
)
padded = Battery(
    replace(
        domain,
        part="padded",
        about="with the mask of padding and with one mask for all",
        inputs={
            **domain.inputs,
            "mask": Masks("N 1 1 L", mixed=True, empty=True),
            "one_mask": Masks("L L", mixed=True, empty=True),
        },
        optional=(),
        returns={**domain.returns, "output under one mask for all": "N L heads*d_head"},
        call=Probe(under_each),
        only=("example", "other", "zeros", "alike"),
    ),
    everywhere=0.5,
)

"""Checks of `DecoderBlock(d_model, num_heads, d_ff)`."""

from __future__ import annotations

from typing import Any

from autograder.checking import Battery, Domain, Masks, Probe

from .parts import BY_ATTENTION


def under_both_and_one(
    block: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None
) -> Any:
    if self_mask is None:
        return [block(x, memory)] * 3
    both = block(x, memory, self_mask, cross_mask)
    return both, block(x, memory, cross_mask=cross_mask), block(x, memory, self_mask[0, 0])


battery = Battery(
    Domain(
        answer="DecoderBlock",
        sizes={"N": 2, "L": 4, "L_src": 5, "heads": 2, "d_head": 3, "d_ff": 7},
        arguments=("heads*d_head", "heads", "d_ff"),
        inputs={
            **{"x": "N L heads*d_head", "memory": "N L_src heads*d_head"},
            **{
                "self_mask": Masks("N 1 L L", mixed=True, empty=True),
                "cross_mask": Masks("N 1 1 L_src", mixed=True, empty=True),
            },
        },
        returns={
            "output": "N L heads*d_head",
            "output without self_mask": "N L heads*d_head",
            "output without cross_mask": "N L heads*d_head",
        },
        optional=("self_mask", "cross_mask"),
        unmasked=("output without self_mask", "output without cross_mask"),
        call=Probe(under_both_and_one),
        traced=BY_ATTENTION,
    ),
    **{"values": 1, "bare": 0.5, "sizes": 1, "extremes": 1, "gradients": 3},
    **{"modes": 0.5, "kind": 1, "parts": 1, "care": 1},
)

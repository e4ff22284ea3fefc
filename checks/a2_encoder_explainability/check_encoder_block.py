"""Checks of `EncoderBlock(input_dim, num_heads, dim_feedforward, dropout=0.0)`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autograder.checking import Battery, Domain, Floats, Probe

from .modules import moments, with_masks


def dropping(answers: Any, dim: int, heads: int, width: int, **sizes: int) -> Any:
    return answers.EncoderBlock(dim, heads, width, dropout=0.7)


domain = Domain(
    answer="EncoderBlock",
    sizes={"B": 2, "L": 5, "heads": 3, "head_dim": 2, "width": 8},
    derived={"dim": "heads*head_dim"},
    more={"where the MLP is as wide as x": {"width": 6}},
    arguments=("dim", "heads", "width"),
    inputs={"x": "B L dim"},
    returns={"output": "B L dim"},
)
battery = Battery(
    domain,
    **{"values": 0.75, "sizes": 0.5, "extremes": 0.5, "gradients": 3},
    **{"modes": 0.5, "kind": 0.5, "parts": 0.25, "care": 0.5},
)
masked = Battery(with_masks(domain, "dim"), everywhere=1.25, care=0.25)
dropped = Battery(
    replace(
        domain,
        part="dropout",
        about="with dropout",
        sizes={"L": 2, "heads": 2, "head_dim": 3, "width": 5},
        only=("example", "evaluation"),
        make=Probe(dropping),
        call=Probe(moments),
        inputs={"x": Floats("1 L dim", scale=0.3)},
        returns={"mean output": "L*dim", "mean of products": "L*dim L*dim"},
        random=True,
        atol=0.04,
    ),
    **{"values": 1, "modes": 1},
)

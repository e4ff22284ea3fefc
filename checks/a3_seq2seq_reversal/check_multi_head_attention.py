"""Checks of `MultiHeadAttention(d_model, num_heads)`."""

from __future__ import annotations

from dataclasses import replace

from autograder.checking import Battery, Domain, Masks

from .parts import BY_ATTENTION

domain = Domain(
    answer="MultiHeadAttention",
    sizes={"N": 2, "L_q": 3, "L_k": 5, "heads": 2, "d_head": 4},
    arguments=("heads*d_head", "heads"),
    inputs={
        "x_q": "N L_q heads*d_head",
        **{"x_k": "N L_k heads*d_head", "x_v": "N L_k heads*d_head"},
        "mask": Masks("N 1 L_q L_k", mixed=True),
    },
    returns={
        **{"output": "N L_q heads*d_head", "attention": "N heads L_q L_k"},
    },
    optional=("mask",),
    traced=BY_ATTENTION,
)
battery = Battery(
    domain,
    **{"values": 1.5, "bare": 0.5, "sizes": 1, "extremes": 1, "gradients": 4.5},
    **{"modes": 1, "kind": 1.5, "parts": 1.5, "care": 1.5},
)
one_mask = Battery(
    replace(
        domain,
        part="one_mask",
        about="with one mask for all sequences and heads",
        inputs={**domain.inputs, "mask": Masks("L_q L_k", mixed=True)},
        only=("example", "other", "equal", "ones"),
    ),
    everywhere=1,
)

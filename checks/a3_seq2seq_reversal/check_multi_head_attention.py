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
        "mask": Masks("N 1 L_q L_k", mixed=True, empty=True),
    },
    returns={
        **{"output": "N L_q heads*d_head", "attention": "N heads L_q L_k"},
    },
    optional=("mask",),
    forbidden=("multi_head_attention_forward",),
    ready_made=("attention",),
    traced=BY_ATTENTION,
)
battery = Battery(
    domain,
    **{"values": 1.5, "bare": 0.5, "sizes": 1, "extremes": 1, "gradients": 4.5},
    **{"modes": 1, "kind": 1.25, "parts": 1, "way": 0.75, "care": 1.5},
)


def masked_by(mask: str, part: str, about: str, points: float) -> Battery:
    return Battery(
        replace(
            domain,
            part=part,
            about=about,
            inputs={**domain.inputs, "mask": Masks(mask, mixed=True, empty=True)},
            only=("example", "other", "equal", "ones"),
        ),
        everywhere=points,
    )


one_mask = masked_by("L_q L_k", "one_mask", "with one mask for all sequences and heads", 0.5)
by_head = masked_by("heads L_q L_k", "by_head", "with a mask for each head", 0.25)
of_each = masked_by(
    "N heads L_q L_k", "of_each", "with a mask for each head of each sequence", 0.25
)

"""Checks of `scaled_dot_product_attention(q, k, v, mask=None)`."""

from __future__ import annotations

from dataclasses import replace
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
    values,
)
from autograder.results import sentences

from . import wording

SIZES = {"N": 2, "L_q": 3, "L_k": 5, "d_k": 4, "d_v": 6}
RESULTS = {"output": "N heads L_q d_v", "weights": "N heads L_q L_k"}
domain = Domain(
    answer="scaled_dot_product_attention",
    sizes={**SIZES, "heads": 3},
    inputs={
        **{"q": "N heads L_q d_k", "k": "N heads L_k d_k", "v": "N heads L_k d_v"},
        "mask": Masks("N 1 L_q L_k", mixed=True),
    },
    optional=("mask",),
    returns=RESULTS,
)
battery = Battery(
    replace(
        domain,
        forbidden=("scaled_dot_product", "multi_head_attention_forward"),
        ready_made=("attention",),
    ),
    **{"values": 0.75, "bare": 0.5, "sizes": 0.75, "extremes": 0.75, "gradients": 2.75},
    **{"kind": 1, "way": 0.5, "care": 1},
)
one_axis = Battery(
    replace(
        domain,
        part="one_axis",
        about="with one leading dimension, and one mask for all queries",
        sizes=SIZES,
        inputs={"q": "N L_q d_k", "k": "N L_k d_k", "v": "N L_k d_v", "mask": Masks("L_k")},
        returns={"output": "N L_q d_v", "weights": "N L_q L_k"},
        only=("example", "equal", "bare"),
    ),
    everywhere=0.25,
)
three_axes = Battery(
    replace(
        domain,
        part="three_axes",
        about="with three leading dimensions",
        sizes={**SIZES, "heads": 3, "B": 2},
        inputs={
            **{"q": "B N heads L_q d_k", "k": "B N heads L_k d_k", "v": "B N heads L_k d_v"},
            "mask": Masks("N 1 L_q L_k"),
        },
        returns={"output": "B N heads L_q d_v", "weights": "B N heads L_q L_k"},
        only=("example", "bare"),
    ),
    everywhere=0.25,
)
own_table = Battery(
    replace(
        domain,
        part="own_table",
        about="with one leading dimension, and a mask for each sequence",
        sizes=SIZES,
        inputs={
            **{"q": "N L_q d_k", "k": "N L_k d_k", "v": "N L_k d_v"},
            "mask": Masks("N L_q L_k"),
        },
        returns={"output": "N L_q d_v", "weights": "N L_q L_k"},
        only=("example",),
    ),
    everywhere=0.25,
)
own_heads = Battery(
    replace(
        domain,
        part="own_heads",
        about="with a mask for each head, and the same for all sequences",
        inputs={**domain.inputs, "mask": Masks("heads L_q L_k")},
        only=("example", "equal"),
    ),
    everywhere=0.25,
)
no_axis = Battery(
    replace(
        domain,
        part="no_axis",
        about="without leading dimensions",
        sizes={name: size for name, size in SIZES.items() if name != "N"},
        inputs={"q": "L_q d_k", "k": "L_k d_k", "v": "L_k d_v", "mask": Masks("L_q L_k")},
        returns={"output": "L_q d_v", "weights": "L_q L_k"},
        only=("example", "equal"),
    ),
    everywhere=0.25,
)


@probe
def attended(answers: Any, q: Any, k: Any, v: Any, mask: Any) -> dict[str, Any]:
    output, weights = answers.scaled_dot_product_attention(q, k, v, mask)
    return {"output": output, "weights": weights}


@values
@points(0.75, text="so that the weight is exactly 0 and the rest of the row still sums to 1")
def check_masked_keys_weigh_nothing_whatever_the_scores(student: Student) -> None:
    """A masked key weighs exactly 0, also where the others have scores far below zero."""
    given = {
        **{"q": torch.full((1, 2, 6), 100.0), "v": numbers(72, 1, 3, 3)},
        "k": torch.tensor([-100.0, 0.1, -100.0])[:, None].expand(1, 3, 6).contiguous(),
        "mask": torch.tensor([[True, False, True], [True, False, False]]),
    }
    weights = expect_floats(student.run(attended, **given), "weights", N=1, L_q=2, L_k=3)
    expect(weights.isfinite().all(), sentences.not_finite("weights"))
    expect((weights[..., 1] == 0).all(), wording.HIDDEN_WEIGHS)
    even = torch.tensor([[[0.5, 0.0, 0.5], [1.0, 0.0, 0.0]]], dtype=torch.float64)
    # sums and logarithms of such scores are rounded
    expect(same(weights, even, atol=0.01), wording.NOT_SHARED_OUT)

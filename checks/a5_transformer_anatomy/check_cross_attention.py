"""Checks of `CrossAttention(d_model, n_heads, d_kv)`, whose layers have the names of T5's."""

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
    values,
)

from . import wording

SIDES = {"x": "N L d_model", "memory": "N L_s d_model"}
domain = Domain(
    answer="CrossAttention",
    sizes={"N": 2, "L": 4, "L_s": 6, "heads": 3, "d_kv": 5, "d_model": 8},
    arguments=("d_model", "heads", "d_kv"),
    inputs={**SIDES, "mask": Masks("N L_s", mixed=True)},
    optional=("mask",),
    named=True,
    more={
        "where the lengths are d_model": {"L": 8, "L_s": 8},
        "where the heads have d_model columns": {"d_model": 15},
    },
    returns={"output": "N L d_model", "weights": "N heads L L_s"},
)
battery = Battery(
    domain,
    **{"values": 0.75, "bare": 0.5, "sizes": 0.75, "extremes": 1, "gradients": 2.5},
    **{"modes": 0.25, "kind": 0.5, "parts": 0.25, "care": 0.75},
)


@probe
def given_to_t5s_layer(answers: Any, x: Any, memory: Any, real: Any) -> dict[str, Any]:
    # The library's layer, with weights at random, and the student's with the same ones.
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    torch.manual_seed(6)
    config = T5Config(
        **{"d_model": x.shape[-1], "num_heads": 3, "d_kv": 5, "dropout_rate": 0.0},
        **{"is_decoder": True, "attn_implementation": "eager"},
    )
    theirs: Any = T5Attention(config, layer_idx=0).eval()
    with torch.no_grad():
        for weight in theirs.parameters():
            weight.copy_(torch.randn(weight.shape) / weight.shape[-1] ** 0.5)
    hidden = torch.zeros(real.shape).masked_fill(~real, -1e3)[:, None, None]
    module = answers.CrossAttention(x.shape[-1], 3, 5)
    module.eval()
    module.load_state_dict(theirs.state_dict(), strict=False)
    return {
        "output": module(x, memory, real)[0],
        "library": theirs(x, mask=hidden, key_value_states=memory)[0],
    }


@values
@points(0.75, text="named as in T5: q, k and v from d_model to n_heads * d_kv, and o back")
def check_t5s_weights_move_in(student: Student) -> None:
    """With the weights of the library's T5 layer it answers what that answers."""
    real = torch.tensor([[True, False, True, True, True], [True, True, True, False, False]])
    given = {"x": numbers(31, 2, 3, 8), "memory": numbers(32, 2, 5, 8)}
    reply = student.run(given_to_t5s_layer, **given, real=real)
    output, library = (
        expect_floats(reply, name, N=2, L=3, d_model=8) for name in ("output", "library")
    )
    expect(same(output, library), wording.NOT_T5)

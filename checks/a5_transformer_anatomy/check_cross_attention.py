"""Checks of `CrossAttention(d_model, n_heads, d_kv)`, whose layers have the names of T5's."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Expected,
    Masks,
    Student,
    expect,
    numbers,
    points,
    probe,
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
    ready_made=("attention",),
    more={
        "where the lengths are d_model": {"L": 8, "L_s": 8},
        "where the heads have d_model columns": {"d_model": 15},
    },
    returns={"output": "N L d_model", "weights": "N heads L L_s"},
)
battery = Battery(
    domain,
    **{"values": 0.75, "bare": 0.5, "sizes": 0.75, "extremes": 1, "gradients": 2.5},
    **{"modes": 0.25, "kind": 0.5, "parts": 0.25, "way": 0.25, "care": 0.75},
)


@probe
def with_t5s_names(
    answers: Any, x: Any, memory: Any, real: Any, q: Any, k: Any, v: Any, o: Any
) -> dict[str, Any]:
    module = answers.CrossAttention(x.shape[-1], 3, 5)
    module.eval()
    weights = {"q.weight": q, "k.weight": k, "v.weight": v, "o.weight": o}
    module.load_state_dict(weights, strict=False)
    return {"output": module(x, memory, real)[0]}


@points(0.5, text="named as in T5: q, k and v from d_model to n_heads * d_kv, and o back")
def check_t5s_weights_move_in(student: Student, expected: Expected) -> None:
    """With weights that come by the names of T5's layers it answers what T5's own layer answers."""
    real = torch.tensor([[True, False, True, True, True], [True, True, True, False, False]])
    given = {"x": numbers(31, 2, 3, 8), "memory": numbers(32, 2, 5, 8)}
    given |= {name: numbers(n, 15, 8, scale=8**-0.5) for n, name in enumerate("qkv")}
    reply = student.run(with_t5s_names, **given, o=numbers(3, 8, 15, scale=15**-0.5), real=real)
    expect(expected.accepts("t5", reply), wording.NOT_T5)

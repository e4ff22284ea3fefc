"""Checks of `scaled_dot_product(q, k, v, mask=None)`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Floats,
    Masks,
    Probe,
    Student,
    expect,
    numbers,
    points,
    probe,
)

from . import wording

FEW = ("example", "other", "equal", "ones", "large", "huge")
FUSED = ("scaled_dot_product", "multi_head_attention_forward")


def masked_twice(subject: Any, q: Any, k: Any, v: Any, mask: Any, one_mask: Any) -> Any:
    """Under a mask for each sequence, and under one for all, where scores are further apart."""
    return (*subject(q, k, v, mask), *subject(8 * q, k, v, one_mask))


def masked_by_head(
    subject: Any,
    q: Any,
    k: Any,
    v: Any,
    mask: Any,
    head_mask: Any,
    key_mask: Any,
    row: Any,
    keys: Any,
) -> Any:
    """Under masks of every shape that broadcasts; without a mask last, though it is told first."""
    masks = (mask, head_mask, key_mask, row, keys)
    masked = [one for given in masks for one in subject(q, k, v, given)]
    return (*subject(q, k, v), *masked)


domain = Domain(
    answer="scaled_dot_product",
    sizes={"B": 2, "L_q": 3, "L_k": 5, "d_k": 4, "d_v": 6},
    inputs={"q": "B L_q d_k", "k": "B L_k d_k", "v": "B L_k d_v"},
    returns={"values": "B L_q d_v", "attention": "B L_q L_k"},
    forbidden=FUSED,
    ready_made=("attention",),
    long=100,
)
battery = Battery(
    domain,
    **{"values": 0.25, "sizes": 0.25, "extremes": 0.25, "gradients": 1},
    **{"kind": 0.25, "way": 0.25, "care": 0.25},
)
masked = Battery(
    replace(
        domain,
        part="masked",
        about="with a mask",
        inputs={
            **{"q": "B L_q d_k", "k": Floats("B L_k d_k", padded=True), "v": "B L_k d_v"},
            **{"mask": Masks("B L_q L_k"), "one_mask": Masks("L_q L_k")},
        },
        returns={
            **domain.returns,
            "values (one mask for all)": "B L_q d_v",
            "attention (one mask for all)": "B L_q L_k",
        },
        call=Probe(masked_twice),
    ),
    **{"values": 0.25, "sizes": 0.25, "extremes": 0.25, "gradients": 0.25},
    **{"kind": 0.25, "care": 0.25},
)
bare = Battery(
    replace(
        domain,
        part="bare",
        only=FEW,
        about="without a leading dimension",
        sizes={"L_q": 3, "L_k": 5, "d_k": 4, "d_v": 6},
        inputs={"q": "L_q d_k", "k": "L_k d_k", "v": "L_k d_v"},
        returns={"values": "L_q d_v", "attention": "L_q L_k"},
    ),
    everywhere=0.25,
)
heads = Battery(
    replace(
        domain,
        part="heads",
        only=FEW,
        about="with two leading dimensions",
        sizes={"B": 2, "heads": 3, "L_q": 4, "L_k": 5, "d_k": 7, "d_v": 6},
        inputs={
            **{"q": "B heads L_q d_k", "k": "B heads L_k d_k", "v": "B heads L_k d_v"},
            **{"mask": Masks("B heads L_q L_k"), "head_mask": Masks("heads L_q L_k")},
            **{"key_mask": Masks("B 1 1 L_k"), "row": Masks("1 L_k"), "keys": Masks("L_k")},
        },
        returns={
            **{"values": "B heads L_q d_v", "attention": "B heads L_q L_k"},
            "values (with a mask)": "B heads L_q d_v",
            "attention (with a mask)": "B heads L_q L_k",
            "values (a mask for each head)": "B heads L_q d_v",
            "attention (a mask for each head)": "B heads L_q L_k",
            "values (a mask of keys for each sequence)": "B heads L_q d_v",
            "attention (a mask of keys for each sequence)": "B heads L_q L_k",
            "values (a mask of one row)": "B heads L_q d_v",
            "attention (a mask of one row)": "B heads L_q L_k",
            "values (a mask of keys)": "B heads L_q d_v",
            "attention (a mask of keys)": "B heads L_q L_k",
        },
        call=Probe(masked_by_head),
        unmasked=("values", "attention"),
    ),
    everywhere=0.25,
)
three = Battery(
    replace(
        domain,
        part="three",
        only=("example",),
        about="with three leading dimensions",
        sizes={"B": 2, "heads": 3, "N": 2, "L_q": 4, "L_k": 5, "d_k": 7, "d_v": 6},
        inputs={
            **{"q": "B N heads L_q d_k", "k": "B N heads L_k d_k", "v": "B N heads L_k d_v"},
            "mask": Masks("heads L_q L_k"),
        },
        returns={"values": "B N heads L_q d_v", "attention": "B N heads L_q L_k"},
    ),
    everywhere=0.25,
)


@probe
def linked(answers: Any, q: Any, k: Any, v: Any, mask: Any = None) -> dict[str, Any]:
    values, attention = answers.scaled_dot_product(q.requires_grad_(), k, v, mask)
    found = {"values": values, "linked": False}
    if values.requires_grad and attention.requires_grad:
        reached = torch.autograd.grad(values.sum(), attention, allow_unused=True)
        found["linked"] = reached[0] is not None
    return found


@points(0.25, text="The values are computed from this very tensor `attention`")
def check_values_depend_on_the_attention(student: Student) -> None:
    """A gradient goes from the values to the attention that is returned beside them."""
    q, k, v = numbers(1, 2, 3, 4), numbers(2, 2, 5, 4), numbers(3, 2, 5, 6)
    for given in ({}, {"mask": torch.ones(3, 5, dtype=torch.bool).tril()}):
        reply = student.run(linked, q=q, k=k, v=v, **given)
        expect(reply["linked"] is True, wording.MAPS_NOT_LINKED)

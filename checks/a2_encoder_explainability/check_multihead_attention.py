"""Checks of `MultiheadAttention(input_dim, embed_dim, num_heads)`."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Student,
    expect,
    points,
    probe,
)

from . import wording
from .modules import with_masks

domain = Domain(
    answer="MultiheadAttention",
    sizes={"B": 2, "L": 5, "input_dim": 7, "heads": 3, "head_dim": 4},
    derived={"embed_dim": "heads*head_dim"},
    more={"where input and output have the same size": {"input_dim": 12}},
    long=130,
    arguments=("input_dim", "embed_dim", "heads"),
    inputs={"x": "B L input_dim"},
    returns={"output": "B L embed_dim"},
)
battery = Battery(
    domain,
    **{"values": 2, "sizes": 1.25, "extremes": 0.75, "gradients": 4.5},
    **{"modes": 0.5, "kind": 0.5, "parts": 0.25, "care": 0.5},
)
masked = Battery(with_masks(domain, "embed_dim"), everywhere=1.5, care=0.25)
START_SIZES = ((32, 24, 4), (6, 40, 2), (16, 24, 1))


@probe
def started(answers: Any, input_dim: int, embed_dim: int, num_heads: int) -> dict[str, Any]:
    """Sizes, and how spreads compare with Xavier's, so that no number drawn is told."""

    def against(found: float, least: float, most: float) -> int:
        return (found > most) - (found < least)

    torch.manual_seed(1)
    module = answers.MultiheadAttention(input_dim, embed_dim, num_heads)
    told = {}
    for name in ("qkv_proj", "o_proj"):
        layer = getattr(module, name, None)
        weight, bias = getattr(layer, "weight", None), getattr(layer, "bias", None)
        if weight is None or bias is None:
            continue
        drawn = weight.detach().double() / (6 / sum(weight.shape)) ** 0.5
        largest = against(drawn.abs().max().item(), 0.9, 1.0001)
        spread = against(drawn.std().item() * 3**0.5, 0.9, 1.1)
        shapes = [*weight.shape, *bias.shape]
        told[name] = torch.tensor([*shapes, largest, spread, int((bias != 0).any())])
    return told


@probe
def refused(answers: Any, input_dim: int, embed_dim: int, num_heads: int) -> dict[str, Any]:
    try:
        answers.MultiheadAttention(input_dim, embed_dim, num_heads)
    except (ValueError, AssertionError) as error:
        kind = "ValueError" if isinstance(error, ValueError) else "AssertionError"
        named = str(embed_dim) in str(error) and str(num_heads) in str(error)
        return {"raised": kind, "named": named}
    return {"raised": "nothing", "named": False}


@points(1.5, text="both weight matrices are drawn anew by `nn.init.xavier_uniform_`")
def check_starts_as_asked(student: Student) -> None:
    """`qkv_proj` and `o_proj` start Xavier-uniform, each as a whole, with biases of zero."""
    for input_dim, embed_dim, num_heads in START_SIZES:
        sizes = {"input_dim": input_dim, "embed_dim": embed_dim, "num_heads": num_heads}
        reply = student.run(started, **sizes)
        shapes = {"qkv_proj": (3 * embed_dim, input_dim), "o_proj": (embed_dim, embed_dim)}
        for name, shape in shapes.items():
            expect(name in reply, wording.NO_PROJECTIONS)
            found = reply.tensor(name).flatten().tolist()
            expect(len(found) == 6 and found[:3] == [*shape, shape[0]], wording.NO_PROJECTIONS)
            largest, spread, biased = found[3:]
            expect(largest == spread == 0, wording.NOT_XAVIER)
            expect(biased == 0, wording.BIAS_NOT_ZERO)


@points(1.5, text="`__init__` raises a `ValueError` whose text names both numbers")
def check_refuses_sizes_that_do_not_divide(student: Student) -> None:
    """An embed_dim that num_heads does not divide raises a ValueError that names both."""
    for embed_dim, num_heads in ((10, 4), (9, 2), (3, 5), (10, 3)):  # 3 divides 3 * 10
        reply = student.run(refused, input_dim=4, embed_dim=embed_dim, num_heads=num_heads)
        clear = reply["raised"] == "ValueError" and reply["named"] is True
        expect(clear, wording.NOT_REFUSED)
    for input_dim, embed_dim, num_heads in ((4, 8, 4), (4, 9, 3), (4, 5, 1), (4, 6, 6), (13, 8, 4)):
        sizes = {"input_dim": input_dim, "embed_dim": embed_dim, "num_heads": num_heads}
        reply = student.run(refused, **sizes)
        expect(reply["raised"] == "nothing", wording.WRONGLY_REFUSED)

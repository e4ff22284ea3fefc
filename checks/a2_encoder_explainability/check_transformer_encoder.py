"""Checks of `TransformerEncoder(num_layers, **block_args)` and its attention maps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Floats,
    Probe,
    Student,
    expect,
    points,
    probe,
)

from . import wording
from .modules import (
    DEEP,
    FEW,
    FEWEST,
    MAPPED,
    MASKED_MAPS,
    MASKS,
    WITHOUT_A_MASK,
    mapped,
    masked_maps,
    moments,
    slopes,
)


def stacked(answers: Any, layers: int, dim: int, heads: int, width: int, **sizes: int) -> Any:
    block = {"input_dim": dim, "num_heads": heads, "dim_feedforward": width}
    return answers.TransformerEncoder(layers, **block)


def dropping(answers: Any, layers: int, dim: int, heads: int, width: int, **sizes: int) -> Any:
    block = {"input_dim": dim, "num_heads": heads, "dim_feedforward": width, "dropout": 0.7}
    return answers.TransformerEncoder(layers, **block)


domain = Domain(
    answer="TransformerEncoder",
    sizes={"layers": 2, "B": 3, "L": 5, "heads": 3, "head_dim": 2, "width": 8},
    largest={"layers": 11},
    more={"for many layers": {"layers": 11}},
    derived={"dim": "heads*head_dim"},
    make=Probe(stacked),
    inputs={"x": "B L dim"},
    returns={"output": "B L dim"},
)
battery = Battery(
    domain,
    **{"values": 0.25, "sizes": 0.25, "extremes": 0.25, "gradients": 1},
    **{"modes": 0.25, "kind": 0.25, "parts": 0.25},
)
maps = Battery(
    replace(
        domain,
        smallest={"layers": 2},
        largest={"layers": 2},
        part="maps",
        only=(*FEW, "zeros"),
        about="`get_attention_maps`",
        derived={"dim": "heads*head_dim", "outputs": "heads*head_dim"},
        returns=MAPPED,
        more={},
        call=Probe(mapped, uses=[slopes]),
    ),
    **{"values": 0.5, "sizes": 0.5, "gradients": 0.75, "care": 0.25},
)
masked = Battery(
    replace(
        domain,
        smallest=DEEP,
        largest=DEEP,
        part="masked",
        more={},
        only=FEWEST,
        about="with a mask",
        derived={"dim": "heads*head_dim", "outputs": "heads*head_dim"},
        inputs={**domain.inputs, **MASKS},
        returns=MASKED_MAPS,
        call=Probe(masked_maps, uses=[slopes]),
        unmasked=WITHOUT_A_MASK,
    ),
    **{"everywhere": 0.75, "care": 0.25},
)
dropped = Battery(
    replace(
        domain,
        part="dropout",
        about="with dropout",
        sizes={"layers": 2, "L": 2, "heads": 2, "head_dim": 3, "width": 5},
        only=("example", "evaluation"),
        make=Probe(dropping),
        call=Probe(moments),
        inputs={"x": Floats("1 L dim", scale=0.3)},
        returns={"mean output": "L*dim", "mean of products": "L*dim L*dim"},
        random=True,
        atol=0.04,
    ),
    everywhere=0.25,
)


@probe
def fresh(answers: Any) -> dict[str, Any]:
    torch.manual_seed(1)
    block = {"input_dim": 6, "num_heads": 2, "dim_feedforward": 10}
    module = answers.TransformerEncoder(3, **block)
    drawn = [p.detach() for p in module.parameters() if p.shape == (10, 6)]
    return {"weights": torch.stack(drawn), "output": module(torch.ones(1, 2, 6))}


@points(0.25, text="`EncoderBlock(**block_args)` each, with parameters of their own")
def check_every_block_starts_on_its_own(student: Student) -> None:
    """The weights of no block are drawn for another one, too."""
    weights = student.run(fresh).tensor("weights")
    expect(weights.shape == (3, 10, 6), wording.ALIKE_BLOCKS)
    apart = [not torch.equal(a, b) for a, b in zip(weights, weights.roll(1, 0), strict=True)]
    expect(all(apart), wording.ALIKE_BLOCKS)

"""Checks of `attention_gradient(model, x, position)`, mostly on a model that the box makes."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
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
from .explained import ATTENTION_GRADIENT, with_dropout

domain = Domain(
    answer="attention_gradient",
    sizes={
        **{"layers": 3, "B": 2, "L": 5, "heads": 2, "size": 4, "classes": 6},
        **{"rate": 0, "below": 0, "steep": 1},
    },
    smallest={"rate": 0, "below": 0, "classes": 2},
    largest={"rate": 0, "below": 1, "layers": 4},
    more={"where relevance is large": {"steep": 1000}},
    make=ATTENTION_GRADIENT,
    inputs={"x": "B L size"},
    returns={"relevance for an inner position": "B L", "relevance for the last": "B L"},
    sets_mode="evaluation",
    clears_gradients=True,  # the question asks that none is left behind
    differentiable=False,
)
battery = Battery(domain, **{"values": 2.5, "sizes": 2.5, "extremes": 1.5, "care": 1.5})
dropped = Battery(with_dropout(domain), values=1)


COUNTS = (
    1e-3  # of a share of attention times its slope; those of the solution are a hundred times it
)


@probe
def own_model(answers: Any, x: Any, position: int) -> dict[str, Any]:
    torch.manual_seed(1)
    model = answers.TransformerPredictor(x.shape[-1], 8, 4, num_heads=2, num_layers=2)
    model.eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.5)  # so that attention is not even
    maps, logits = model.get_attention_maps(x, return_outputs=True)
    best = logits[:, position].max(dim=-1).values.sum()
    gradients = torch.autograd.grad(best, list(maps))
    relevance = answers.attention_gradient(model, x.requires_grad_(), position)
    kept = x.requires_grad
    shown = {f"map_{layer}": table for layer, table in enumerate(maps)}
    slopes = {f"slope_{layer}": slope for layer, slope in enumerate(gradients)}
    return {"relevance": relevance, "kept": kept, **shown, **slopes}


@values
@points(1, text="`model` is a model like your `TransformerPredictor`")
def check_works_with_your_own_model(student: Student) -> None:
    """With a model of your own `TransformerPredictor` the relevance follows from its maps."""
    for batch, position in ((3, 0), (1, 4)):
        x = numbers(50, batch, 5, 4)
        reply = student.run(own_model, x=x, position=position)
        found = expect_floats(reply, "relevance", B=batch, L=5)
        dims = {"B": batch, "heads": 2, "L_q": 5, "L_k": 5}
        wanted = torch.eye(5, dtype=torch.float64).expand(batch, -1, -1)
        for layer in range(2):
            table = expect_floats(reply, f"map_{layer}", **dims)
            slope = expect_floats(reply, f"slope_{layer}", **dims)
            expect(bool((table * slope).amax() > COUNTS), wording.MAPS_DO_NOT_COUNT)
            wanted = wanted + (table * slope).relu().mean(dim=1) @ wanted
        expect(same(found, wanted[:, position]), wording.OTHER_RULE)
        expect(reply["kept"] is True, wording.X_CHANGED)

"""Checks of `attention_gradient(model, x, position)`, mostly on a model that the probe makes."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_count,
    expect_floats,
    expect_shape,
    expect_unchanged,
    numbers,
    points,
    probe,
    same,
    values,
)
from autograder.results import sentences

from . import wording

Inputs = dict[str, torch.Tensor]


@probe
def explained(
    answers: Any,
    x: Any,
    query: Any,
    key: Any,
    value: Any,
    out: Any,
    position: int,
    dropout: float = 0.0,
    device: str = "cpu",
) -> dict[str, Any]:
    class Given(nn.Module):
        """Attention layers with residuals; the weights are (layers, heads, D, D)."""

        def __init__(self) -> None:
            super().__init__()
            self.input_dim = x.shape[-1]
            self.query, self.key = nn.Parameter(query), nn.Parameter(key)
            self.value, self.out = nn.Parameter(value), nn.Parameter(out)
            self.dropout = nn.Dropout(dropout)

        def get_attention_maps(
            self,
            x: Any,
            mask: Any = None,
            add_positional_encoding: bool = True,
            return_outputs: bool = False,
        ) -> Any:
            maps = []
            for layer in range(len(self.query)):
                projections = (self.query[layer], self.key[layer], self.value[layer])
                q, k, v = (torch.einsum("bld,hde->bhle", x, part) for part in projections)
                maps.append(torch.softmax(q @ k.transpose(-2, -1), dim=-1))
                x = torch.tanh(x + self.dropout((maps[-1] @ v).sum(dim=1)))
            outputs = x @ self.out
            return (maps, outputs) if return_outputs else maps

        def forward(self, x: Any, mask: Any = None, add_positional_encoding: bool = True) -> Any:
            return self.get_attention_maps(x, return_outputs=True)[1]

    model = Given().to(device)
    moved = x.to(device)
    torch.manual_seed(1)
    try:
        relevance = answers.attention_gradient(model, moved, position)
    except Exception as error:
        if device == "cpu":
            raise
        # A right answer may look at single numbers, which the meta device does not have.
        return {"device": "meta" if "meta tensors" in str(error) else "mixed"}
    if device != "cpu":
        return {"device": relevance.device.type}
    again = answers.attention_gradient(model, moved, position)
    left = sum(p.grad is not None and bool((p.grad != 0).any()) for p in model.parameters())
    return {"relevance": relevance, "again": again, "left": left, "x": x}


@probe
def own_model(answers: Any, x: Any, position: int) -> dict[str, Any]:
    torch.manual_seed(1)
    model = answers.TransformerPredictor(x.shape[-1], 8, 4, num_heads=2, num_layers=2).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.5)  # so that attention is not even
    relevance = answers.attention_gradient(model, x, position)
    maps, logits = model.get_attention_maps(x, return_outputs=True)
    best = logits[:, position].max(dim=-1).values.sum()
    gradients = torch.autograd.grad(best, list(maps))
    shown = {f"map_{layer}": table for layer, table in enumerate(maps)}
    slopes = {f"slope_{layer}": slope for layer, slope in enumerate(gradients)}
    return {"relevance": relevance, "layers": len(shown), **shown, **slopes}


def _case(seed: int, batch: int, length: int, layers: int, heads: int, size: int = 5) -> Inputs:
    shape = (layers, heads, size, size)
    return {
        "x": numbers(seed, batch, length, size),
        "query": numbers(seed + 1, *shape, scale=0.6),
        "key": numbers(seed + 2, *shape, scale=0.6),
        "value": numbers(seed + 3, *shape, scale=0.7),
        "out": numbers(seed + 4, size, 6),
    }


ONE_LAYER = {
    "one_layer": _case(10, 3, 4, 1, 1),
    "one_layer_heads": _case(20, 1, 6, 1, 3),
}
LAYERS = {
    "two_layers": _case(30, 4, 5, 2, 2),
    "four_layers": _case(40, 2, 3, 4, 3),
}
GIVEN = LAYERS["two_layers"]


def _positions(inputs: Inputs) -> tuple[int, ...]:
    return (0, 1, inputs["x"].shape[1] - 1)


def _match(student: Student, expected: Expected, cases: dict[str, Inputs]) -> None:
    for case, inputs in cases.items():
        for position in _positions(inputs):
            reply = student.run(explained, position=position, **inputs)
            found = Reply.of({"relevance": reply.tensor("relevance").detach()})
            expected.match(f"{case}_{position}", found)


@points(1)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """The relevance is (B, L), one row for each sequence, and nowhere negative."""
    for inputs in (*ONE_LAYER.values(), *LAYERS.values()):
        batch, length, _ = inputs["x"].shape
        reply = student.run(explained, position=1, **inputs)
        found = expect_floats(reply, "relevance", B=batch, L=length)
        expect((found >= 0).all(), "Some relevance is negative.")


@points(2)
def check_one_layer(student: Student, expected: Expected) -> None:
    """For one layer: the identity, and the helpful part of gradient times attention."""
    _match(student, expected, ONE_LAYER)


@points(3)
def check_several_layers(student: Student, expected: Expected) -> None:
    """For several layers the relevance of the layers before is carried on, layer by layer."""
    _match(student, expected, LAYERS)


@values
@points(1)
def check_sequences_do_not_mix(student: Student, expected: Expected) -> None:
    """A sequence gets the same relevance alone as in a batch, and each its own."""
    together = student.run(explained, position=2, **GIVEN)
    found = expect_floats(together, "relevance", B=4, L=5)
    expect((found.amax(dim=0) - found.amin(dim=0) > 1e-6).any(), wording.MIXED_BATCH)
    for place in range(4):
        one = {**GIVEN, "x": GIVEN["x"][place : place + 1]}
        alone = expect_floats(student.run(explained, position=2, **one), "relevance", B=1, L=5)
        expect(same(alone, found[place : place + 1]), wording.MIXED_BATCH)


@values
@points(1)
def check_works_with_your_own_model(student: Student, expected: Expected) -> None:
    """With a model of your own `TransformerPredictor` the relevance follows from its maps."""
    for batch, position in ((3, 0), (1, 4)):
        x = numbers(50, batch, 5, 4)
        reply = student.run(own_model, x=x, position=position)
        found = expect_floats(reply, "relevance", B=batch, L=5)
        expect_count(reply, "layers", 2, wording.OTHER_RULE)
        dims = {"B": batch, "heads": 2, "L_q": 5, "L_k": 5}
        wanted = torch.eye(5, dtype=torch.float64).expand(batch, -1, -1)
        for layer in range(2):
            table = expect_floats(reply, f"map_{layer}", **dims)
            slope = expect_floats(reply, f"slope_{layer}", **dims)
            wanted = wanted + (table * slope).relu().mean(dim=1) @ wanted
        expect(same(found, wanted[:, position]), wording.OTHER_RULE)


@points(1)
def check_evaluates_and_leaves_no_gradient(student: Student, expected: Expected) -> None:
    """The model is explained in evaluation mode, and keeps no gradient."""
    reply = student.run(explained, position=0, dropout=0.5, **GIVEN)
    found = expect_floats(reply, "relevance", B=4, L=5)
    again = expect_floats(reply, "again", B=4, L=5)
    expect(same(again, found), wording.STILL_TRAINING)
    calm = expect_floats(student.run(explained, position=0, **GIVEN), "relevance", B=4, L=5)
    expect(same(found, calm), wording.STILL_TRAINING)
    expect_count(reply, "left", 0, wording.GRADIENTS_LEFT)


@points(1)
def check_keeps_dtype_device_and_input(student: Student, expected: Expected) -> None:
    """The relevance has the dtype and the device of the input, which stays as it is."""
    double = {name: tensor.double() for name, tensor in GIVEN.items()}
    reply = student.run(explained, position=3, **double)
    found = expect_shape(reply, "relevance", B=4, L=5)
    expect(found.dtype == torch.float64, sentences.float64_lost("relevance", found.dtype))
    expect_unchanged(reply, {"x": double["x"]})
    reply = student.run(explained, position=3, device="meta", **GIVEN)
    expect(reply["device"] == "meta", sentences.other_device())

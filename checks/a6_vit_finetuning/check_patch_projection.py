"""Checks of `make_projection(config)`: the convolution that embeds patches."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Battery,
    Domain,
    Probe,
    Student,
    expect,
    points,
    probe,
    same,
)

from . import wording


def projection(answers: Any, **sizes: int) -> Any:
    from transformers import ViTConfig

    patch, hidden = sizes["P"], sizes["D"]
    return answers.make_projection(
        ViTConfig(
            num_channels=sizes["C"],
            patch_size=patch,
            hidden_size=hidden,
            num_attention_heads=1,
            intermediate_size=hidden + 7,
            image_size=patch * max(sizes["rows"], sizes["columns"]),
            qkv_bias=False,  # says nothing of patches
        )
    )


domain = Domain(
    answer="make_projection",
    sizes={"N": 2, "C": 3, "P": 6, "D": 64, "rows": 8, "columns": 5},
    make=Probe(projection),
    inputs={"images": "N C rows*P columns*P"},
    returns={"vectors": "N D rows columns"},
    more={
        "for large patches": {"P": 16, "D": 9, "rows": 2, "columns": 3},
        "for patches of an odd size": {"P": 5, "rows": 2, "columns": 3},
    },
    differentiable=False,
    atol=1e-4,
)
battery = Battery(domain, values=1, sizes=1, extremes=0.5, kind=0.5, parts=0.5, care=0.5)


SIZES = ((4, 5, 24), (3, 6, 64), (3, 16, 40))  # channels, patch, vectors; also the tiny model's


@probe
def described(answers: Any, channels: int, patch: int, hidden: int) -> dict[str, Any]:
    from transformers import ViTConfig

    config = ViTConfig(num_channels=channels, patch_size=patch, hidden_size=hidden)
    before = str(config)
    layers = [answers.make_projection(config) for _ in range(2)]
    if not all(isinstance(layer, torch.nn.Conv2d) for layer in layers):
        return {"is_convolution": False}
    # A picture that ends with a part of a patch, and what is whole of it.
    picture = torch.linspace(-1, 1, channels * (3 * patch - 1) * (4 * patch - 1))
    picture = picture.sin().view(1, channels, 3 * patch - 1, 4 * patch - 1)
    return {
        **{
            "is_convolution": True,
            "kept": str(config) == before,
            **{f"weight_{i}": layers[i].weight for i in range(2)},
        },
        "found": layers[0](picture),
        "whole": layers[0](picture[..., : 2 * patch, : 3 * patch]),
    }


@points(0.5, text="which returns an nn.Conv2d")
def check_it_is_a_convolution(student: Student) -> None:
    """`make_projection` returns an nn.Conv2d, a new one in each call."""
    for channels, patch, hidden in SIZES:
        reply = student.run(described, channels=channels, patch=patch, hidden=hidden)
        expect(reply["is_convolution"] is True, wording.NO_CONVOLUTION)
        first, second = reply.tensor("weight_0"), reply.tensor("weight_1")
        expect(not torch.equal(first, second), wording.SAME_WEIGHTS)
        expect(reply["kept"] is True, wording.CONFIG_CHANGED)


@points(0.5, text="with a bias and without padding")
def check_nothing_is_padded(student: Student) -> None:
    """What is no whole patch at the edge of a picture gets no vector."""
    for channels, patch, hidden in SIZES[1:]:  # another number of channels is asked above
        reply = student.run(described, channels=channels, patch=patch, hidden=hidden)
        expect(reply["is_convolution"] is True, wording.NO_CONVOLUTION)
        found, whole = reply.floats("found"), reply.floats("whole")
        expect(found.shape == whole.shape and same(found, whole), wording.PADDED)

"""Checks of `make_projection(config)`: the convolution that embeds patches."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import (
    Expected,
    Reply,
    Student,
    expect,
    expect_floats,
    expect_shape,
    numbers,
    points,
    probe,
    same,
    sizes_of,
)

from . import wording


@probe
def projected(answers: Any, sizes: Any, weight: Any, bias: Any, images: Any) -> dict[str, Any]:
    from transformers import ViTConfig

    channels, patch, hidden = sizes.tolist()
    config = ViTConfig(
        num_channels=channels,
        patch_size=patch,
        hidden_size=hidden,
        num_attention_heads=1,
        image_size=4 * patch,
    )
    layer = answers.make_projection(config)
    found = {"is_convolution": isinstance(layer, torch.nn.Conv2d)}
    own: Any = getattr(layer, "weight", None)
    own_bias: Any = getattr(layer, "bias", None)
    if not found["is_convolution"] or own.shape != weight.shape or own_bias is None:
        blank = [None if part is None else torch.zeros(part.shape) for part in (own, own_bias)]
        return {**found, "weight": blank[0], "bias": blank[1]}
    with torch.no_grad():
        own.copy_(weight)
        own_bias.copy_(bias)
    return {**found, "weight": own, "bias": own_bias, "vectors": layer(images)}


@probe
def beside_the_models(answers: Any, images: Any) -> dict[str, Any]:
    from transformers import ViTConfig, ViTModel

    config = ViTConfig(
        image_size=12,
        patch_size=4,
        hidden_size=6,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
    )
    torch.manual_seed(0)
    model = ViTModel(config)
    layer = answers.make_projection(config)
    layer.load_state_dict(model.embeddings.patch_embeddings.projection.state_dict())
    vectors = layer(images).flatten(2).transpose(1, 2)
    return {"vectors": vectors, "models": model.embeddings.patch_embeddings(images)}


def _inputs(
    seed: int, channels: int, patch: int, hidden: int, images: tuple[int, int, int]
) -> dict[str, torch.Tensor]:
    n, height, width = images
    return {
        "sizes": sizes_of(channels, patch, hidden),
        "weight": numbers(seed, hidden, channels, patch, patch),
        "bias": numbers(seed + 1, hidden),
        "images": numbers(seed + 2, n, channels, height, width),
    }


# Colour and grey; images that are not square; a batch of one; patches of an odd size.
CASES = {
    "colour": _inputs(1, 3, 4, 10, (2, 16, 16)),
    "grey": _inputs(10, 1, 5, 4, (1, 10, 15)),
    "four_channels": _inputs(20, 4, 2, 3, (3, 6, 4)),
}


def _reply(student: Student, inputs: dict[str, torch.Tensor]) -> Reply:
    reply = student.run(projected, **inputs)
    expect(reply["is_convolution"] is True, wording.NO_CONVOLUTION)
    return reply


def _vector_dims(inputs: dict[str, torch.Tensor]) -> dict[str, int]:
    _, patch, hidden = inputs["sizes"].tolist()
    n, _, height, width = inputs["images"].shape
    return {"N": n, "D": hidden, "rows": height // patch, "columns": width // patch}


@points(3)
def check_the_weights_have_the_right_sizes(student: Student, expected: Expected) -> None:
    """It is an nn.Conv2d with a weight of shape (D, C, P, P) and a bias of shape (D,)."""
    for inputs in CASES.values():
        reply = _reply(student, inputs)
        channels, patch, hidden = inputs["sizes"].tolist()
        dims = {"D": hidden, "C": channels, "P": patch, "Q": patch}
        expect_shape(reply, "weight", **dims)
        expect(reply["bias"] is not None, wording.NO_BIAS)
        expect(tuple(reply.tensor("bias").shape) == (hidden,), wording.NO_BIAS)


@points(2)
def check_one_vector_for_each_patch(student: Student, expected: Expected) -> None:
    """Images (N, C, H, W) become (N, D, rows, columns)."""
    for inputs in CASES.values():
        expect_shape(_reply(student, inputs), "vectors", **_vector_dims(inputs))


@points(4)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """With given weights, the vectors are those of the formula."""
    for case, inputs in CASES.items():
        reply = _reply(student, inputs)
        expected.match(case, Reply.of({"vectors": reply.tensor("vectors")}), atol=1e-4)


@points(1)
def check_computes_what_the_model_computes(student: Student, expected: Expected) -> None:
    """With the weights of a model copied in, it embeds patches as that model does."""
    reply = student.run(beside_the_models, images=numbers(30, 2, 3, 12, 12))
    found = expect_floats(reply, "vectors", N=2, patches=9, D=6)
    models = expect_floats(reply, "models", N=2, patches=9, D=6)
    expect(same(found, models), wording.NOT_THE_MODELS)
    expect((models != 0).any(), wording.NOT_THE_MODELS)

"""Images of several modes and sizes, and how `transform` is asked with them."""

from __future__ import annotations

from typing import Any

import torch

from autograder.checking import probe


def transformed_with(answers: Any, batch: Any, other_size: Any) -> Any:
    """What `transform` makes of a batch; with another processor where `other_size` is given."""
    from transformers import ViTImageProcessorPil

    names = answers._names
    own = names.get("processor")
    if other_size is not None:
        height, width = other_size.tolist()
        names["processor"] = ViTImageProcessorPil(
            size={"height": height, "width": width},
            image_mean=[0.2, 0.3, 0.4],
            image_std=[0.5, 0.6, 0.7],
        )
    try:
        return answers.transform(batch)
    finally:
        names["processor"] = own


@probe(uses=[transformed_with])
def transformed(
    answers: Any, images: Any, labels: Any, modes: str, other_size: Any = None
) -> dict[str, Any]:
    from collections.abc import Mapping
    from contextlib import suppress

    from PIL import Image

    pictures = []
    for number, (pixels, mode) in enumerate(zip(images.numpy(), modes.split(), strict=True)):
        smaller = pixels[5 * number :, 3 * number :]  # each than the one before
        picture = Image.fromarray(smaller).convert(mode)
        if mode.endswith("A"):  # from opaque to clear
            picture.putalpha(Image.fromarray(smaller[..., 0].copy()))
        pictures.append(picture)
    before = [picture.copy() for picture in pictures]
    batch = {"image": list(pictures), "label": labels.tolist()}
    result = transformed_with(answers, batch, other_size)
    if not isinstance(result, Mapping):
        return {"instead": type(result).__name__}
    kept = list(batch) == ["image", "label"] and batch["label"] == labels.tolist()
    same = kept and len(batch["image"]) == len(pictures)
    same = same and all(a is b for a, b in zip(batch["image"], pictures, strict=True))
    same = same and all(a.mode == b.mode and a == b for a, b in zip(pictures, before, strict=True))
    found: dict[str, Any] = {"kept": same, "names": " ".join(sorted(result))}
    if "pixel_values" in result:
        found["pixel_values"] = result["pixel_values"]
    if "labels" in result:
        with suppress(TypeError, ValueError):  # words, say
            found["labels"] = torch.as_tensor(result["labels"])
    return found


@probe(uses=[transformed_with])
def again(answers: Any, images: Any, labels: Any, modes: str) -> dict[str, Any]:
    from collections.abc import Mapping

    from PIL import Image

    def batch(start: int) -> dict[str, Any]:
        pictures = [Image.fromarray(pixels[start:]).convert("RGB") for pixels in images.numpy()]
        return {"image": pictures, "label": (labels + start).tolist()}

    drew = torch.random.get_rng_state()
    first = transformed_with(answers, batch(0), None)
    if not isinstance(first, Mapping):
        return {"instead": type(first).__name__}
    transformed_with(answers, batch(9), None)
    last = transformed_with(answers, batch(0), None)
    return {
        "first": first["pixel_values"],
        "last": last["pixel_values"],
        "drew": not torch.equal(drew, torch.random.get_rng_state()),
    }


def _images(seed: int, count: int, height: int, width: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    coarse = torch.rand(count, 3, 7, 9, generator=generator)
    smooth = torch.nn.functional.interpolate(coarse, (height, width), mode="bilinear")
    return (255 * smooth).round().to(torch.uint8).permute(0, 2, 3, 1).contiguous()


def inputs(seed: int, modes: str, height: int, width: int) -> dict[str, Any]:
    """Images in the modes that are named, and their labels."""
    count = len(modes.split())
    labels = torch.arange(7, 7 + count).roll(1)  # in no order
    return {"images": _images(seed, count, height, width), "labels": labels, "modes": modes}

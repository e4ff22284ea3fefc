"""Checks of `transform(batch)`: what the notebook's processor makes of images of any kind."""

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
    points,
    probe,
)

from . import wording

SIDE = 48


@probe
def transformed(
    answers: Any, images: Any, labels: Any, modes: str, other_size: Any = None
) -> dict[str, Any]:
    from collections.abc import Mapping

    from PIL import Image
    from transformers import ViTImageProcessorPil

    pictures = [  # each a little smaller than the one before
        Image.fromarray(pixels[5 * number :, 3 * number :]).convert(mode)
        for number, (pixels, mode) in enumerate(zip(images.numpy(), modes.split(), strict=True))
    ]
    batch = {"image": list(pictures), "label": labels.tolist()}
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
        result = answers.transform(batch)
    finally:
        names["processor"] = own
    if not isinstance(result, Mapping):
        return {"instead": type(result).__name__}
    untouched = batch == {"image": pictures, "label": labels.tolist()}
    found: dict[str, Any] = {"untouched": untouched, "names": " ".join(sorted(result))}
    if "pixel_values" in result:
        found["pixel_values"] = result["pixel_values"]
    if "labels" in result:
        found["labels"] = torch.as_tensor(result["labels"])
    return found


def _images(seed: int, count: int, height: int, width: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    coarse = torch.rand(count, 3, 7, 9, generator=generator)
    smooth = torch.nn.functional.interpolate(coarse, (height, width), mode="bilinear")
    return (255 * smooth).round().to(torch.uint8).permute(0, 2, 3, 1).contiguous()


def _inputs(seed: int, modes: str, height: int, width: int) -> dict[str, Any]:
    count = len(modes.split())
    labels = torch.arange(7, 7 + count).flip(0)
    return {"images": _images(seed, count, height, width), "labels": labels, "modes": modes}


# Images of several sizes, larger and smaller than the model's; a batch of one.
CASES = {
    "colour": _inputs(1, "RGB RGB RGB", 90, 70),
    "one_small_image": _inputs(2, "RGB", 30, 41),
}
OTHER_MODES = _inputs(3, "L RGBA RGB", 60, 64)


def _reply(student: Student, **inputs: Any) -> Reply:
    reply = student.run(transformed, **inputs)
    expect("instead" not in reply, wording.NO_DICTIONARY)
    return reply


def _pixels(reply: Reply) -> Reply:
    return Reply.of({"pixel_values": reply.tensor("pixel_values")})


@points(2)
def check_shape_fits(student: Student, expected: Expected) -> None:
    """`pixel_values` has the shape (N, 3, 48, 48), whatever the sizes of the images."""
    for inputs in CASES.values():
        reply = _reply(student, **inputs)
        count = len(inputs["images"])
        expect_floats(reply, "pixel_values", N=count, channels=3, height=SIDE, width=SIDE)


@points(3)
def check_matches_expected_values(student: Student, expected: Expected) -> None:
    """The pixel values are right, image by image."""
    for case, inputs in CASES.items():
        expected.match(case, _pixels(_reply(student, **inputs)), atol=1e-4)


@points(2)
def check_other_modes_become_rgb(student: Student, expected: Expected) -> None:
    """A grey image and one with transparency are converted to RGB first."""
    reply = _reply(student, **OTHER_MODES)
    expect_shape(reply, "pixel_values", N=3, channels=3, height=SIDE, width=SIDE)
    right = expected.accepts("modes", _pixels(reply), atol=1e-4)
    expect(right, wording.OTHER_COLOURS)


@points(1)
def check_the_processor_does_the_work(student: Student, expected: Expected) -> None:
    """With another processor of another size and another mean, the pixel values follow."""
    sizes = torch.tensor([20, 28])
    reply = _reply(student, **CASES["colour"], other_size=sizes)
    expect_shape(reply, "pixel_values", N=3, channels=3, height=20, width=28)
    right = expected.accepts("other_processor", _pixels(reply), atol=1e-4)
    expect(right, wording.OTHER_PROCESSOR)


@points(1)
def check_labels_are_kept(student: Student, expected: Expected) -> None:
    """`labels` holds the labels of the batch, unchanged and in their order."""
    for inputs in CASES.values():
        found = _reply(student, **inputs).tensor("labels")
        expect(found.tolist() == inputs["labels"].tolist(), wording.OTHER_LABELS)


@points(1)
def check_the_batch_stays_as_it_is(student: Student, expected: Expected) -> None:
    """The batch that was given is not changed, and what is returned is another dictionary."""
    for inputs in CASES.values():
        reply = _reply(student, **inputs)
        expect(reply["untouched"] is True, wording.BATCH_CHANGED)
        reply.tensor("pixel_values")
